#include "client/rpc/channel.h"

#include <gtest/gtest.h>

#include "core/file.h"
#include "tests/support/certificates.h"
#include "tests/support/federation.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::rpc {
namespace {

class ChannelTest : public ::testing::Test {
 protected:
  ChannelTest() {
    config.name = "clinic";
    config.server = "127.0.0.1:1";  // nobody listens on it
    Write(authority.Issue({.common_name = "clinic"}));
    EXPECT_TRUE(WriteFileAtomically(folder.File("ca.pem"), authority.certificate()).ok());
    config.tls = config::ClientTlsConfig{
        .ca = folder.File("ca.pem"), .certificate = folder.File("c.pem"), .key = folder.File("k.pem")};
  }
  void Write(const test::CertificateAuthority::Pem& pem) {
    EXPECT_TRUE(WriteFileAtomically(folder.File("c.pem"), pem.certificate).ok());
    EXPECT_TRUE(WriteFileAtomically(folder.File("k.pem"), pem.key).ok());
  }
  const test::TempFolder folder;
  const test::CertificateAuthority authority{"an authority"};
  config::ClientConfig config;
};

TEST_F(ChannelTest, TheCertificatesNameIsTheClients) {
  EXPECT_TRUE(ServerChannel::Create(config).ok());
  config.name = "another";
  EXPECT_TRUE(FailsWith(ServerChannel::Create(config).status(), absl::StatusCode::kPermissionDenied,
                        {"c.pem", "'clinic'", "'another'"}));
}

TEST_F(ChannelTest, ACertificateWithoutANameIsRefused) {
  Write(authority.Issue({}));
  EXPECT_TRUE(FailsWith(ServerChannel::Create(config).status(), absl::StatusCode::kPermissionDenied, {"c.pem"}));
}

TEST_F(ChannelTest, AnExpiredCertificateIsNamed) {
  Write(authority.Issue({.common_name = "clinic", .valid_from_seconds = -7200, .valid_until_seconds = -3600}));
  EXPECT_TRUE(
      FailsWith(ServerChannel::Create(config).status(), absl::StatusCode::kInvalidArgument, {"c.pem", "expired"}));
}

TEST_F(ChannelTest, ACertificateOfTheFutureIsNamed) {
  Write(authority.Issue({.common_name = "clinic", .valid_from_seconds = 3600, .valid_until_seconds = 7200}));
  EXPECT_TRUE(FailsWith(ServerChannel::Create(config).status(), absl::StatusCode::kInvalidArgument,
                        {"c.pem", "not valid yet"}));
}

TEST_F(ChannelTest, AKeyOfAnotherCertificateIsNamed) {
  const std::string key = authority.Issue({.common_name = "clinic"}).key;
  ASSERT_TRUE(WriteFileAtomically(folder.File("k.pem"), key).ok());
  EXPECT_TRUE(FailsWith(ServerChannel::Create(config).status(), absl::StatusCode::kInvalidArgument,
                        {"k.pem", "not the private key", "c.pem"}));
}

TEST_F(ChannelTest, FilesThatHoldSomethingElseAreNamed) {
  ASSERT_TRUE(WriteFileAtomically(folder.File("k.pem"), "no key").ok());
  EXPECT_TRUE(FailsWith(ServerChannel::Create(config).status(), absl::StatusCode::kInvalidArgument, {"k.pem"}));
  ASSERT_TRUE(WriteFileAtomically(folder.File("ca.pem"), "").ok());
  EXPECT_TRUE(FailsWith(ServerChannel::Create(config).status(), absl::StatusCode::kInvalidArgument, {"ca.pem"}));
  config.tls->certificate = folder.File("missing.pem");
  EXPECT_TRUE(FailsWith(ServerChannel::Create(config).status(), absl::StatusCode::kNotFound, {"missing.pem"}));
}

TEST_F(ChannelTest, NobodyAtTheAddressIsUnavailable) {
  EXPECT_TRUE(
      FailsWith(ServerChannel::Create(config)->Connect().status(), absl::StatusCode::kUnavailable, {"127.0.0.1:1"}));
  config.tls = std::nullopt;
  EXPECT_TRUE(
      FailsWith(ServerChannel::Create(config)->Connect().status(), absl::StatusCode::kUnavailable, {"127.0.0.1:1"}));
}

TEST(FromGrpc, KeepsTheCodeAndCleansTheText) {
  EXPECT_TRUE(FromGrpc(grpc::Status::OK).ok());
  EXPECT_EQ(FromGrpc(grpc::Status(grpc::StatusCode::NOT_FOUND, "a\nb")), absl::NotFoundError("a b"));
}

}  // namespace
}  // namespace tacit::rpc
