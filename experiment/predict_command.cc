#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/data/dataset.h"
#include "client/data/npy_writer.h"
#include "core/file.h"
#include "core/log.h"
#include "core/status.h"
#include "experiment/commands.h"
#include "experiment/model_with_data.h"
#include "experiment/predictions.h"
#include "model/torch/runtime.h"
#include "model/torch/torch_backend.h"

namespace tacit::experiment {
namespace {

struct Options {
  ModelWithData input;
  std::string out;
};

absl::Status PredictAndWrite(const Options& options) {
  SetLogLevel(LogLevel::kWarning);
  if (!options.out.empty() && !absl::EndsWith(options.out, ".csv") && !absl::EndsWith(options.out, ".npy")) {
    return absl::InvalidArgumentError(absl::StrCat("--out ", options.out, ": must end in .csv or .npy"));
  }
  TACIT_ASSIGN_OR_RETURN(const ModelArtifact artifact, options.input.ReadModel());
  TACIT_ASSIGN_OR_RETURN(const config::DataConfig data_config, options.input.Data());
  TACIT_ASSIGN_OR_RETURN(const data::Dataset dataset, data::LoadInputs(data_config));
  model::ConfigureRuntime(static_cast<int>(options.input.threads));
  const std::unique_ptr<model::ModelBackend> backend = model::MakeTorchBackend();
  TACIT_ASSIGN_OR_RETURN(const HostTensor outputs, Predict(artifact, dataset, *backend));
  if (absl::EndsWith(options.out, ".npy")) {
    TACIT_ASSIGN_OR_RETURN(const std::string npy, data::SerializeNpy(outputs));
    return WriteFileAtomically(options.out, npy);
  }
  TACIT_ASSIGN_OR_RETURN(const std::string csv, PredictionsAsCsv(outputs, artifact.loss, data_config.labels));
  if (!options.out.empty()) return WriteFileAtomically(options.out, csv);
  std::fputs(csv.c_str(), stdout);
  return absl::OkStatus();
}

}  // namespace

void AddPredictCommand(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("predict", "what a trained model says about every example of a data file");
  auto options = std::make_shared<Options>();
  options->input.AddTo(*command);
  command
      ->add_option(
          "--out", options->out,
          "where to write: .csv with classes and probabilities, .npy with the raw outputs; left out: CSV on stdout")
      ->type_name("FILE");
  command->callback([options, &run] { run = [options] { return PredictAndWrite(*options); }; });
}

}  // namespace tacit::experiment
