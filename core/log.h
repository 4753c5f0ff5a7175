#pragma once

#include <concepts>
#include <initializer_list>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tacit {

enum class LogLevel { kDebug, kInfo, kWarning, kError, kOff };

// One line on stderr: time, level, event, then key=value pairs. Never data values, gradients or secrets. Thread-safe.
struct LogField {
  LogField(absl::string_view key, const absl::AlphaNum& value) : key(key), value(value.Piece()) {}
  template <std::same_as<bool> Bool>  // or every pointer would do
  LogField(absl::string_view key, Bool value) : key(key), value(value ? "true" : "false") {}
  std::string key;
  std::string value;
};
void Log(LogLevel level, absl::string_view event, std::initializer_list<LogField> fields = {});
void SetLogLevel(LogLevel level);
// "debug", "info", "warning", "error", "off".
absl::Status SetLogLevel(absl::string_view name);

}  // namespace tacit
