#include "core/config/field_reader.h"

#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <type_traits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/config/nearest.h"

namespace tacit::config {
namespace {

template <typename T>
struct Unwrapped {
  using type = T;
};
template <typename T>
struct Unwrapped<std::optional<T>> {
  using type = T;
};

// Reads one TOML value; false when its type is another.
bool Take(const toml::node& node, bool& out) {
  if (!node.is_boolean()) return false;
  out = node.as_boolean()->get();
  return true;
}
bool Take(const toml::node& node, int64_t& out) {
  if (!node.is_integer()) return false;
  out = node.as_integer()->get();
  return true;
}
bool Take(const toml::node& node, double& out) {
  if (!node.is_number()) return false;
  out = node.is_integer() ? static_cast<double>(node.as_integer()->get()) : node.as_floating_point()->get();
  return std::isfinite(out);
}
bool Take(const toml::node& node, std::string& out) {
  if (!node.is_string()) return false;
  out = node.as_string()->get();
  return true;
}
template <typename T>
bool Take(const toml::node& node, std::vector<T>& out) {
  if (!node.is_array()) return false;
  out.clear();
  for (const toml::node& element : *node.as_array()) {
    T value{};
    if (!Take(element, value)) return false;
    out.push_back(std::move(value));
  }
  return true;
}

const char* TypeName(const FieldRef& value) {
  static constexpr const char* kNames[] = {"true or false",     "a whole number",          "a finite number",
                                           "a string",          "a list of whole numbers", "a list of finite numbers",
                                           "a list of strings", "a whole number",          "a finite number",
                                           "a string"};
  return kNames[value.index()];
}

std::string Number(double value) { return absl::StrCat(value); }

std::string RangeProblem(double value, const FieldRules& rules) {
  if (rules.min && (rules.above_min ? value <= *rules.min : value < *rules.min)) {
    return absl::StrCat("is ", Number(value), ", must be ", rules.above_min ? "above " : "at least ",
                        Number(*rules.min));
  }
  if (rules.max && value > *rules.max) {
    return absl::StrCat("is ", Number(value), ", must be at most ", Number(*rules.max));
  }
  return "";
}

std::string ChoiceProblem(const std::string& value, const FieldRules& rules) {
  if (rules.choices.empty() || std::ranges::find(rules.choices, value) != rules.choices.end()) return "";
  return absl::StrCat("is '", value, "', must be one of ", absl::StrJoin(rules.choices, ", "));
}

// The first rule that a value breaks, or nothing.
struct RuleChecker {
  const FieldRules& rules;
  std::string operator()(bool) const { return ""; }
  std::string operator()(int64_t value) const { return RangeProblem(static_cast<double>(value), rules); }
  std::string operator()(double value) const { return RangeProblem(value, rules); }
  std::string operator()(const std::string& value) const {
    if (rules.required && value.empty()) return "must not be empty";
    return ChoiceProblem(value, rules);
  }
  template <typename T>
  std::string operator()(const std::vector<T>& values) const {
    if (rules.required && values.empty()) return "must not be empty";
    for (const T& value : values) {
      if (std::string problem = (*this)(value); !problem.empty()) return absl::StrCat("an element ", problem);
    }
    return "";
  }
  template <typename T>
  std::string operator()(const std::optional<T>& value) const {
    return value ? (*this)(*value) : "";
  }
};

}  // namespace

FieldReader::FieldReader(std::string file, const toml::table& root, std::map<std::string, std::string> origins)
    : file_(std::move(file)), root_(root), origins_(std::move(origins)) {
  known_[""];
}

std::string FieldReader::PathOf(absl::string_view key) const {
  return prefix_.empty() ? std::string(key) : absl::StrCat(absl::StrJoin(prefix_, "."), ".", key);
}

const toml::node* FieldReader::Find(const std::string& path) const { return root_.at_path(path).node(); }

std::string FieldReader::OriginOf(const std::string& path) const {
  // An override of a whole table is the origin of the values inside it ...
  for (std::string at = path;; at.resize(at.rfind('.'))) {
    if (const auto origin = origins_.find(at); origin != origins_.end()) return origin->second;
    if (at.find('.') == std::string::npos) break;
  }
  // ... and one of a value the origin of the tables around it that the file doesn't have: those have no line.
  const toml::node* node = Find(path);
  const auto inside = origins_.lower_bound(absl::StrCat(path, "."));
  const bool has_override = inside != origins_.end() && absl::StartsWith(inside->first, absl::StrCat(path, "."));
  return has_override && node != nullptr && node->source().begin.line == 0 ? inside->second : "";
}

void FieldReader::Report(const std::string& path, absl::string_view message) {
  wrong_.insert(path);
  if (const std::string origin = OriginOf(path); !origin.empty()) {
    problems_.push_back({0, absl::StrCat(origin, ": ", path, ": ", message)});
    return;
  }
  // A missing key is reported where its table begins.
  std::string at = path;
  const toml::node* node = Find(at);
  while (node == nullptr && at.find('.') != std::string::npos) {
    at.resize(at.rfind('.'));
    node = Find(at);
  }
  const uint32_t line = node != nullptr ? node->source().begin.line : 1;
  problems_.push_back({line, absl::StrCat(file_, ":", std::max<uint32_t>(line, 1), ": ", path, ": ", message)});
}

void FieldReader::Resolve(const std::string& path, std::string& value) const {
  const std::filesystem::path given(value);
  if (value.empty() || given.is_absolute()) return;
  // What a flag or the environment says is meant from where the user stands.
  const bool from_file = OriginOf(path).empty();
  const auto folder = from_file ? std::filesystem::path(file_).parent_path() : std::filesystem::path();
  value = std::filesystem::absolute(folder / given).lexically_normal().string();
}

void FieldReader::Field(absl::string_view key, FieldRef value, FieldRules rules) {
  const std::string path = PathOf(key);
  known_[absl::StrJoin(prefix_, ".")].insert(std::string(key));
  const toml::node* node = Find(path);
  if (node == nullptr) {
    if (rules.required) Report(path, absl::StrCat("is missing: ", rules.help));
    return;
  }
  const bool taken = std::visit(
      [&](auto* target) {
        typename Unwrapped<std::remove_pointer_t<decltype(target)>>::type read{};
        if (!Take(*node, read)) return false;
        *target = std::move(read);
        return true;
      },
      value);
  if (!taken) {
    Report(path, absl::StrCat("must be ", TypeName(value)));
    return;
  }
  ApplyRules(path, value, rules);
}

void FieldReader::ApplyRules(const std::string& path, const FieldRef& value, const FieldRules& rules) {
  const std::string problem = std::visit([&](auto* target) { return RuleChecker{rules}(*target); }, value);
  if (!problem.empty()) {
    Report(path, problem);
    return;
  }
  if (!rules.is_path) return;
  if (auto* const* text = std::get_if<std::string*>(&value)) Resolve(path, **text);
  if (auto* const* text = std::get_if<std::optional<std::string>*>(&value)) Resolve(path, ***text);
}

void FieldReader::Check(bool holds, absl::string_view key, absl::string_view message) {
  const std::string path = PathOf(key);
  if (!holds && !wrong_.contains(path)) Report(path, message);
}

bool FieldReader::Present(absl::string_view key, bool) {
  known_[absl::StrJoin(prefix_, ".")].insert(std::string(key));
  return Find(PathOf(key)) != nullptr;
}

void FieldReader::Begin(absl::string_view key) {
  const std::string path = PathOf(key);
  known_[absl::StrJoin(prefix_, ".")].insert(std::string(key));
  if (const toml::node* node = Find(path); node != nullptr && !node->is_table()) Report(path, "must be a table");
  prefix_.emplace_back(key);
  known_[path];
}

void FieldReader::End() { prefix_.pop_back(); }

void FieldReader::ReportUnknown(const toml::table& table, const std::string& prefix) {
  const std::set<std::string>& known = known_.at(prefix);
  for (const auto& [toml_key, node] : table) {
    const std::string key(toml_key.str());
    const std::string path = prefix.empty() ? key : absl::StrCat(prefix, ".", key);
    if (!known.contains(key)) {
      const auto nearest = Nearest(key, {known.begin(), known.end()});
      std::string message = "is not a known key";
      if (nearest) absl::StrAppend(&message, "; did you mean '", *nearest, "'?");
      Report(path, message);
    } else if (node.is_table() && known_.contains(path)) {
      ReportUnknown(*node.as_table(), path);
    }
  }
}

std::vector<std::string> FieldReader::Finish() {
  ReportUnknown(root_, "");
  std::ranges::stable_sort(problems_, {}, &Problem::line);
  std::vector<std::string> texts;
  for (Problem& problem : problems_) texts.push_back(std::move(problem.text));
  return texts;
}

}  // namespace tacit::config
