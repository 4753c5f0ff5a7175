// Whole federations over gRPC on loopback, without LibTorch: what the parts promise one another. Nothing here waits for
// time to pass; threads meet at gates.
#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <condition_variable>
#include <filesystem>
#include <mutex>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/integration/federation_fixture.h"
#include "tests/support/gate.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::rpc {
namespace {

using ::testing::SizeIs;
constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;

class FederationTest : public FederationFixture {};

// Lets clients train one after the other, in every round, in the order given.
class Turns {
 public:
  Turns(std::vector<int> order, int64_t steps) : order_(std::move(order)), steps_(steps) {}

  // To be called before every gradient of client `client`.
  absl::Status Wait(int client, int64_t calls_before) {
    std::unique_lock lock(mutex_);
    if (calls_before % steps_ == 0) {
      changed_.wait(lock, [&] { return order_[next_ % order_.size()] == client; });
    }
    if (calls_before % steps_ == steps_ - 1) {
      ++next_;
      changed_.notify_all();
    }
    return absl::OkStatus();
  }

 private:
  const std::vector<int> order_;
  const int64_t steps_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t next_ = 0;
};

TEST_F(FederationTest, ARunCompletes) {
  config::ServerConfig config = test::LoopbackServer(3, 4, Output());
  config.federation.evaluators = 1;
  config.federation.evaluate_every = 2;
  test::RecordingObserver observer;
  const auto server = Start(config, &observer);
  RunningClient a(Trainer(1, *server), backend);
  RunningClient b(Trainer(2, *server), backend);
  RunningClient c(Trainer(3, *server), backend);
  RunningClient e(Evaluator(*server), backend);
  EXPECT_TRUE(server->Wait().ok());
  for (RunningClient* client : {&a, &b, &c, &e}) EXPECT_TRUE(client->Join().ok()) << client->Join();
  const auto rounds = observer.rounds();
  ASSERT_THAT(rounds, SizeIs(4));
  EXPECT_FALSE(rounds[0].evaluation.has_value());
  ASSERT_TRUE(rounds[3].evaluation.has_value());
  EXPECT_EQ(rounds[3].evaluation->examples, 40);
  EXPECT_LT(rounds[3].evaluation->loss, rounds[1].evaluation->loss);
  EXPECT_TRUE(rounds[0].training_loss.has_value());
  for (const char* file : {"config.toml", "metrics.jsonl", "summary.json", "model.tacit"}) {
    EXPECT_TRUE(std::filesystem::exists(Output() + "/" + file)) << file;
  }
}

class ReproducibilityTest : public FederationFixture {
 protected:
  // The final model's bytes.
  std::string Run(const std::string& output, bool is_private, const std::vector<int>& order) {
    config::ServerConfig config = test::LoopbackServer(3, 3, Output(output));
    if (is_private) {
      config.privacy.mode = "example-level";
      config.privacy.epsilon = 5;
      config.privacy.delta = 1e-5;
      config.privacy.clip_norm = 1;
    }
    const auto server = Start(config);
    Turns turns(order, config.training.steps_per_round);
    std::vector<std::unique_ptr<test::FakeBackend>> backends;
    std::vector<std::unique_ptr<RunningClient>> clients;
    for (const int i : order) {
      backends.push_back(std::make_unique<test::FakeBackend>());
      backends.back()->before_gradient = [&turns, i](int64_t calls) { return turns.Wait(i, calls); };
      config::ClientConfig client = Trainer(i, *server);
      client.data->nominal_examples = 40;
      client.testing.insecure_test_noise_seed = 11;
      clients.push_back(std::make_unique<RunningClient>(std::move(client), *backends.back()));
    }
    EXPECT_TRUE(server->Wait().ok());
    for (const auto& client : clients) EXPECT_TRUE(client->Join().ok()) << client->Join();
    return *ReadFile(Output(output) + "/model.tacit", 1 << 20);
  }
};

TEST_F(ReproducibilityTest, TheSameSeedsGiveTheSameModelBitForBitInWhateverOrder) {
  for (const bool is_private : {false, true}) {
    const std::string prefix = is_private ? "private" : "plain";
    const std::string first = Run(prefix + "-1", is_private, {1, 2, 3});
    EXPECT_EQ(Run(prefix + "-2", is_private, {1, 2, 3}), first);
    EXPECT_EQ(Run(prefix + "-3", is_private, {3, 1, 2}), first);
    EXPECT_EQ(Run(prefix + "-4", is_private, {2, 3, 1}), first);
  }
}

TEST_F(FederationTest, APrivateRunSpendsWithinItsBudgetAndSaysSo) {
  config::ServerConfig config = test::LoopbackServer(1, 3, Output());
  config.privacy.mode = "example-level";
  config.privacy.epsilon = 2;
  config.privacy.delta = 1e-5;
  config.privacy.clip_norm = 1;
  test::RecordingObserver observer;
  const auto server = Start(config, &observer);
  config::ClientConfig client = Trainer(1, *server);
  client.budget.allow_non_private = false;
  client.data->nominal_examples = 35;
  RunningClient a(client, backend);
  EXPECT_TRUE(server->Wait().ok());
  EXPECT_TRUE(a.Join().ok()) << a.Join();
  const auto rounds = observer.rounds();
  ASSERT_THAT(rounds, SizeIs(3));
  const PrivacySpend spend = *rounds.back().trainers.front().spend;
  EXPECT_LE(spend.epsilon, 2);
  EXPECT_GT(spend.epsilon, 1.9);
  EXPECT_TRUE(spend.secure_noise);
  EXPECT_FALSE(rounds.back().training_loss.has_value());
}

TEST_F(FederationTest, ATrainerWhosePolicyRefusesEndsTheRunWithItsReason) {
  const auto server = Start(test::LoopbackServer(2, 2, Output()));
  config::ClientConfig strict = Trainer(1, *server);
  strict.budget.allow_non_private = false;
  RunningClient a(strict, backend);
  EXPECT_TRUE(FailsWith(server->Wait(), kRefused, {"'trainer-1' declined", "allow_non_private"}));
  EXPECT_TRUE(FailsWith(a.Join(), kRefused, {"allow_non_private"}));
}

TEST_F(FederationTest, ATrainerKilledWithinARoundComesBackAndTheRunCompletes) {
  test::RecordingObserver observer;
  const auto server = Start(test::LoopbackServer(2, 3, Output()), &observer);
  test::Gate gate;
  test::FakeBackend held;
  held.before_gradient = [&](int64_t calls) {
    if (calls == 2) gate.Pass();  // the second round
    return absl::OkStatus();
  };
  RunningClient a(Trainer(1, *server), backend);
  auto b = std::make_unique<RunningClient>(Trainer(2, *server), held);
  gate.AwaitArrivals(1);
  b->Stop();
  gate.Open();
  EXPECT_EQ(b->Join().code(), absl::StatusCode::kCancelled);
  RunningClient again(Trainer(2, *server), backend);
  EXPECT_TRUE(server->Wait().ok());
  EXPECT_TRUE(a.Join().ok()) << a.Join();
  EXPECT_TRUE(again.Join().ok()) << again.Join();
  for (const auto& round : observer.rounds()) EXPECT_THAT(round.trainers, SizeIs(2));
}

TEST_F(FederationTest, AStoppedServerEndsItsClientsAsCancelled) {
  const auto server = Start(test::LoopbackServer(2, 3, Output()));
  test::Gate gate;
  backend.before_gradient = [&](int64_t) {
    gate.Pass();
    return absl::OkStatus();
  };
  RunningClient a(Trainer(1, *server), backend);
  RunningClient b(Trainer(2, *server), backend);
  gate.AwaitArrivals(2);
  server->Stop(absl::CancelledError("the coordinator was stopped"));
  gate.Open();
  EXPECT_EQ(server->Wait(), absl::CancelledError("the coordinator was stopped"));
  for (RunningClient* client : {&a, &b}) {
    EXPECT_TRUE(FailsWith(client->Join(), absl::StatusCode::kCancelled, {"the coordinator was stopped"}));
  }
}

TEST_F(FederationTest, ClientsGoOnWithAServerThatWasStartedAgain) {
  config::ServerConfig config = test::LoopbackServer(2, 2, Output("first"));
  auto first = Start(config);
  test::Gate gate;
  backend.before_gradient = [&](int64_t) {
    gate.Pass();
    return absl::OkStatus();
  };
  config.listen = AddressOf(*first);
  RunningClient a(Trainer(1, *first), backend);
  RunningClient b(Trainer(2, *first), backend);
  gate.AwaitArrivals(2);
  first = nullptr;  // without a goodbye, as if killed
  config.output = Output("second");
  const auto second = Start(config);
  gate.Open();
  EXPECT_TRUE(second->Wait().ok());
  EXPECT_TRUE(a.Join().ok()) << a.Join();
  EXPECT_TRUE(b.Join().ok()) << b.Join();
}

TEST_F(FederationTest, TwoClientsOfOneNameAreToldSo) {
  test::RecordingObserver observer;
  const auto server = Start(test::LoopbackServer(2, 2, Output()), &observer);
  RunningClient first(Trainer(1, *server), backend);
  observer.AwaitJoined(1);
  RunningClient second(Trainer(1, *server), backend);
  EXPECT_TRUE(FailsWith(first.Join(), kRefused, {"another client joined as 'trainer-1'"}));
  RunningClient other(Trainer(2, *server), backend);
  EXPECT_TRUE(server->Wait().ok());
  EXPECT_TRUE(second.Join().ok()) << second.Join();
  EXPECT_TRUE(other.Join().ok()) << other.Join();
}

TEST_F(FederationTest, AClientWithoutItsDataDoesNotEvenConnect) {
  config::ClientConfig config = test::LoopbackTrainer("trainer-1", folder.File("missing.csv"));
  config.server = "127.0.0.1:1";
  EXPECT_TRUE(FailsWith(RunClient(config, backend, {}), absl::StatusCode::kNotFound, {"missing.csv"}));
}

TEST_F(FederationTest, AServerThatIsNotThereIsNamed) {
  config::ClientConfig config = test::LoopbackTrainer("trainer-1", Csv(1));
  config.server = "127.0.0.1:1";
  config.give_up_after_seconds = 0;
  EXPECT_TRUE(FailsWith(RunClient(config, backend, {}), absl::StatusCode::kUnavailable,
                        {"127.0.0.1:1", "gave up", "Is tacit-server running"}));
}

TEST_F(FederationTest, AClientThatCannotConnectStopsWhenAsked) {
  config::ClientConfig config = test::LoopbackTrainer("trainer-1", Csv(1));
  config.server = "127.0.0.1:1";
  config.give_up_after_seconds = 1e6;
  RunningClient client(config, backend);
  client.Stop();
  EXPECT_EQ(client.Join().code(), absl::StatusCode::kCancelled);
}

TEST_F(FederationTest, ATakenPortIsNamedAndLeavesNoOutput) {
  const auto server = Start(test::LoopbackServer(1, 1, Output("first")));
  config::ServerConfig config = test::LoopbackServer(1, 1, Output("second"));
  config.listen = AddressOf(*server);
  EXPECT_TRUE(FailsWith(TryStart(config).status(), absl::StatusCode::kUnavailable, {config.listen, "taken"}));
  EXPECT_FALSE(std::filesystem::exists(Output("second")));
}

TEST_F(FederationTest, AFailedStartLeavesAnEarlierRunsResultsAlone) {
  ASSERT_TRUE(WriteFileAtomically(Output() + "/summary.json", "an earlier run").ok());
  const auto server = Start(test::LoopbackServer(1, 1, Output("other")));
  config::ServerConfig config = test::LoopbackServer(1, 1, Output());
  config.listen = AddressOf(*server);
  const auto failed =
      ServerRuntime::Start(config, {.overwrite_output = true, .artifact = *SerializeArtifact(test::LinearArtifact(2))});
  EXPECT_EQ(failed.status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(*ReadFile(Output() + "/summary.json", 100), "an earlier run");
}

TEST_F(FederationTest, WhatIsWrongWithTheModelIsSaidAtTheStart) {
  config::ServerConfig config = test::LoopbackServer(1, 1, Output());
  config.model = folder.File("missing.tacit");
  EXPECT_TRUE(FailsWith(ServerRuntime::Start(config, {}).status(), absl::StatusCode::kNotFound, {"missing.tacit"}));
  ASSERT_TRUE(WriteFileAtomically(config.model, "not an artifact").ok());
  EXPECT_TRUE(FailsWith(ServerRuntime::Start(config, {}).status(), absl::StatusCode::kDataLoss, {"missing.tacit"}));
}

TEST_F(FederationTest, ARunThatTrainersDoNotJoinEndsAtItsTimeout) {
  config::ServerConfig config = test::LoopbackServer(2, 1, Output());
  config.federation.join_timeout_seconds = 0.001;
  EXPECT_TRUE(FailsWith(Start(config)->Wait(), absl::StatusCode::kDeadlineExceeded, {"only 0 of 2 trainers"}));
}

}  // namespace
}  // namespace tacit::rpc
