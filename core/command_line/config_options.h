#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/config/config_file.h"

namespace CLI {
class App;
}

namespace tacit::command_line {

inline constexpr char kVersion[] = TACIT_VERSION;

// The options that every program with a config file has, and what they lead to: flags win over the environment, which
// wins over the file.
class ConfigOptions {
 public:
  // Adds --set, --check-config, --print-config and --log-level to `app`, and the config file itself: as the option
  // --config or, with `positional`, as the first argument.
  void AddTo(CLI::App& app, bool positional);

  // Applies --log-level and says where to read the config.
  absl::StatusOr<config::Source> Source() const;

  // After the config was read: prints it if asked to. Whether the program should end here, successfully.
  template <typename Config>
  bool Answer(const Config& config) const {
    return AnswerWith(print_config_ ? config::PrintConfig(config) : "");
  }

 private:
  bool AnswerWith(const std::string& printed) const;
  std::string path_;
  std::vector<std::string> set_;
  std::string log_level_;
  bool check_config_ = false;
  bool print_config_ = false;
};

// Parses the command line. A program's exit code when it should end now (--help, --version, or a mistake, which is
// reported as one line on stderr), nothing when it should go on.
std::optional<int> ParseCommandLine(CLI::App& app, const char* program, int argc, char** argv);

}  // namespace tacit::command_line
