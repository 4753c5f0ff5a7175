// The main job, as a user runs it: real programs, real data.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/integration/programs.h"

namespace tacit::testing {
namespace {

using Json = nlohmann::json;
using ::testing::HasSubstr;

// Repeatable, so that these tests give the same answer every time. Without it they would fail now and then, as one
// seed in six gives an accuracy below 0.95.
const std::vector<std::string> kTestNoise{"--set", "testing.insecure_test_noise_seed=1"};

Json RunExperiment(const std::string& file, const std::string& output, std::vector<std::string> more) {
  std::vector<std::string> command{kTacit, "run", file, "--output", output, "--overwrite"};
  command.insert(command.end(), more.begin(), more.end());
  const Process::Result result = RunProgram(command);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  return Json::parse(ReadAll(output + "/summary.json"));
}

double MedianAccuracy(const std::string& file, int seeds, const std::vector<std::string>& more) {
  TemporaryFolder folder;
  std::vector<double> accuracies;
  for (int seed = 1; seed <= seeds; ++seed) {
    std::vector<std::string> arguments{"--set", "seed=" + std::to_string(seed)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    accuracies.push_back(RunExperiment(file, folder / "out", arguments).at("evaluation").at("accuracy"));
  }
  std::ranges::sort(accuracies);
  return accuracies[seeds / 2];
}

TEST(BreastCancer, LearnsWithPrivacy) {
  EXPECT_GE(MedianAccuracy(kExamples + "breast-cancer/experiment.toml", 5, kTestNoise), 0.95);
}

TEST(BreastCancer, LearnsWithoutPrivacy) {
  EXPECT_GE(MedianAccuracy(kExamples + "breast-cancer/experiment.toml", 5, {"--set", "privacy={mode='none'}"}), 0.97);
}

TEST(BreastCancer, WritesItsResultsAndStatesItsPrivacy) {
  TemporaryFolder folder;
  const Json summary = RunExperiment(kExamples + "breast-cancer/experiment.toml", folder / "out", {});
  EXPECT_EQ(summary.at("outcome"), "complete");
  EXPECT_EQ(summary.at("rounds"), 12);
  const Json& privacy = summary.at("privacy");
  EXPECT_EQ(privacy.at("accountant"), "rdp");
  EXPECT_EQ(privacy.at("neighbouring_relation"), "add or remove one example");
  EXPECT_THAT(std::string(privacy.at("statement")), HasSubstr("differentially private"));
  ASSERT_EQ(summary.at("trainers").size(), 4);
  for (const Json& trainer : summary.at("trainers")) {
    EXPECT_EQ(trainer.at("steps"), 60);
    EXPECT_LE(trainer.at("epsilon"), 3.0);
    EXPECT_GT(trainer.at("epsilon"), 2.99);
    EXPECT_EQ(trainer.at("secure_noise"), true);
    EXPECT_FALSE(trainer.contains("training_loss"));
  }
  EXPECT_EQ(std::ranges::count(ReadAll(folder / "out/metrics.jsonl"), '\n'), 12);
  EXPECT_THAT(ReadAll(folder / "out/metrics.jsonl"), ::testing::Not(HasSubstr("training_loss")));

  // The written model evaluates to what the run's last round said, and the config reads back.
  const Process::Result eval = RunProgram({kTacit, "eval", folder / "out/model.tacit", "--json"});
  ASSERT_EQ(eval.exit_code, 0) << eval.err;
  EXPECT_NEAR(Json::parse(eval.out).at("loss").get<double>(), summary.at("evaluation").at("loss").get<double>(), 1e-9);
  const Process::Result check = RunProgram({kTacit, "run", folder / "out/config.toml", "--check-config"});
  EXPECT_EQ(check.exit_code, 0) << check.err;
}

TEST(BreastCancer, PredictsByName) {
  TemporaryFolder folder;
  RunExperiment(kExamples + "breast-cancer/experiment.toml", folder / "out", {});
  const std::string data = kExamples + "breast-cancer/breast_cancer.csv";
  const Process::Result csv = RunProgram({kTacit, "predict", folder / "out/model.tacit", "--data", data});
  ASSERT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_THAT(csv.out, ::testing::StartsWith("row,prediction,p_benign,p_malignant\n1,malignant,"));
  EXPECT_EQ(std::ranges::count(csv.out, '\n'), 570);
  const Process::Result npy =
      RunProgram({kTacit, "predict", folder / "out/model.tacit", "--data", data, "--out", folder / "p.npy"});
  ASSERT_EQ(npy.exit_code, 0) << npy.err;
  EXPECT_THAT(ReadAll(folder / "p.npy"), HasSubstr("'shape': (569, 2)"));
}

TEST(Mnist, ConvolutionalNetworkLearnsWithPrivacy) {
  TemporaryFolder folder;
  std::vector<std::string> few{"--set", "training.rounds=3"};
  few.insert(few.end(), kTestNoise.begin(), kTestNoise.end());
  const Json summary = RunExperiment(kExamples + "mnist/experiment.toml", folder / "out", few);
  EXPECT_GE(summary.at("evaluation").at("accuracy"), 0.4);
}

// The experiment of examples/deployment and its four programs give the same model, bit for bit.
TEST(Deployment, GivesTheSameModelAsTheExperiment) {
  TemporaryFolder folder;
  const std::string examples = kExamples + "deployment/";
  const Json experiment = RunExperiment(examples + "experiment.toml", folder / "experiment", kTestNoise);

  ASSERT_EQ(
      RunProgram({kTacit, "model", "build", examples + "experiment.toml", "--out", folder / "initial.tacit"}).exit_code,
      0);
  Process server({kServer, "--config", examples + "server.toml", "--set", "listen=127.0.0.1:0", "--set",
                  "model=" + (folder / "initial.tacit"), "--set", "output=" + (folder / "run")});
  ASSERT_TRUE(server.AwaitErr("run=deployment"));
  const std::string port = server.ValueOf("port");
  std::vector<std::unique_ptr<Process>> trainers;
  for (const std::string name : {"trainer-3", "trainer-1", "trainer-2"}) {
    std::vector<std::string> command{kClient, "--config", examples + name + ".toml", "--set",
                                     "server=127.0.0.1:" + port};
    command.insert(command.end(), kTestNoise.begin(), kTestNoise.end());
    trainers.push_back(std::make_unique<Process>(command));
  }
  for (const auto& trainer : trainers) {
    const Process::Result result = trainer->Wait();
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  const Process::Result result = server.Wait();
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json deployment = Json::parse(ReadAll(folder / "run/summary.json"));
  EXPECT_EQ(deployment.at("model_sha256"), experiment.at("model_sha256"));
  EXPECT_EQ(deployment.at("evaluation"), experiment.at("evaluation"));
  EXPECT_EQ(deployment.at("trainers"), experiment.at("trainers"));
}

}  // namespace
}  // namespace tacit::testing
