#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/config/sections.h"

namespace tacit::data {

// The rows, ascending, out of 0 .. rows-1 that `config` names. All rows are shuffled with RandomStream(seed,
// "partition"); the first round(holdout * rows) are the held-out share, the rest is cut into `parts` slices whose sizes
// differ by at most one. So the parts and the held-out share of one seed are disjoint and cover all rows.
// InvalidArgument for a config out of range, and when the part or share would be empty.
absl::StatusOr<std::vector<int64_t>> PartitionRows(int64_t rows, const config::PartitionConfig& config);

}  // namespace tacit::data
