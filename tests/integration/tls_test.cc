// Mutual TLS: who is let in, and what the others are told.
#include <grpcpp/grpcpp.h>

#include <filesystem>

#include "proto/codec/message_codec.h"
#include "tacit/v1/federation.grpc.pb.h"
#include "tests/integration/federation_fixture.h"
#include "tests/support/certificates.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::rpc {
namespace {

using test::CertificateAuthority;
constexpr auto kDenied = absl::StatusCode::kPermissionDenied;

class TlsTest : public FederationFixture {
 protected:
  TlsTest() {
    Write("ca.pem", authority.certificate());
    Write("stranger-ca.pem", stranger.certificate());
    WritePair("server", authority, {.common_name = "server", .subject_alternatives = "IP:127.0.0.1"});
    WritePair("trainer-1", authority, {.common_name = "trainer-1"});
  }

  void Write(const std::string& name, const std::string& text) {
    EXPECT_TRUE(WriteFileAtomically(folder.File(name), text).ok());
  }
  void WritePair(const std::string& name, const CertificateAuthority& signer,
                 const CertificateAuthority::Request& request) {
    const CertificateAuthority::Pem pem = signer.Issue(request);
    Write(name + ".pem", pem.certificate);
    Write(name + ".key", pem.key);
  }
  config::ServerConfig Secured() const {
    config::ServerConfig config = test::LoopbackServer(1, 2, Output());
    config.tls = config::ServerTlsConfig{
        .certificate = folder.File("server.pem"), .key = folder.File("server.key"), .client_ca = folder.File("ca.pem")};
    return config;
  }
  // trainer-1 with the certificate in NAME.pem, which tries once.
  config::ClientConfig ClientWith(const std::string& name, const ServerRuntime& server) const {
    config::ClientConfig config = Trainer(1, server);
    config.give_up_after_seconds = 0;
    config.tls = config::ClientTlsConfig{
        .ca = folder.File("ca.pem"), .certificate = folder.File(name + ".pem"), .key = folder.File(name + ".key")};
    return config;
  }
  // What the coordinator says to a client made by hand that calls itself `claimed` over that certificate.
  grpc::Status Claim(const ServerRuntime& server, const CertificateAuthority::Pem& pem, const std::string& claimed) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = authority.certificate();
    options.pem_cert_chain = pem.certificate;
    options.pem_private_key = pem.key;
    const auto stub = v1::Federation::NewStub(grpc::CreateChannel(AddressOf(server), grpc::SslCredentials(options)));
    grpc::ClientContext context;
    const auto stream = stub->Session(&context);
    v1::ClientMessage hello;
    wire::SetVersion(*hello.mutable_hello()->mutable_version());
    hello.mutable_hello()->set_client(claimed);
    hello.mutable_hello()->set_evaluates(true);
    stream->Write(hello);
    stream->WritesDone();
    v1::ServerMessage message;
    while (stream->Read(&message)) {
    }
    return stream->Finish();
  }

  const CertificateAuthority authority{"the authority"};
  const CertificateAuthority stranger{"a stranger's authority"};
};

TEST_F(TlsTest, TheRightCertificatesAreLetIn) {
  const auto server = Start(Secured());
  RunningClient client(ClientWith("trainer-1", *server), backend);
  EXPECT_TRUE(server->Wait().ok());
  EXPECT_TRUE(client.Join().ok()) << client.Join();
}

TEST_F(TlsTest, AServersNameMayBeSaidInTheConfig) {
  WritePair("server", authority, {.common_name = "server", .subject_alternatives = "DNS:coordinator.example"});
  const auto server = Start(Secured());
  config::ClientConfig config = ClientWith("trainer-1", *server);
  config.tls->server_name = "coordinator.example";
  RunningClient client(config, backend);
  EXPECT_TRUE(server->Wait().ok());
  EXPECT_TRUE(client.Join().ok()) << client.Join();
}

TEST_F(TlsTest, AClientOfAnotherAuthorityIsDenied) {
  WritePair("trainer-1", stranger, {.common_name = "trainer-1"});
  const auto server = Start(Secured());
  EXPECT_TRUE(FailsWith(RunClient(ClientWith("trainer-1", *server), backend, {}), kDenied,
                        {AddressOf(*server), "does not accept this client's certificate"}));
}

TEST_F(TlsTest, AServerOfAnotherAuthorityIsDenied) {
  WritePair("server", stranger, {.common_name = "server", .subject_alternatives = "IP:127.0.0.1"});
  const auto server = Start(Secured());
  EXPECT_TRUE(FailsWith(RunClient(ClientWith("trainer-1", *server), backend, {}), kDenied,
                        {AddressOf(*server), "is not accepted", "tls.ca"}));
}

TEST_F(TlsTest, AServerOfAnotherNameIsDenied) {
  WritePair("server", authority, {.common_name = "server", .subject_alternatives = "DNS:elsewhere.example"});
  const auto server = Start(Secured());
  EXPECT_TRUE(FailsWith(RunClient(ClientWith("trainer-1", *server), backend, {}), kDenied,
                        {"127.0.0.1", "is not accepted", "tls.server_name"}));
}

TEST_F(TlsTest, AClientsNameIsItsCertificates) {
  WritePair("other", authority, {.common_name = "trainer-2"});
  const auto server = Start(Secured());
  EXPECT_TRUE(FailsWith(RunClient(ClientWith("other", *server), backend, {}), kDenied,
                        {"other.pem", "'trainer-2'", "'trainer-1'"}));
}

TEST_F(TlsTest, NobodyIsLetInUnderAnothersName) {
  const auto server = Start(Secured());
  const grpc::Status status = Claim(*server, authority.Issue({.common_name = "trainer-2"}), "trainer-1");
  EXPECT_EQ(status.error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_THAT(status.error_message(),
              ::testing::AllOf(::testing::HasSubstr("'trainer-1'"), ::testing::HasSubstr("'trainer-2'")));
  EXPECT_TRUE(Claim(*server, authority.Issue({.common_name = "trainer-2"}), "trainer-2").ok());
}

TEST_F(TlsTest, ACertificateWithoutANameLetsNobodyIn) {
  const auto server = Start(Secured());
  EXPECT_EQ(Claim(*server, authority.Issue({}), "trainer-1").error_code(), grpc::StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(Claim(*server, authority.Issue({.subject_alternatives = "DNS:trainer-1"}), "trainer-1").error_code(),
            grpc::StatusCode::PERMISSION_DENIED);
}

TEST_F(TlsTest, ACertificateOfAnotherAuthorityLetsNobodyIn) {
  const auto server = Start(Secured());
  EXPECT_EQ(Claim(*server, stranger.Issue({.common_name = "trainer-1"}), "trainer-1").error_code(),
            grpc::StatusCode::UNAVAILABLE);
}

TEST_F(TlsTest, AnExpiredClientCertificateIsNamed) {
  WritePair("trainer-1", authority,
            {.common_name = "trainer-1", .valid_from_seconds = -7200, .valid_until_seconds = -60});
  const auto server = Start(Secured());
  EXPECT_TRUE(FailsWith(RunClient(ClientWith("trainer-1", *server), backend, {}), absl::StatusCode::kInvalidArgument,
                        {"trainer-1.pem", "expired"}));
}

TEST_F(TlsTest, AServerWithBadCertificatesDoesNotStartAndLeavesNoOutput) {
  WritePair("server", authority,
            {.common_name = "server", .subject_alternatives = "IP:127.0.0.1", .valid_until_seconds = -60});
  EXPECT_TRUE(FailsWith(TryStart(Secured()).status(), absl::StatusCode::kInvalidArgument, {"server.pem", "expired"}));
  WritePair("server", authority, {.common_name = "server", .subject_alternatives = "IP:127.0.0.1"});
  Write("server.key", authority.Issue({.common_name = "server"}).key);
  EXPECT_TRUE(FailsWith(TryStart(Secured()).status(), absl::StatusCode::kInvalidArgument,
                        {"server.key", "not the private key"}));
  std::filesystem::remove(folder.File("ca.pem"));
  EXPECT_TRUE(FailsWith(TryStart(Secured()).status(), absl::StatusCode::kNotFound, {"ca.pem"}));
  EXPECT_FALSE(std::filesystem::exists(Output()));
}

TEST_F(TlsTest, APlainClientIsNotAnsweredByATlsServer) {
  const auto server = Start(Secured());
  config::ClientConfig config = ClientWith("trainer-1", *server);
  config.tls = std::nullopt;
  EXPECT_TRUE(
      FailsWith(RunClient(config, backend, {}), absl::StatusCode::kUnavailable, {AddressOf(*server), "in plain text"}));
}

TEST_F(TlsTest, ATlsClientIsToldThatTheServerIsPlain) {
  config::ServerConfig config = Secured();
  config.tls = std::nullopt;
  const auto server = Start(config);
  EXPECT_TRUE(FailsWith(RunClient(ClientWith("trainer-1", *server), backend, {}), kDenied,
                        {AddressOf(*server), "does not speak TLS"}));
}

}  // namespace
}  // namespace tacit::rpc
