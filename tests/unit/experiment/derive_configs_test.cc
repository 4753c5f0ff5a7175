#include "experiment/derive_configs.h"

#include <gtest/gtest.h>

#include <set>

#include "client/data/partition.h"

namespace tacit::experiment {
namespace {

config::ExperimentConfig Experiment() {
  config::ExperimentConfig experiment;
  experiment.name = "an-experiment";
  experiment.seed = 5;
  experiment.threads = 3;
  experiment.federation.trainers = 4;
  experiment.federation.quorum = 2;
  experiment.data.format = "csv";
  experiment.data.path = "data.csv";
  experiment.data.target = "y";
  experiment.evaluation.holdout = 0.2;
  experiment.training.rounds = 7;
  experiment.training.steps_per_round = 3;
  experiment.training.sampling_rate = 0.25;
  experiment.training.optimizer.learning_rate = 0.5;
  experiment.server_optimizer.momentum = 0.5;
  experiment.privacy.mode = "example-level";
  experiment.privacy.epsilon = 3;
  experiment.gradients.backend = "loop";
  experiment.testing.insecure_test_noise_seed = 9;
  return experiment;
}

TEST(DeriveConfigs, TheServerRunsTheExperimentOnLoopback) {
  const config::ServerConfig server = DeriveServerConfig(Experiment());
  EXPECT_EQ(server.run, "an-experiment");
  EXPECT_EQ(server.listen, "127.0.0.1:0");
  EXPECT_FALSE(server.insecure);
  EXPECT_EQ(server.seed, 5);
  EXPECT_EQ(server.federation.trainers, 4);
  EXPECT_EQ(server.federation.quorum, 2);
  EXPECT_EQ(server.federation.evaluators, 1);
  EXPECT_EQ(server.training.rounds, 7);
  EXPECT_EQ(server.training.optimizer.learning_rate, 0.5);
  EXPECT_EQ(server.server_optimizer.momentum, 0.5);
  EXPECT_EQ(server.privacy.epsilon, 3);
}

TEST(DeriveConfigs, EveryTrainerHasItsPartAndItsPublicCount) {
  const auto clients = *DeriveClientConfigs(Experiment(), "127.0.0.1:7", 103);
  ASSERT_EQ(clients.size(), 5u);
  std::set<int64_t> rows;
  for (int i = 0; i < 4; ++i) {
    const config::ClientConfig& client = clients[static_cast<size_t>(i)];
    EXPECT_EQ(client.name, "trainer-" + std::to_string(i + 1));
    EXPECT_EQ(client.server, "127.0.0.1:7");
    EXPECT_EQ(client.threads, 3);
    EXPECT_EQ(client.gradients.backend, "loop");
    EXPECT_EQ(client.testing.insecure_test_noise_seed, 9);
    EXPECT_FALSE(client.budget.allow_non_private);
    EXPECT_FALSE(client.evaluation.has_value());
    EXPECT_EQ(client.data->path, "data.csv");
    const auto share = *data::PartitionRows(103, *client.data->partition);
    EXPECT_EQ(client.data->nominal_examples, static_cast<int64_t>(share.size()));
    rows.insert(share.begin(), share.end());
  }
  const config::ClientConfig& evaluator = clients.back();
  EXPECT_EQ(evaluator.name, "evaluator");
  EXPECT_FALSE(evaluator.data.has_value());
  EXPECT_TRUE(evaluator.evaluation->data_is_public);
  const auto held_out = *data::PartitionRows(103, *evaluator.evaluation->data.partition);
  EXPECT_EQ(held_out.size(), 21u);
  for (const int64_t row : held_out) EXPECT_TRUE(rows.insert(row).second) << "row " << row << " is trained on too";
  EXPECT_EQ(rows.size(), 103u);
}

TEST(DeriveConfigs, WithoutPrivacyTheTrainersAllowIt) {
  config::ExperimentConfig experiment = Experiment();
  experiment.privacy = {};
  experiment.privacy.mode = "none";
  const auto clients = *DeriveClientConfigs(experiment, "127.0.0.1:7", 100);
  for (const config::ClientConfig& client : clients) EXPECT_TRUE(client.budget.allow_non_private);
}

TEST(DeriveConfigs, WithoutEvaluationThereIsNoEvaluator) {
  config::ExperimentConfig experiment = Experiment();
  experiment.evaluation.holdout = 0;
  EXPECT_FALSE(EvaluationData(experiment).has_value());
  EXPECT_EQ(DeriveServerConfig(experiment).federation.evaluators, 0);
  EXPECT_EQ(DeriveClientConfigs(experiment, "127.0.0.1:7", 100)->size(), 4u);
}

TEST(DeriveConfigs, EvaluationDataOfItsOwnIsTakenWhole) {
  config::ExperimentConfig experiment = Experiment();
  experiment.evaluation.holdout = 0;
  experiment.evaluation.data = experiment.data;
  experiment.evaluation.data->path = "test.csv";
  EXPECT_EQ(EvaluationData(experiment)->path, "test.csv");
  EXPECT_FALSE(EvaluationData(experiment)->partition.has_value());
  EXPECT_EQ(DeriveClientConfigs(experiment, "127.0.0.1:7", 100)->back().evaluation->data.path, "test.csv");
}

TEST(DeriveConfigs, TooFewRowsForAllTrainersAreRefused) {
  EXPECT_EQ(DeriveClientConfigs(Experiment(), "127.0.0.1:7", 3).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tacit::experiment
