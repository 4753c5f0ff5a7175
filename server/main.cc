#include <CLI/CLI.hpp>
#include <cstdlib>

#include "core/command_line/config_options.h"
#include "core/command_line/stop_signal.h"
#include "core/config/server_config.h"
#include "core/exit_code.h"
#include "core/log.h"
#include "core/status.h"
#include "server/rpc/server_runtime.h"

namespace tacit {
namespace {

constexpr const char* kProgram = "tacit-server";

absl::Status Serve(const command_line::ConfigOptions& options, bool overwrite) {
  TACIT_ASSIGN_OR_RETURN(const config::Source source, options.Source());
  TACIT_ASSIGN_OR_RETURN(const config::ServerConfig config, config::ReadConfig<config::ServerConfig>(source));
  if (options.Answer(config)) return absl::OkStatus();
  command_line::StopSignal signal;
  TACIT_ASSIGN_OR_RETURN(
      const std::unique_ptr<rpc::ServerRuntime> server,
      rpc::ServerRuntime::Start(config, {.overwrite_output = overwrite, .config_text = config::PrintConfig(config)}));
  signal.OnStop([&] { server->Stop(absl::CancelledError("the coordinator was stopped")); });
  const absl::Status outcome = server->Wait();
  signal.OnStop(nullptr);
  if (outcome.ok()) Log(LogLevel::kInfo, "run_complete", {{"run", config.run}, {"output", config.output}});
  return outcome;
}

}  // namespace
}  // namespace tacit

int main(int argc, char** argv) {
  // gRPC writes its own lines about what Tacit reports anyway, unless the user wants to see them.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  CLI::App app("The coordinator of a Tacit federation: serves one run from its first trainer to its last round.");
  tacit::command_line::ConfigOptions options;
  options.AddTo(app, /*positional=*/false);
  bool overwrite = false;
  app.add_flag("--overwrite", overwrite, "replace an earlier run's results in the output folder");
  if (const auto code = tacit::command_line::ParseCommandLine(app, tacit::kProgram, argc, argv)) return *code;
  return tacit::Report(tacit::kProgram, tacit::Serve(options, overwrite));
}
