#pragma once

#include <stop_token>
#include <string>

#include "absl/status/status.h"
#include "core/config/experiment_config.h"
#include "model/api/model_backend.h"
#include "server/round/run_observer.h"

namespace tacit::experiment {

struct RunOptions {
  std::string output;
  bool overwrite = false;
  coordinator::RunObserver* observer = nullptr;  // may be null
};

// A whole federation in this process: the coordinator and its clients as the programs run them, each client in a thread
// of its own, over gRPC on loopback. Errors as rpc::ServerRuntime and rpc::RunClient, naming the client; Cancelled when
// `stop` was asked for.
absl::Status RunExperiment(const config::ExperimentConfig& config, const RunOptions& options,
                           const model::ModelBackend& backend, std::stop_token stop);

}  // namespace tacit::experiment
