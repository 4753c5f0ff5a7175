// Clients that do not keep to the protocol get a clear answer, and the coordinator goes on.
#include <grpcpp/grpcpp.h>

#include "proto/codec/blob_codec.h"
#include "proto/codec/limits.h"
#include "proto/codec/message_codec.h"
#include "tacit/v1/federation.grpc.pb.h"
#include "tests/integration/federation_fixture.h"

namespace tacit::rpc {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// A session made by hand.
class RawSession {
 public:
  explicit RawSession(v1::Federation::Stub& stub) : stream_(stub.Session(&context_)) {}
  ~RawSession() { context_.TryCancel(); }

  void Send(const v1::ClientMessage& message) { stream_->Write(message); }
  v1::ServerMessage Read() {
    v1::ServerMessage message;
    EXPECT_TRUE(stream_->Read(&message)) << "the session ended";
    return message;
  }
  // Reads until the server ends the call; its status.
  grpc::Status End() {
    v1::ServerMessage message;
    while (stream_->Read(&message)) {
    }
    return stream_->Finish();
  }
  // Leaves in good order.
  grpc::Status Leave() {
    stream_->WritesDone();
    return End();
  }

 private:
  grpc::ClientContext context_;
  std::unique_ptr<grpc::ClientReaderWriter<v1::ClientMessage, v1::ServerMessage>> stream_;
};

class BadClientsTest : public FederationFixture {
 protected:
  BadClientsTest()
      : server(Start(test::LoopbackServer(1, 2, Output()))),
        channel(grpc::CreateChannel(AddressOf(*server), grpc::InsecureChannelCredentials())),
        stub(v1::Federation::NewStub(channel)) {}

  // The coordinator still works: a client of good manners completes the run.
  ~BadClientsTest() override {
    RunningClient good(Trainer(1, *server), backend);
    EXPECT_TRUE(server->Wait().ok());
    EXPECT_TRUE(good.Join().ok()) << good.Join();
  }

  static v1::ClientMessage Hello(const std::string& name = "raw") {
    v1::ClientMessage message;
    wire::SetVersion(*message.mutable_hello()->mutable_version());
    message.mutable_hello()->set_client(name);
    message.mutable_hello()->set_evaluates(true);
    return message;
  }
  void ExpectEnds(const v1::ClientMessage& first, grpc::StatusCode code, const std::string& text) {
    RawSession session(*stub);
    session.Send(first);
    const grpc::Status status = session.End();
    EXPECT_EQ(status.error_code(), code) << status.error_message();
    EXPECT_THAT(status.error_message(), HasSubstr(text));
  }
  // Fetches with that token; the call's status.
  grpc::Status Fetch(const std::string& token, const std::string& digest, uint64_t offset = 0) {
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("tacit-session", token);
    v1::FetchBlobRequest request;
    request.set_digest(digest);
    request.set_offset(offset);
    const auto reader = stub->FetchBlob(&context, request);
    v1::BlobChunk chunk;
    while (reader->Read(&chunk)) {
    }
    return reader->Finish();
  }
  grpc::Status Put(const std::string& token, const std::vector<v1::PutBlobRequest>& requests,
                   v1::StatBlobReply* reply = nullptr) {
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("tacit-session", token);
    v1::StatBlobReply ignored;
    const auto writer = stub->PutBlob(&context, reply == nullptr ? &ignored : reply);
    for (const v1::PutBlobRequest& request : requests) {
      if (!writer->Write(request)) break;
    }
    writer->WritesDone();
    return writer->Finish();
  }
  static v1::PutBlobRequest Header(const std::string& digest, uint64_t size) {
    v1::PutBlobRequest request;
    request.mutable_header()->set_digest(digest);
    request.mutable_header()->set_total_bytes(size);
    return request;
  }
  static v1::PutBlobRequest Chunk(const std::string& blob, uint64_t offset = 0) {
    v1::PutBlobRequest request;
    wire::MakeChunk(blob, offset, *request.mutable_chunk());
    return request;
  }

  const std::unique_ptr<ServerRuntime> server;
  const std::shared_ptr<grpc::Channel> channel;
  const std::unique_ptr<v1::Federation::Stub> stub;
};

TEST_F(BadClientsTest, AnotherMajorVersionIsRefusedNamingBoth) {
  v1::ClientMessage hello = Hello();
  hello.mutable_hello()->mutable_version()->set_major(2);
  ExpectEnds(hello, grpc::StatusCode::FAILED_PRECONDITION, "version 2.0, this one 1.0");
}

TEST_F(BadClientsTest, AFirstMessageThatIsNoHelloIsRefused) {
  v1::ClientMessage update;
  update.mutable_update();
  ExpectEnds(update, grpc::StatusCode::FAILED_PRECONDITION, "version");
}

TEST_F(BadClientsTest, ANameThatIsNoneIsRefused) {
  for (const std::string& name : {std::string(), std::string("../../etc"), std::string(1000, 'x')}) {
    ExpectEnds(Hello(name), grpc::StatusCode::INVALID_ARGUMENT, "hello.client");
  }
}

TEST_F(BadClientsTest, AClientWithoutARoleIsRefused) {
  v1::ClientMessage hello = Hello();
  hello.mutable_hello()->set_evaluates(false);
  ExpectEnds(hello, grpc::StatusCode::INVALID_ARGUMENT, "no role");
}

TEST_F(BadClientsTest, ASecondHelloEndsTheSession) {
  RawSession session(*stub);
  session.Send(Hello());
  EXPECT_TRUE(session.Read().has_welcome());
  session.Send(Hello());
  const grpc::Status status = session.End();
  EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("hello before"));
}

TEST_F(BadClientsTest, AMessageLargerThanAllowedEndsTheSession) {
  RawSession session(*stub);
  v1::ClientMessage hello = Hello();
  hello.mutable_hello()->set_software(std::string(wire::kMaxMessageBytes + 1, 'x'));
  session.Send(hello);
  EXPECT_FALSE(session.End().ok());
}

TEST_F(BadClientsTest, GarbageAfterTheHelloIsRefusedNamingTheField) {
  for (const bool evaluation : {true, false}) {
    RawSession session(*stub);
    session.Send(Hello());
    session.Read();
    v1::ClientMessage garbage;
    if (evaluation) {
      garbage.mutable_evaluation()->set_run("\n");
    } else {
      garbage.mutable_decline()->set_run("\n");
    }
    session.Send(garbage);
    const grpc::Status status = session.End();
    EXPECT_EQ(status.error_code(), grpc::StatusCode::INVALID_ARGUMENT);
    EXPECT_THAT(status.error_message(), HasSubstr("'run'"));
  }
}

TEST_F(BadClientsTest, AMalformedUpdateIsRefusedAndTheSessionGoesOn) {
  RawSession session(*stub);
  session.Send(Hello());
  const v1::Plan plan = session.Read().welcome().plan();
  v1::ClientMessage message;
  v1::Update& update = *message.mutable_update();
  update.set_run(plan.run());
  update.set_incarnation(plan.incarnation());
  update.set_client("somebody-else");
  update.set_round(3);
  session.Send(message);  // without a digest
  v1::ServerMessage answer = session.Read();
  EXPECT_EQ(answer.refusal().round(), 3);
  EXPECT_THAT(answer.refusal().reason(), HasSubstr("change_digest"));
  update.set_change_digest(std::string(32, 'd'));
  update.set_weight(1);
  session.Send(message);  // of a round that is not open, by a client that does not train
  EXPECT_TRUE(session.Read().has_refusal());
  update.set_incarnation("\x1b[31m");
  session.Send(message);
  EXPECT_THAT(session.Read().refusal().reason(), HasSubstr("incarnation"));
  EXPECT_TRUE(session.Leave().ok());
}

TEST_F(BadClientsTest, AnEmptyMessageIsOneOfALaterVersionAndReadPast) {
  RawSession session(*stub);
  session.Send(Hello());
  session.Read();
  session.Send(v1::ClientMessage());
  EXPECT_TRUE(session.Leave().ok());
}

TEST_F(BadClientsTest, BlobCallsNeedAnOpenSession) {
  std::string closed;
  {
    RawSession session(*stub);
    session.Send(Hello());
    closed = session.Read().welcome().session_token();
    EXPECT_TRUE(session.Leave().ok());
  }
  const std::string digest = Digest::Of("x").AsBytes();
  for (const std::string& token : {std::string(), std::string("guessed"), closed}) {
    EXPECT_EQ(Fetch(token, digest).error_code(), grpc::StatusCode::UNAUTHENTICATED);
    EXPECT_EQ(Put(token, {Header(digest, 1), Chunk("x")}).error_code(), grpc::StatusCode::UNAUTHENTICATED);
    grpc::ClientContext context;
    if (!token.empty()) context.AddMetadata("tacit-session", token);
    v1::StatBlobRequest request;
    request.set_digest(digest);
    v1::StatBlobReply reply;
    EXPECT_EQ(stub->StatBlob(&context, request, &reply).error_code(), grpc::StatusCode::UNAUTHENTICATED);
  }
}

TEST_F(BadClientsTest, FetchingWhatIsNotThereIsRefused) {
  RawSession session(*stub);
  session.Send(Hello());
  const v1::Welcome welcome = session.Read().welcome();
  const std::string token = welcome.session_token();
  EXPECT_EQ(Fetch(token, "short").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Fetch(token, "").error_code(), grpc::StatusCode::INVALID_ARGUMENT);
  EXPECT_EQ(Fetch(token, Digest::Of("unknown").AsBytes()).error_code(), grpc::StatusCode::NOT_FOUND);
  const std::string model = welcome.plan().model_digest();
  EXPECT_EQ(Fetch(token, model, UINT64_MAX).error_code(), grpc::StatusCode::OUT_OF_RANGE);
  EXPECT_TRUE(Fetch(token, model, static_cast<uint64_t>(welcome.plan().model_bytes())).ok());
  EXPECT_TRUE(Fetch(token, model).ok());
  EXPECT_TRUE(session.Leave().ok());
}

TEST_F(BadClientsTest, UploadsThatAreNoneAreRefused) {
  RawSession session(*stub);
  session.Send(Hello());
  const std::string token = session.Read().welcome().session_token();
  const std::string blob = "a small blob";
  const std::string digest = Digest::Of(blob).AsBytes();
  constexpr auto kInvalid = grpc::StatusCode::INVALID_ARGUMENT;
  EXPECT_EQ(Put(token, {}).error_code(), kInvalid);
  EXPECT_EQ(Put(token, {Chunk(blob)}).error_code(), kInvalid);
  EXPECT_EQ(Put(token, {v1::PutBlobRequest()}).error_code(), kInvalid);
  EXPECT_EQ(Put(token, {Header("short", 10)}).error_code(), kInvalid);
  EXPECT_EQ(Put(token, {Header(digest, blob.size()), Header(digest, blob.size())}).error_code(), kInvalid);
  const grpc::Status large = Put(token, {Header(digest, uint64_t{1} << 60)});
  EXPECT_EQ(large.error_code(), kInvalid);
  EXPECT_THAT(large.error_message(), HasSubstr("where an update has"));
  EXPECT_EQ(Put(token, {Header(digest, blob.size()), Chunk(blob + " and more")}).error_code(),
            grpc::StatusCode::DATA_LOSS);
  v1::PutBlobRequest damaged = Chunk(blob);
  damaged.mutable_chunk()->set_crc32(1);
  EXPECT_EQ(Put(token, {Header(digest, blob.size()), damaged}).error_code(), grpc::StatusCode::DATA_LOSS);
  v1::StatBlobReply reply;
  EXPECT_TRUE(Put(token, {Header(digest, blob.size()), Chunk(blob)}, &reply).ok());
  EXPECT_TRUE(reply.complete());
  EXPECT_EQ(reply.received_bytes(), blob.size());
  EXPECT_TRUE(session.Leave().ok());
}

TEST_F(BadClientsTest, AClientThatVanishesIsForgotten) {
  RawSession session(*stub);
  v1::ClientMessage hello = Hello();
  hello.mutable_hello()->set_trains(true);
  hello.mutable_hello()->set_client("trainer-1");
  session.Send(hello);
  session.Read();
  // Cancelled by the destructor; the good client of the same name then takes its place.
}

}  // namespace
}  // namespace tacit::rpc
