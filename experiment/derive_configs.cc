#include "experiment/derive_configs.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/data/partition.h"
#include "core/status.h"

namespace tacit::experiment {
namespace {

config::PartitionConfig Partition(const config::ExperimentConfig& experiment) {
  config::PartitionConfig partition;
  partition.parts = experiment.federation.trainers;
  partition.holdout = experiment.evaluation.holdout;
  partition.seed = experiment.seed;
  return partition;
}

// What all clients of an experiment have in common.
config::ClientConfig BaseClient(const config::ExperimentConfig& experiment, const std::string& server) {
  config::ClientConfig client;
  client.server = server;
  client.give_up_after_seconds = 5;  // the coordinator is in this process: when it is gone, it is gone
  client.threads = experiment.threads;
  client.budget.allow_non_private = !experiment.privacy.enabled();
  client.gradients = experiment.gradients;
  client.testing = experiment.testing;
  return client;
}

}  // namespace

config::ServerConfig DeriveServerConfig(const config::ExperimentConfig& experiment) {
  config::ServerConfig server;
  server.run = experiment.name;
  server.listen = "127.0.0.1:0";
  server.seed = experiment.seed;
  server.federation = experiment.federation;
  server.federation.evaluators = EvaluationData(experiment) ? 1 : 0;
  server.training = experiment.training;
  server.server_optimizer = experiment.server_optimizer;
  server.privacy = experiment.privacy;
  return server;
}

std::optional<config::DataConfig> EvaluationData(const config::ExperimentConfig& experiment) {
  if (experiment.evaluation.data) return experiment.evaluation.data;
  if (experiment.evaluation.holdout == 0) return std::nullopt;
  config::DataConfig data = experiment.data;
  data.partition = Partition(experiment);
  data.partition->take_holdout = true;
  return data;
}

absl::StatusOr<std::vector<config::ClientConfig>> DeriveClientConfigs(const config::ExperimentConfig& experiment,
                                                                      const std::string& server, int64_t rows) {
  std::vector<config::ClientConfig> clients;
  for (int64_t part = 0; part < experiment.federation.trainers; ++part) {
    config::ClientConfig client = BaseClient(experiment, server);
    client.name = absl::StrCat("trainer-", part + 1);
    client.data = experiment.data;
    client.data->partition = Partition(experiment);
    client.data->partition->part = part;
    TACIT_ASSIGN_OR_RETURN(const std::vector<int64_t> share, data::PartitionRows(rows, *client.data->partition));
    client.data->nominal_examples = static_cast<int64_t>(share.size());
    clients.push_back(std::move(client));
  }
  if (std::optional<config::DataConfig> data = EvaluationData(experiment)) {
    config::ClientConfig evaluator = BaseClient(experiment, server);
    evaluator.name = "evaluator";
    evaluator.evaluation = config::EvaluationDataConfig{.data_is_public = true, .data = *std::move(data)};
    clients.push_back(std::move(evaluator));
  }
  return clients;
}

}  // namespace tacit::experiment
