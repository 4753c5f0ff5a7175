#include "core/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <utility>

namespace tacit {
namespace {

spdlog::logger& Logger() {
  static const std::shared_ptr<spdlog::logger> logger = [] {
    auto made = spdlog::stderr_color_mt("tacit");
    made->set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %^%l%$ %v");
    return made;
  }();
  return *logger;
}

spdlog::level::level_enum Translate(LogLevel level) {
  switch (level) {
    case LogLevel::kDebug:
      return spdlog::level::debug;
    case LogLevel::kInfo:
      return spdlog::level::info;
    case LogLevel::kWarning:
      return spdlog::level::warn;
    case LogLevel::kError:
      return spdlog::level::err;
    case LogLevel::kOff:
      return spdlog::level::off;
  }
  return spdlog::level::info;
}

// A value with spaces, quotes or control characters is quoted, so that a line stays one line and splits on spaces.
std::string Quoted(const std::string& value) {
  if (!value.empty() && value.find_first_of(" \"\\\n\r\t=") == std::string::npos) return value;
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
  }
  return quoted + "\"";
}

}  // namespace

void Log(LogLevel level, absl::string_view event, std::initializer_list<LogField> fields) {
  if (!Logger().should_log(Translate(level))) return;
  std::string line(event);
  for (const LogField& field : fields) absl::StrAppend(&line, " ", field.key, "=", Quoted(field.value));
  Logger().log(Translate(level), "{}", line);
}

void SetLogLevel(LogLevel level) { Logger().set_level(Translate(level)); }

absl::Status SetLogLevel(absl::string_view name) {
  constexpr std::pair<absl::string_view, LogLevel> kNames[] = {{"debug", LogLevel::kDebug},
                                                               {"info", LogLevel::kInfo},
                                                               {"warning", LogLevel::kWarning},
                                                               {"error", LogLevel::kError},
                                                               {"off", LogLevel::kOff}};
  for (const auto& [known, level] : kNames) {
    if (known == name) {
      SetLogLevel(level);
      return absl::OkStatus();
    }
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown log level '", name, "'; one of debug, info, warning, error, off"));
}

}  // namespace tacit
