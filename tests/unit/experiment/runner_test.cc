#include "experiment/runner.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/file.h"
#include "core/log.h"
#include "core/model_artifact.h"
#include "tests/support/fake_backend.h"
#include "tests/support/federation.h"
#include "tests/support/recording.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::experiment {
namespace {

class RunnerTest : public ::testing::Test {
 protected:
  RunnerTest() {
    SetLogLevel(LogLevel::kError);
    EXPECT_TRUE(WriteFileAtomically(folder.File("data.csv"), test::LogisticCsv(60, 1)).ok());
    config.name = "small";
    config.federation.trainers = 2;
    config.model.architecture = "linear";
    config.model.input_shape = {2};
    config.model.outputs = 1;
    config.model.loss = test::kLogistic;
    config.data.format = "csv";
    config.data.path = folder.File("data.csv");
    config.data.target = "y";
    config.data.target_type = "value";
    config.evaluation.holdout = 0.25;
    config.training.rounds = 3;
    config.training.steps_per_round = 2;
    config.training.sampling_rate = 0.5;
    config.privacy.mode = "example-level";
    config.privacy.epsilon = 5;
    config.privacy.delta = 1e-4;
    config.privacy.clip_norm = 1;
  }
  absl::Status Run(const std::string& output, std::stop_token stop = {}) {
    return RunExperiment(config, {.output = folder.File(output), .observer = &observer}, backend, std::move(stop));
  }
  std::string ModelOf(const std::string& output) const {
    return *ReadFile(folder.File(output) + "/model.tacit", 1 << 20);
  }
  const test::TempFolder folder;
  config::ExperimentConfig config;
  test::FakeBackend backend;
  test::RecordingObserver observer;
};

TEST_F(RunnerTest, AWholeExperimentRuns) {
  ASSERT_TRUE(Run("out").ok());
  ASSERT_EQ(observer.rounds().size(), 3u);
  EXPECT_EQ(observer.rounds().back().trainers.size(), 2u);
  EXPECT_EQ(observer.rounds().back().evaluation->examples, 15);
  EXPECT_TRUE(ParseArtifact(ModelOf("out")).ok());
  EXPECT_NE(ReadFile(folder.File("out/config.toml"), 1 << 20)->find("[privacy]"), std::string::npos);
}

TEST_F(RunnerTest, WithTestNoiseItRepeatsBitForBit) {
  config.testing.insecure_test_noise_seed = 4;
  ASSERT_TRUE(Run("first").ok());
  ASSERT_TRUE(Run("second").ok());
  EXPECT_EQ(ModelOf("first"), ModelOf("second"));
  config.testing.insecure_test_noise_seed = 5;
  ASSERT_TRUE(Run("third").ok());
  EXPECT_NE(ModelOf("first"), ModelOf("third"));
}

TEST_F(RunnerTest, WithSecureNoiseItDoesNotRepeat) {
  ASSERT_TRUE(Run("first").ok());
  ASSERT_TRUE(Run("second").ok());
  EXPECT_NE(ModelOf("first"), ModelOf("second"));
}

TEST_F(RunnerTest, AClientsFailureIsTheExperimentsNamingTheClient) {
  backend.before_gradient = [](int64_t calls) {
    return calls == 3 ? absl::InternalError("the backend broke") : absl::OkStatus();
  };
  EXPECT_TRUE(FailsWith(Run("out"), absl::StatusCode::kInternal, {"trainer-", "the backend broke"}));
}

TEST_F(RunnerTest, TooFewRowsAreSaidBeforeAnOutputFolderIsMade) {
  config.federation.trainers = 1000;
  EXPECT_EQ(Run("out").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(folder.File("out")));
}

TEST_F(RunnerTest, DataThatIsNotThereIsSaidBeforeAnOutputFolderIsMade) {
  config.data.path = folder.File("missing.csv");
  EXPECT_TRUE(FailsWith(Run("out"), absl::StatusCode::kNotFound, {"missing.csv"}));
  EXPECT_FALSE(std::filesystem::exists(folder.File("out")));
}

TEST_F(RunnerTest, AnEarlierRunIsKept) {
  ASSERT_TRUE(Run("out").ok());
  EXPECT_EQ(Run("out").code(), absl::StatusCode::kAlreadyExists);
}

TEST_F(RunnerTest, AStoppedExperimentIsCancelled) {
  std::stop_source stop;
  backend.before_gradient = [&](int64_t calls) {
    if (calls == 1) stop.request_stop();
    return absl::OkStatus();
  };
  EXPECT_EQ(Run("out", stop.get_token()).code(), absl::StatusCode::kCancelled);
}

}  // namespace
}  // namespace tacit::experiment
