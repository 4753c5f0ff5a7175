#include <CLI/CLI.hpp>
#include <cstdlib>

#include "core/command_line/config_options.h"
#include "core/exit_code.h"
#include "experiment/commands.h"

int main(int argc, char** argv) {
  // gRPC writes its own lines about what Tacit reports anyway, unless the user wants to see them.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  namespace experiment = tacit::experiment;
  CLI::App app("Federated learning with differential privacy: whole federations on one machine, and their models.");
  app.require_subcommand(1);
  experiment::Command run;
  experiment::AddRunCommand(app, run);
  experiment::AddEvalCommand(app, run);
  experiment::AddPredictCommand(app, run);
  experiment::AddModelCommand(app, run);
  if (const auto code = tacit::command_line::ParseCommandLine(app, experiment::kProgram, argc, argv)) return *code;
  return tacit::Report(experiment::kProgram, run());
}
