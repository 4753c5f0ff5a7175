#include "core/config/config_file.h"

#include <toml++/toml.h>
#include <unistd.h>

#include <map>
#include <string>
#include <tuple>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/config/field_reader.h"
#include "core/config/field_writer.h"
#include "core/file.h"
#include "core/status.h"

namespace tacit::config {
namespace {

constexpr uint64_t kMaxConfigBytes = 16 << 20;
constexpr absl::string_view kEnvironmentPrefix = "TACIT__";

// The text as a TOML value, or as a string when it isn't one.
toml::table ValueTable(const std::string& text) {
  try {
    return toml::parse(absl::StrCat("value = ", text));
  } catch (const toml::parse_error&) {
    return toml::table{{"value", text}};
  }
}

absl::Status Apply(const Override& change, toml::table& root, std::map<std::string, std::string>& origins) {
  const std::vector<std::string> keys = absl::StrSplit(change.key, '.');
  toml::table* table = &root;
  for (size_t i = 0; i + 1 < keys.size(); ++i) {
    toml::node* next = table->insert(keys[i], toml::table{}).first->second.as_table();
    if (next == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat(change.origin, ": ", change.key, ": '", keys[i], "' is no table"));
    }
    table = next->as_table();
  }
  const toml::table parsed = ValueTable(change.value);
  parsed.get("value")->visit([&](const auto& value) { table->insert_or_assign(keys.back(), value); });
  origins[change.key] = change.origin;
  return absl::OkStatus();
}

absl::StatusOr<toml::table> ParseFile(const std::string& path) {
  TACIT_ASSIGN_OR_RETURN(const std::string text, ReadFile(path, kMaxConfigBytes));
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(path, ":", error.source().begin.line, ": ", std::string(error.description())));
  }
}

}  // namespace

std::vector<Override> EnvironmentOverrides() {
  std::map<std::string, Override> sorted;  // the environment has no order of its own
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const absl::string_view text(*entry);
    const size_t equals = text.find('=');
    if (!absl::StartsWith(text, kEnvironmentPrefix) || equals == absl::string_view::npos) continue;
    const std::string name(text.substr(0, equals));
    std::string key = absl::AsciiStrToLower(name.substr(kEnvironmentPrefix.size()));
    key = absl::StrReplaceAll(key, {{"__", "."}});
    sorted[name] = {key, std::string(text.substr(equals + 1)), name};
  }
  std::vector<Override> overrides;
  for (auto& [name, change] : sorted) overrides.push_back(std::move(change));
  return overrides;
}

absl::StatusOr<Override> ParseSetFlag(absl::string_view flag) {
  const size_t equals = flag.find('=');
  if (equals == absl::string_view::npos || equals == 0) {
    return absl::InvalidArgumentError(absl::StrCat("--set ", flag, ": must be KEY=VALUE"));
  }
  return Override{std::string(flag.substr(0, equals)), std::string(flag.substr(equals + 1)), "--set"};
}

absl::Status Read(const Source& source, absl::FunctionRef<void(FieldVisitor&)> describe) {
  TACIT_ASSIGN_OR_RETURN(toml::table root, ParseFile(source.path));
  std::map<std::string, std::string> origins;
  for (const Override& change : source.overrides) TACIT_RETURN_IF_ERROR(Apply(change, root, origins));
  FieldReader reader(source.path, root, std::move(origins));
  describe(reader);
  const std::vector<std::string> problems = reader.Finish();
  if (problems.empty()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrJoin(problems, "\n"));
}

std::string Print(absl::FunctionRef<void(FieldVisitor&)> describe) {
  FieldWriter writer;
  describe(writer);
  return writer.Finish();
}

}  // namespace tacit::config
