#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/config/client_config.h"
#include "core/config/experiment_config.h"
#include "core/config/server_config.h"

namespace tacit::experiment {

// The configs with which the programs would run what an experiment runs in one process: a coordinator, the trainers
// trainer-1, trainer-2, ..., and the evaluator.

config::ServerConfig DeriveServerConfig(const config::ExperimentConfig& experiment);

// `server`: the coordinator's address. `rows`: how many examples the data has; each trainer's share of them is public
// in an experiment and becomes its nominal_examples. InvalidArgument when there are too few for all trainers.
absl::StatusOr<std::vector<config::ClientConfig>> DeriveClientConfigs(const config::ExperimentConfig& experiment,
                                                                      const std::string& server, int64_t rows);

// What the model is evaluated on, or nothing.
std::optional<config::DataConfig> EvaluationData(const config::ExperimentConfig& experiment);

}  // namespace tacit::experiment
