#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "client/data/dataset.h"
#include "client/trainer/evaluator.h"
#include "core/log.h"
#include "core/status.h"
#include "experiment/commands.h"
#include "experiment/model_with_data.h"
#include "model/torch/runtime.h"
#include "model/torch/torch_backend.h"

namespace tacit::experiment {
namespace {

struct Options {
  ModelWithData input;
  bool json = false;
};

absl::Status Evaluate(const Options& options) {
  SetLogLevel(LogLevel::kWarning);
  TACIT_ASSIGN_OR_RETURN(const ModelArtifact artifact, options.input.ReadModel());
  TACIT_ASSIGN_OR_RETURN(const config::DataConfig data_config, options.input.Data());
  if (data_config.target_path && data_config.target_path->empty()) {
    return absl::InvalidArgumentError("evaluation needs the targets: name their file with --targets");
  }
  TACIT_ASSIGN_OR_RETURN(const data::Dataset dataset, data::LoadDataset(data_config));
  model::ConfigureRuntime(static_cast<int>(options.input.threads));
  const std::unique_ptr<model::ModelBackend> backend = model::MakeTorchBackend();
  TACIT_ASSIGN_OR_RETURN(trainer::Evaluator evaluator, trainer::Evaluator::Create(artifact, dataset, *backend));
  TACIT_ASSIGN_OR_RETURN(const ParameterVector parameters, artifact.TrainableParameters());
  TACIT_ASSIGN_OR_RETURN(const trainer::EvaluationResult result, evaluator.Evaluate(parameters, {}));
  if (options.json) {
    nlohmann::ordered_json json{{"examples", result.examples}, {"loss", result.loss}};
    for (const auto& [name, value] : result.metrics) json[name] = value;
    std::printf("%s\n", json.dump().c_str());
    return absl::OkStatus();
  }
  std::printf("examples %lld\nloss     %.6f\n", static_cast<long long>(result.examples), result.loss);
  for (const auto& [name, value] : result.metrics) std::printf("%s %.6f\n", name.c_str(), value);
  return absl::OkStatus();
}

}  // namespace

void AddEvalCommand(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("eval", "loss and accuracy of a trained model on a data file");
  auto options = std::make_shared<Options>();
  options->input.AddTo(*command);
  command->add_flag("--json", options->json, "print one JSON object");
  command->callback([options, &run] { run = [options] { return Evaluate(*options); }; });
}

}  // namespace tacit::experiment
