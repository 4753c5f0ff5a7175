#pragma once

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/config/fields.h"

namespace tacit::config {

// Prints what a description walks as TOML; absent optional values are left out.
class FieldWriter final : public FieldVisitor {
 public:
  void Field(absl::string_view key, FieldRef value, FieldRules rules) override;
  void Check(bool, absl::string_view, absl::string_view) override {}
  std::string Finish();

 protected:
  bool Present(absl::string_view, bool has_value) override { return has_value; }
  void Begin(absl::string_view key) override;
  void End() override;

 private:
  struct Section {
    std::string header;
    std::string body;
  };
  // Keys of a table must precede its sub-tables, so each section's text is kept apart until the end.
  std::vector<Section> sections_{{"", ""}};
  std::vector<size_t> open_{0};
  std::vector<std::string> prefix_;
};

}  // namespace tacit::config
