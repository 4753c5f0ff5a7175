#include "client/data/csv_columns.h"

#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/data/shown.h"
#include "core/config/nearest.h"
#include "core/status.h"

namespace tacit::data {
namespace {

using Index = absl::flat_hash_map<std::string, size_t>;

absl::Status NoSuchColumn(const CsvReader& reader, const std::vector<std::string>& names, const std::string& wanted) {
  std::string message = absl::StrCat(reader.path(), ":", reader.line(), ": there is no column ", Shown(wanted));
  constexpr size_t kMostListed = 20;
  if (const auto nearest = config::Nearest(wanted, names)) {
    absl::StrAppend(&message, "; did you mean ", Shown(*nearest), "?");
  } else if (names.size() == 1) {
    absl::StrAppend(&message, "; the only one is ", Shown(names.front()), ": is the delimiter right?");
  } else {
    const std::vector<std::string> listed(names.begin(), names.begin() + std::min(names.size(), kMostListed));
    const auto show = [](std::string* out, const std::string& name) { *out += Shown(name); };
    absl::StrAppend(&message, "; there are ", absl::StrJoin(listed, ", ", show),
                    names.size() > kMostListed ? " and others" : "");
  }
  return absl::NotFoundError(message);
}

absl::StatusOr<Index> IndexNames(const CsvReader& reader, const std::vector<std::string>& names) {
  Index index;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto [entry, inserted] = index.emplace(names[i], i);
    if (!inserted && !names[i].empty()) {
      return reader.Error(absl::StrCat("column ", Shown(names[i]), " appears twice, as field ", entry->second + 1,
                                       " and field ", i + 1, "; rename one"));
    }
  }
  return index;
}

absl::StatusOr<std::vector<size_t>> NamedFeatures(const CsvReader& reader, const CsvColumns& columns,
                                                  const Index& index, const config::DataConfig& config) {
  std::vector<size_t> features;
  std::set<absl::string_view> seen;
  for (const std::string& name : config.features) {
    if (name == config.target) {
      return absl::InvalidArgumentError(absl::StrCat("features: ", Shown(name), " is the target; leave it out"));
    }
    if (!seen.insert(name).second) {
      return absl::InvalidArgumentError(absl::StrCat("features: ", Shown(name), " is listed twice"));
    }
    const auto found = index.find(name);
    if (found == index.end()) return NoSuchColumn(reader, columns.names, name);
    features.push_back(found->second);
  }
  return features;
}

absl::StatusOr<std::vector<size_t>> AllButTarget(const CsvReader& reader, const CsvColumns& columns,
                                                 const std::string& target) {
  std::vector<size_t> features;
  for (size_t i = 0; i < columns.names.size(); ++i) {
    if (columns.names[i] == target) continue;
    // An index column written by a data frame would otherwise be trained on unnoticed.
    if (columns.names[i].empty()) {
      return reader.Error(
          absl::StrCat("column ", i + 1, " has no name; name it or list the columns to use in features"));
    }
    features.push_back(i);
  }
  if (features.empty()) return reader.Error("there is no column but the target; is the delimiter right?");
  return features;
}

}  // namespace

absl::StatusOr<CsvColumns> ChooseColumns(const CsvReader& reader, const config::DataConfig& config, bool with_target) {
  CsvColumns columns;
  for (const absl::string_view field : reader.fields()) {
    columns.names.emplace_back(absl::StripAsciiWhitespace(field));
  }
  TACIT_ASSIGN_OR_RETURN(const Index index, IndexNames(reader, columns.names));
  if (with_target) {
    const auto found = index.find(config.target);
    if (found == index.end()) return NoSuchColumn(reader, columns.names, config.target);
    columns.target = found->second;
  }
  if (config.features.empty()) {
    TACIT_ASSIGN_OR_RETURN(columns.features, AllButTarget(reader, columns, config.target));
  } else {
    TACIT_ASSIGN_OR_RETURN(columns.features, NamedFeatures(reader, columns, index, config));
  }
  return columns;
}

}  // namespace tacit::data
