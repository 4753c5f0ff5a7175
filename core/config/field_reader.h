#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/config/fields.h"

namespace toml {
inline namespace v3 {
class table;
class node;
}  // namespace v3
}  // namespace toml

namespace tacit::config {

// Fills config structs from a TOML table and collects everything that is wrong with it.
class FieldReader final : public FieldVisitor {
 public:
  // `origins`: for values that did not come from the file, key path -> where from.
  FieldReader(std::string file, const toml::table& root, std::map<std::string, std::string> origins);

  void Field(absl::string_view key, FieldRef value, FieldRules rules) override;
  void Check(bool holds, absl::string_view key, absl::string_view message) override;
  // After the walk: adds a problem for every key that no Field named, and returns all problems in the file's order.
  std::vector<std::string> Finish();

 protected:
  bool Present(absl::string_view key, bool has_value) override;
  void Begin(absl::string_view key) override;
  void End() override;

 private:
  struct Problem {
    uint32_t line;
    std::string text;
  };
  std::string PathOf(absl::string_view key) const;
  const toml::node* Find(const std::string& path) const;
  // Where the value at `path` came from, or nothing when it is the file.
  std::string OriginOf(const std::string& path) const;
  void Report(const std::string& path, absl::string_view message);
  void ReportUnknown(const toml::table& table, const std::string& prefix);
  void ApplyRules(const std::string& path, const FieldRef& value, const FieldRules& rules);
  void Resolve(const std::string& path, std::string& value) const;

  std::string file_;
  const toml::table& root_;
  std::map<std::string, std::string> origins_;
  std::vector<std::string> prefix_;
  std::map<std::string, std::set<std::string>> known_;  // table path -> its keys
  std::set<std::string> wrong_;                         // paths already reported; cross-field checks on them are noise
  std::vector<Problem> problems_;
};

}  // namespace tacit::config
