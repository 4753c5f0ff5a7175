#include "client/rpc/client_session.h"

#include <gtest/gtest.h>

#include "core/file.h"
#include "proto/codec/blob_codec.h"
#include "proto/codec/message_codec.h"
#include "proto/codec/plan_codec.h"
#include "tests/support/fake_backend.h"
#include "tests/support/federation.h"
#include "tests/support/gate.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/client/rpc/scripted_server.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::rpc {
namespace {

constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;
using Stream = ScriptedServer::Stream;

class ClientSessionTest : public ::testing::Test {
 protected:
  ClientSessionTest() {
    EXPECT_TRUE(WriteFileAtomically(folder.File("data.csv"), test::LogisticCsv(20, 1)).ok());
    config::ClientConfig config = test::LoopbackTrainer("clinic", folder.File("data.csv"));
    participant = *Participant::Create(config, backend);
    server.fetch = [this](const v1::FetchBlobRequest& request, grpc::ServerWriter<v1::BlobChunk>& writer) {
      for (const std::string& blob : {artifact, parameters}) {
        if (request.digest() != Digest::Of(blob).AsBytes()) continue;
        v1::BlobChunk chunk;
        wire::MakeChunk(blob, request.offset(), chunk);
        writer.Write(chunk);
        return grpc::Status::OK;
      }
      return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such blob");
    };
    server.stat = [](v1::StatBlobReply&) { return grpc::Status::OK; };
    server.put = [](grpc::ServerReader<v1::PutBlobRequest>& reader, v1::StatBlobReply& reply) {
      v1::PutBlobRequest request;
      while (reader.Read(&request)) {
      }
      reply.set_complete(true);
      return grpc::Status::OK;
    };
  }

  absl::Status Run(std::stop_token stop = {}) {
    stub = server.NewStub();
    ClientSession session(*stub, *participant, std::move(stop));
    absl::Status outcome = session.Run();
    server.Settle();
    return outcome;
  }
  static v1::ServerMessage Welcome(const Plan& plan) {
    v1::ServerMessage message;
    wire::SetVersion(*message.mutable_welcome()->mutable_version());
    wire::ToWire(plan, *message.mutable_welcome()->mutable_plan());
    message.mutable_welcome()->set_session_token("token");
    return message;
  }
  static v1::ServerMessage Message(const Task& task) {
    v1::ServerMessage message;
    wire::ToWire(task, message);
    return message;
  }
  // Reads until the client has nothing more to say.
  static void ReadToTheEnd(Stream& stream) {
    v1::ClientMessage message;
    while (stream.Read(&message)) {
    }
  }
  // A session in which the server says hello back and ends the run with `outcome`.
  void EndWith(const absl::Status& outcome) {
    server.session = [=](Stream& stream) {
      v1::ClientMessage message;
      stream.Read(&message);
      stream.Write(Welcome(test::SmallPlan()));
      stream.Write(Message(FinishTask{outcome}));
      ReadToTheEnd(stream);
      return grpc::Status::OK;
    };
  }

  const test::TempFolder folder;
  test::FakeBackend backend;
  const std::string artifact = *SerializeArtifact(test::LinearArtifact(2));
  const std::string parameters = ParameterVector(*test::LinearArtifact(2).TrainableSchema()).Serialize();
  std::unique_ptr<Participant> participant;
  ScriptedServer server;
  std::unique_ptr<v1::Federation::Stub> stub;
};

TEST_F(ClientSessionTest, SaysHelloAndTrains) {
  v1::ClientMessage hello;
  v1::ClientMessage update;
  server.session = [&](Stream& stream) {
    stream.Read(&hello);
    stream.Write(Welcome(test::SmallPlan()));
    stream.Write(Message(TrainTask{0, Digest::Of(parameters)}));
    stream.Read(&update);
    stream.Write(Message(FinishTask{absl::OkStatus()}));
    ReadToTheEnd(stream);
    return grpc::Status::OK;
  };
  EXPECT_TRUE(Run().ok());
  EXPECT_EQ(hello.hello().client(), "clinic");
  EXPECT_TRUE(hello.hello().trains());
  EXPECT_FALSE(hello.hello().evaluates());
  EXPECT_EQ(wire::FromWire(update.update())->steps, 3);
}

TEST_F(ClientSessionTest, TheEndOfTheRunIsItsOutcome) {
  EndWith(absl::OkStatus());
  EXPECT_TRUE(Run().ok());
  EndWith(absl::CancelledError("the coordinator was stopped"));
  EXPECT_TRUE(FailsWith(Run(), absl::StatusCode::kCancelled, {"ended early", "the coordinator was stopped"}));
  for (const absl::Status& outcome : {absl::DeadlineExceededError("too few"), absl::UnavailableError("too few"),
                                      absl::UnauthenticatedError("too few"), absl::InternalError("too few")}) {
    EndWith(outcome);
    EXPECT_TRUE(FailsWith(Run(), kRefused, {"ended early: too few"})) << outcome;
  }
}

TEST_F(ClientSessionTest, ARefusalIsFinalHoweverItIsPut) {
  for (const auto code :
       {grpc::StatusCode::INVALID_ARGUMENT, grpc::StatusCode::PERMISSION_DENIED, grpc::StatusCode::UNAUTHENTICATED,
        grpc::StatusCode::FAILED_PRECONDITION, grpc::StatusCode::ABORTED}) {
    server.session = [=](Stream&) { return grpc::Status(code, "not you"); };
    EXPECT_TRUE(FailsWith(Run(), kRefused, {"the coordinator refused: not you"}));
  }
}

TEST_F(ClientSessionTest, ABrokenConnectionMayBeTriedAgain) {
  for (const auto code : {grpc::StatusCode::OK, grpc::StatusCode::UNAVAILABLE, grpc::StatusCode::CANCELLED,
                          grpc::StatusCode::INTERNAL, grpc::StatusCode::UNKNOWN, grpc::StatusCode::DEADLINE_EXCEEDED}) {
    server.session = [=](Stream&) { return grpc::Status(code, ""); };
    EXPECT_EQ(Run().code(), absl::StatusCode::kUnavailable) << code;
  }
}

TEST_F(ClientSessionTest, AServerOfAnotherKindIsNamedAsSuch) {
  server.session = nullptr;
  EXPECT_TRUE(FailsWith(Run(), kRefused, {"no Tacit coordinator"}));
}

TEST_F(ClientSessionTest, ACoordinatorOfAnotherMajorVersionIsRefused) {
  server.session = [](Stream& stream) {
    v1::ServerMessage welcome = Welcome(test::SmallPlan());
    welcome.mutable_welcome()->mutable_version()->set_major(2);
    stream.Write(welcome);
    ReadToTheEnd(stream);
    return grpc::Status::OK;
  };
  EXPECT_TRUE(FailsWith(Run(), kRefused, {"version 2.0"}));
}

TEST_F(ClientSessionTest, ATaskBeforeTheWelcomeIsRefused) {
  server.session = [](Stream& stream) {
    stream.Write(Message(TrainTask{0, Digest()}));
    ReadToTheEnd(stream);
    return grpc::Status::OK;
  };
  EXPECT_TRUE(FailsWith(Run(), kRefused, {"before its welcome"}));
}

TEST_F(ClientSessionTest, APlanThatDoesNotSayWhetherItIsPrivateIsRefused) {
  server.session = [](Stream& stream) {
    v1::ServerMessage welcome = Welcome(test::SmallPlan());
    welcome.mutable_welcome()->mutable_plan()->clear_privacy();
    stream.Write(welcome);
    ReadToTheEnd(stream);
    return grpc::Status::OK;
  };
  EXPECT_TRUE(FailsWith(Run(), absl::StatusCode::kInvalidArgument, {"plan.privacy"}));
  EXPECT_EQ(backend.loads(), 0);
}

TEST_F(ClientSessionTest, KindsOfALaterMinorVersionAreReadPast) {
  server.session = [&](Stream& stream) {
    stream.Write(Welcome(test::SmallPlan()));
    stream.Write(v1::ServerMessage());
    stream.Write(Message(FinishTask{absl::OkStatus()}));
    ReadToTheEnd(stream);
    return grpc::Status::OK;
  };
  EXPECT_TRUE(Run().ok());
}

TEST_F(ClientSessionTest, ARoundThatClosedMeanwhileIsPassedOver) {
  server.session = [&](Stream& stream) {
    stream.Write(Welcome(test::SmallPlan()));
    stream.Write(Message(TrainTask{0, Digest::Of("of an earlier round")}));
    stream.Write(Message(FinishTask{absl::OkStatus()}));
    ReadToTheEnd(stream);
    return grpc::Status::OK;
  };
  EXPECT_TRUE(Run().ok());
  EXPECT_EQ(backend.gradient_calls(), 0);
}

// The session has ended, and the coordinator knows it before the client: its blob calls are no longer known.
TEST_F(ClientSessionTest, ABlobCallOfASessionThatHasEndedIsABrokenConnection) {
  server.put = [](auto&, auto&) { return grpc::Status(grpc::StatusCode::UNAUTHENTICATED, "no open session"); };
  server.session = [&](Stream& stream) {
    stream.Write(Welcome(test::SmallPlan()));
    stream.Write(Message(TrainTask{0, Digest::Of(parameters)}));
    ReadToTheEnd(stream);
    return grpc::Status::OK;
  };
  EXPECT_EQ(Run().code(), absl::StatusCode::kUnavailable);
}

TEST_F(ClientSessionTest, TheRunsEndStopsATaskInHand) {
  test::Gate training;
  server.session = [&](Stream& stream) {
    stream.Write(Welcome(test::SmallPlan()));
    stream.Write(Message(TrainTask{0, Digest::Of(parameters)}));
    training.AwaitArrivals(1);
    stream.Write(Message(FinishTask{absl::CancelledError("stopped")}));
    training.Open();
    ReadToTheEnd(stream);
    return grpc::Status::OK;
  };
  backend.before_gradient = [&](int64_t) {
    training.Pass();
    return absl::OkStatus();
  };
  EXPECT_EQ(Run().code(), absl::StatusCode::kCancelled);
}

TEST_F(ClientSessionTest, AStopEndsTheSession) {
  std::stop_source stop;
  server.session = [&](Stream& stream) {
    stream.Write(Welcome(test::SmallPlan()));
    stop.request_stop();
    ReadToTheEnd(stream);
    return grpc::Status::OK;
  };
  EXPECT_EQ(Run(stop.get_token()).code(), absl::StatusCode::kCancelled);
}

TEST_F(ClientSessionTest, ASessionThatIsToldToStopBeforehandEndsAtOnce) {
  std::stop_source stop;
  stop.request_stop();
  server.session = [&](Stream& stream) {
    ReadToTheEnd(stream);
    return grpc::Status::OK;
  };
  EXPECT_EQ(Run(stop.get_token()).code(), absl::StatusCode::kCancelled);
}

// What a session declines with goes to the coordinator: policy may be said, the data must not be.
class DpRules : public ClientSessionTest {
 protected:
  absl::Status RunAndTakeDecline(v1::ClientMessage& decline) {
    server.session = [&](Stream& stream) {
      stream.Read(&decline);
      stream.Write(Welcome(test::SmallPlan()));
      stream.Write(Message(TrainTask{0, Digest::Of(parameters)}));
      stream.Read(&decline);
      ReadToTheEnd(stream);
      return grpc::Status::OK;
    };
    return Run();
  }
};

TEST_F(DpRules, Rule09_ADeclineNeverQuotesTheData) {
  for (const absl::Status& error :
       {absl::InvalidArgumentError("row 17: label 42 is out of range"), absl::DataLossError("row 17 holds 42"),
        absl::OutOfRangeError("row 17 holds 42"), absl::InternalError("at row 17: 42")}) {
    backend.before_gradient = [&](int64_t) { return error; };
    v1::ClientMessage decline;
    EXPECT_EQ(RunAndTakeDecline(decline), error);  // the data holder hears all of it
    ASSERT_TRUE(decline.has_decline());
    EXPECT_EQ(decline.decline().reason().find("17"), std::string::npos) << decline.decline().reason();
    EXPECT_EQ(decline.decline().reason().find("42"), std::string::npos);
    EXPECT_FALSE(decline.decline().reason().empty());
  }
}

TEST_F(DpRules, Rule08_ADeclineByPolicySaysWhatIsNotAllowed) {
  config::ClientConfig config = test::LoopbackTrainer("clinic", folder.File("data.csv"));
  config.budget.allow_non_private = false;
  participant = *Participant::Create(config, backend);
  v1::ClientMessage decline;
  EXPECT_EQ(RunAndTakeDecline(decline).code(), kRefused);
  ASSERT_TRUE(decline.has_decline());
  EXPECT_NE(decline.decline().reason().find("allow_non_private"), std::string::npos);
}

}  // namespace
}  // namespace tacit::rpc
