#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"

namespace tacit::config {

// Where the value of one key lies in a config struct.
using FieldRef = std::variant<bool*, int64_t*, double*, std::string*, std::vector<int64_t>*, std::vector<double>*,
                              std::vector<std::string>*, std::optional<int64_t>*, std::optional<double>*,
                              std::optional<std::string>*>;

// What one key may hold. `help` is what --print-config shows beside it.
struct FieldRules {
  absl::string_view help;
  bool required = false;
  bool is_path = false;  // a relative path is meant from the folder of the file that holds it
  std::optional<double> min = std::nullopt;
  bool above_min = false;  // min itself is not allowed
  std::optional<double> max = std::nullopt;
  std::vector<absl::string_view> choices = {};
  FieldRules Required() && { return required = true, std::move(*this); }
  FieldRules Path() && { return is_path = true, std::move(*this); }
  FieldRules AtLeast(double bound) && { return min = bound, std::move(*this); }
  FieldRules Above(double bound) && { return min = bound, above_min = true, std::move(*this); }
  FieldRules AtMost(double bound) && { return max = bound, std::move(*this); }
  FieldRules OneOf(std::vector<absl::string_view> values) && { return choices = std::move(values), std::move(*this); }
};
inline FieldRules Help(absl::string_view help) { return FieldRules{.help = help}; }

// Every config struct S has one function `void Describe(FieldVisitor&, S&)` that names its keys. Reading, printing and
// checking all walk that one description, so they cannot disagree.
class FieldVisitor {
 public:
  virtual ~FieldVisitor() = default;
  virtual void Field(absl::string_view key, FieldRef value, FieldRules rules) = 0;
  // A condition over several keys; `key` (a path inside this table) is where a reader of the message should look.
  virtual void Check(bool holds, absl::string_view key, absl::string_view message) = 0;

  template <typename Section>
  void Table(absl::string_view key, Section& section) {
    Begin(key);
    Describe(*this, section);
    End();
  }
  // A table that may be absent.
  template <typename Section>
  void Table(absl::string_view key, std::optional<Section>& section) {
    if (!Present(key, section.has_value())) return;
    if (!section) section.emplace();
    Table(key, *section);
  }

 protected:
  virtual bool Present(absl::string_view key, bool has_value) = 0;
  virtual void Begin(absl::string_view key) = 0;
  virtual void End() = 0;
};

}  // namespace tacit::config
