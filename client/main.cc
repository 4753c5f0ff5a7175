#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "client/rpc/run_client.h"
#include "core/command_line/config_options.h"
#include "core/command_line/stop_signal.h"
#include "core/config/client_config.h"
#include "core/exit_code.h"
#include "core/log.h"
#include "core/status.h"
#include "model/torch/runtime.h"
#include "model/torch/torch_backend.h"

namespace tacit {
namespace {

constexpr const char* kProgram = "tacit-client";

absl::Status TakePart(const command_line::ConfigOptions& options) {
  TACIT_ASSIGN_OR_RETURN(const config::Source source, options.Source());
  TACIT_ASSIGN_OR_RETURN(const config::ClientConfig config, config::ReadConfig<config::ClientConfig>(source));
  if (options.Answer(config)) return absl::OkStatus();
  command_line::StopSignal signal;
  std::stop_source stop;
  signal.OnStop([&] { stop.request_stop(); });
  model::ConfigureRuntime(static_cast<int>(config.threads));
  model::WarnIfBlasIsSlow();
  const std::unique_ptr<model::ModelBackend> backend = model::MakeTorchBackend();
  const absl::Status outcome = rpc::RunClient(config, *backend, stop.get_token());
  signal.OnStop(nullptr);
  if (outcome.ok()) Log(LogLevel::kInfo, "run_complete");
  return outcome;
}

}  // namespace
}  // namespace tacit

int main(int argc, char** argv) {
  // gRPC writes its own lines about what Tacit reports anyway, unless the user wants to see them.
  setenv("GRPC_VERBOSITY", "NONE", /*overwrite=*/0);
  CLI::App app("A data holder's side of a Tacit federation: trains and evaluates on data that stays on this machine.");
  tacit::command_line::ConfigOptions options;
  options.AddTo(app, /*positional=*/false);
  if (const auto code = tacit::command_line::ParseCommandLine(app, tacit::kProgram, argc, argv)) return *code;
  return tacit::Report(tacit::kProgram, tacit::TakePart(options));
}
