#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/data/csv_reader.h"
#include "core/config/sections.h"

namespace tacit::data {

// Which fields of a record are used.
struct CsvColumns {
  std::vector<std::string> names;  // all columns, in the file's order
  std::vector<size_t> features;    // in the order in which the model gets them
  std::optional<size_t> target;
};

// Finds the columns that `config` names in the header, the record at which `reader` stands. A column that is the target
// is no feature, `with_target` or not; without it, the target's column may be missing. NotFound for a missing column,
// with the nearest name; DataLoss for a repeated name; InvalidArgument for features that repeat or are the target.
absl::StatusOr<CsvColumns> ChooseColumns(const CsvReader& reader, const config::DataConfig& config, bool with_target);

}  // namespace tacit::data
