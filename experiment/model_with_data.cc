#include "experiment/model_with_data.h"

#include <CLI/CLI.hpp>
#include <filesystem>

#include "core/config/experiment_config.h"
#include "core/status.h"
#include "experiment/derive_configs.h"
#include "experiment/load_model.h"

namespace tacit::experiment {

void ModelWithData::AddTo(CLI::App& command) {
  command.add_option("model", model_path, "model artifact")->required()->type_name("MODEL");
  command
      .add_option("--config", config_path,
                  "experiment that says how data is read; left out: config.toml beside the model")
      ->type_name("FILE");
  command.add_option("--data", data_path, "file with the data; left out: what the experiment evaluated on")
      ->type_name("FILE");
  command.add_option("--targets", target_path, "idx, npy: file with the targets")->type_name("FILE");
  command.add_option("--threads", threads, "threads that LibTorch computes with")->check(CLI::Range(1, 1024));
}

absl::StatusOr<ModelArtifact> ModelWithData::ReadModel() const { return ReadArtifactFile(model_path); }

absl::StatusOr<config::DataConfig> ModelWithData::Data() const {
  std::string path = config_path;
  if (path.empty()) path = (std::filesystem::path(model_path).parent_path() / "config.toml").string();
  TACIT_ASSIGN_OR_RETURN(const config::ExperimentConfig experiment,
                         config::ReadConfig<config::ExperimentConfig>({path, {}}));
  if (data_path.empty()) {
    const std::optional<config::DataConfig> data = EvaluationData(experiment);
    if (!data) return absl::InvalidArgumentError("the experiment evaluated on no data: name a file with --data");
    return *data;
  }
  config::DataConfig data = experiment.data;
  data.path = data_path;
  if (data.target_path) data.target_path = target_path;
  return data;
}

}  // namespace tacit::experiment
