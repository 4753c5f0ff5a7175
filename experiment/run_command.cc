#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "core/command_line/config_options.h"
#include "core/command_line/stop_signal.h"
#include "core/config/experiment_config.h"
#include "core/log.h"
#include "core/status.h"
#include "experiment/commands.h"
#include "experiment/progress.h"
#include "experiment/runner.h"
#include "model/torch/runtime.h"
#include "model/torch/torch_backend.h"

namespace tacit::experiment {
namespace {

struct Options {
  command_line::ConfigOptions config;
  std::string output;
  bool overwrite = false;
};

absl::Status Run(const Options& options) {
  // What a run shows is its progress; its log only what goes wrong, unless asked for.
  SetLogLevel(LogLevel::kWarning);
  TACIT_ASSIGN_OR_RETURN(const config::Source source, options.config.Source());
  TACIT_ASSIGN_OR_RETURN(const config::ExperimentConfig config, config::ReadConfig<config::ExperimentConfig>(source));
  if (options.config.Answer(config)) return absl::OkStatus();
  RunOptions run;
  run.output = !options.output.empty() ? options.output : config.output.value_or("results/" + config.name);
  run.overwrite = options.overwrite;
  command_line::StopSignal signal;
  std::stop_source stop;
  signal.OnStop([&] { stop.request_stop(); });
  model::ConfigureRuntime(static_cast<int>(config.threads));
  model::WarnIfBlasIsSlow();
  Progress progress(config, isatty(STDOUT_FILENO) == 1);
  run.observer = &progress;
  const std::unique_ptr<model::ModelBackend> backend = model::MakeTorchBackend();
  const absl::Status outcome = RunExperiment(config, run, *backend, stop.get_token());
  signal.OnStop(nullptr);
  if (outcome.ok()) std::fputs(progress.Table(run.output).c_str(), stdout);
  return outcome;
}

}  // namespace

void AddRunCommand(CLI::App& app, Command& run) {
  CLI::App* command = app.add_subcommand("run", "run a whole federation on this machine from one file");
  auto options = std::make_shared<Options>();
  options->config.AddTo(*command, /*positional=*/true);
  command->add_option("--output", options->output, "folder for the results; wins over the configuration")
      ->type_name("FOLDER");
  command->add_flag("--overwrite", options->overwrite, "replace an earlier run's results in the output folder");
  command->callback([options, &run] { run = [options] { return Run(*options); }; });
}

}  // namespace tacit::experiment
