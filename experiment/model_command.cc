#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/command_line/config_options.h"
#include "core/config/experiment_config.h"
#include "core/file.h"
#include "core/status.h"
#include "experiment/commands.h"
#include "experiment/load_model.h"

namespace tacit::experiment {
namespace {

struct BuildOptions {
  command_line::ConfigOptions config;
  std::string out;
};

absl::Status Build(const BuildOptions& options) {
  TACIT_ASSIGN_OR_RETURN(const config::Source source, options.config.Source());
  TACIT_ASSIGN_OR_RETURN(const config::ExperimentConfig config, config::ReadConfig<config::ExperimentConfig>(source));
  if (options.config.Answer(config)) return absl::OkStatus();
  TACIT_ASSIGN_OR_RETURN(const ModelArtifact artifact, LoadModel(config.model, static_cast<uint64_t>(config.seed)));
  TACIT_ASSIGN_OR_RETURN(const std::string bytes, SerializeArtifact(artifact));
  TACIT_RETURN_IF_ERROR(WriteFileAtomically(options.out, bytes));
  std::printf("%s: %zu bytes, sha256 %s\n", options.out.c_str(), bytes.size(), Digest::Of(bytes).hex().c_str());
  return absl::OkStatus();
}

const char* RoleName(TensorRole role) {
  switch (role) {
    case TensorRole::kTrainable:
      return "trainable";
    case TensorRole::kFrozen:
      return "frozen";
    case TensorRole::kBuffer:
      return "buffer";
  }
  return "";
}

std::string ShapeText(const Shape& shape) { return absl::StrCat("[", absl::StrJoin(shape, ", "), "]"); }

absl::Status Inspect(const std::string& path) {
  TACIT_ASSIGN_OR_RETURN(const ModelArtifact artifact, ReadArtifactFile(path));
  TACIT_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, kMaxArtifactBytes));
  TACIT_ASSIGN_OR_RETURN(const std::shared_ptr<const Schema> schema, artifact.TrainableSchema());
  std::printf("sha256     %s\nloss       %s\nparameters %lld trainable\n", Digest::Of(bytes).hex().c_str(),
              artifact.loss.c_str(), static_cast<long long>(schema->size()));
  for (const InputSpec& input : artifact.inputs) {
    std::printf("input      %s %s %s\n", input.name.c_str(), std::string(DTypeName(input.dtype)).c_str(),
                ShapeText(input.example_shape).c_str());
  }
  for (const ArtifactTensor& tensor : artifact.tensors) {
    std::printf("%-10s %s %s %s\n", RoleName(tensor.role), tensor.name.c_str(),
                std::string(DTypeName(tensor.value.dtype())).c_str(), ShapeText(tensor.value.shape()).c_str());
  }
  return absl::OkStatus();
}

}  // namespace

void AddModelCommand(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("model", "make and look into model artifacts");
  command->require_subcommand(1);
  CLI::App* build = command->add_subcommand("build", "write the model that an experiment starts from");
  auto options = std::make_shared<BuildOptions>();
  options->config.AddTo(*build, /*positional=*/true);
  build->add_option("--out", options->out, "file to write")->required()->type_name("FILE");
  build->callback([options, &run] { run = [options] { return Build(*options); }; });

  CLI::App* inspect = command->add_subcommand("inspect", "what an artifact holds");
  auto path = std::make_shared<std::string>();
  inspect->add_option("model", *path, "model artifact")->required()->type_name("MODEL");
  inspect->callback([path, &run] { run = [path] { return Inspect(*path); }; });
}

}  // namespace tacit::experiment
