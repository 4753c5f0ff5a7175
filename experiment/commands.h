#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"

namespace CLI {
class App;
}

// The commands of `tacit`. Each adds itself to the command line; when it is the one given, `run` becomes what to do.
namespace tacit::experiment {

inline constexpr const char* kProgram = "tacit";

using Command = std::function<absl::Status()>;

void AddRunCommand(CLI::App& app, Command& run);
void AddEvalCommand(CLI::App& app, Command& run);
void AddPredictCommand(CLI::App& app, Command& run);
void AddModelCommand(CLI::App& app, Command& run);

}  // namespace tacit::experiment
