#include "core/command_line/config_options.h"

#include <CLI/CLI.hpp>
#include <cstdio>

#include "core/exit_code.h"
#include "core/log.h"
#include "core/status.h"

namespace tacit::command_line {

void ConfigOptions::AddTo(CLI::App& app, bool positional) {
  app.add_option(positional ? "config" : "--config", path_, "configuration file (TOML)")->required()->type_name("FILE");
  app.add_option("--set", set_,
                 "set one key of the configuration, e.g. training.rounds=5; wins over file and environment")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false)
      ->trigger_on_parse(false);
  app.add_flag("--check-config", check_config_, "check the configuration and end");
  app.add_flag("--print-config", print_config_, "print the configuration as it takes effect and end");
  app.add_option("--log-level", log_level_, "debug, info, warning, error or off")->type_name("LEVEL");
}

absl::StatusOr<config::Source> ConfigOptions::Source() const {
  if (!log_level_.empty()) TACIT_RETURN_IF_ERROR(SetLogLevel(absl::string_view(log_level_)));
  config::Source source{path_, config::EnvironmentOverrides()};
  for (const std::string& flag : set_) {
    TACIT_ASSIGN_OR_RETURN(config::Override change, config::ParseSetFlag(flag));
    source.overrides.push_back(std::move(change));
  }
  return source;
}

bool ConfigOptions::AnswerWith(const std::string& printed) const {
  if (print_config_) {
    std::fputs(printed.c_str(), stdout);
  } else if (check_config_) {
    std::printf("%s: ok\n", path_.c_str());
  }
  return print_config_ || check_config_;
}

std::optional<int> ParseCommandLine(CLI::App& app, const char* program, int argc, char** argv) {
  app.set_version_flag("--version", std::string(program) + " " + kVersion);
  try {
    app.parse(argc, argv);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);
    std::fprintf(stderr, "%s: error: %s (see %s --help)\n", program, error.what(), program);
    return static_cast<int>(ExitCode::kUsage);
  }
}

}  // namespace tacit::command_line
