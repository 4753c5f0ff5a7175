#pragma once

#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/config/sections.h"
#include "core/model_artifact.h"

namespace CLI {
class App;
}

namespace tacit::experiment {

// The arguments that `tacit eval` and `tacit predict` share: a trained model, and data read as its experiment read it.
struct ModelWithData {
  std::string model_path;
  std::string config_path;  // empty: config.toml beside the model
  std::string data_path;    // empty: what the experiment evaluated on
  std::string target_path;  // idx, npy
  int64_t threads = 1;

  void AddTo(CLI::App& command);
  absl::StatusOr<ModelArtifact> ReadModel() const;
  // How to read the data. InvalidArgument when the experiment evaluated on nothing and no data was named.
  absl::StatusOr<config::DataConfig> Data() const;
};

}  // namespace tacit::experiment
