#include "core/config/field_writer.h"

#include <charconv>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"

namespace tacit::config {
namespace {

std::string Literal(bool value) { return value ? "true" : "false"; }
std::string Literal(int64_t value) { return absl::StrCat(value); }
std::string Literal(double value) {
  char text[32];
  const auto end = std::to_chars(text, text + sizeof(text), value).ptr;  // shortest that reads back the same
  std::string result(text, end);
  if (result.find_first_of(".en") == std::string::npos) result += ".0";
  return result;
}
std::string Literal(const std::string& value) {
  std::string result = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') {
      result += {'\\', c};
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      absl::StrAppendFormat(&result, "\\u%04X", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      result += c;
    }
  }
  return result + "\"";
}
template <typename T>
std::string Literal(const std::vector<T>& values) {
  return absl::StrCat("[", absl::StrJoin(values, ", ", [](std::string* out, const T& v) { *out += Literal(v); }), "]");
}

template <typename T>
bool HasValue(const T&) {
  return true;
}
template <typename T>
bool HasValue(const std::optional<T>& value) {
  return value.has_value();
}
template <typename T>
std::string Literal(const std::optional<T>& value) {
  return Literal(*value);
}

}  // namespace

void FieldWriter::Field(absl::string_view key, FieldRef value, FieldRules rules) {
  std::visit(
      [&](auto* target) {
        if (!HasValue(*target)) return;
        std::string& body = sections_[open_.back()].body;
        absl::StrAppend(&body, "# ", rules.help, "\n", key, " = ", Literal(*target), "\n");
      },
      value);
}

void FieldWriter::Begin(absl::string_view key) {
  prefix_.emplace_back(key);
  open_.push_back(sections_.size());
  sections_.push_back({absl::StrCat("\n[", absl::StrJoin(prefix_, "."), "]\n"), ""});
}

void FieldWriter::End() {
  prefix_.pop_back();
  open_.pop_back();
}

std::string FieldWriter::Finish() {
  std::string text;
  for (const Section& section : sections_) absl::StrAppend(&text, section.header, section.body);
  return text;
}

}  // namespace tacit::config
