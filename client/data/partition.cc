#include "client/data/partition.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "core/random_stream.h"
#include "core/status.h"

namespace tacit::data {
namespace {

absl::Status Check(const config::PartitionConfig& config) {
  if (config.scheme != "iid") {
    return absl::InvalidArgumentError(absl::StrCat("partition.scheme: '", config.scheme, "' must be iid"));
  }
  if (config.parts < 1) return absl::InvalidArgumentError("partition.parts: must be at least 1");
  if (!config.take_holdout && (config.part < 0 || config.part >= config.parts)) {
    return absl::InvalidArgumentError(
        absl::StrCat("partition.part: is ", config.part, ", must be from 0 to ", config.parts - 1));
  }
  if (!(config.holdout >= 0 && config.holdout < 1)) {
    return absl::InvalidArgumentError("partition.holdout: must be at least 0 and below 1");
  }
  return absl::OkStatus();
}

struct Slice {
  int64_t begin;
  int64_t size;
};

absl::StatusOr<Slice> SliceOf(int64_t rows, const config::PartitionConfig& config) {
  const int64_t held_out = std::llround(config.holdout * static_cast<double>(rows));
  if (config.take_holdout) {
    if (held_out > 0) return Slice{0, held_out};
    return absl::InvalidArgumentError(
        absl::StrCat("partition.holdout: a share of ", config.holdout, " of ", rows, " rows is no row; raise it"));
  }
  const int64_t rest = rows - held_out;
  if (rest < config.parts) {
    return absl::InvalidArgumentError(absl::StrCat("partition.parts: ", rest, " rows (", rows, " less ", held_out,
                                                   " held out) are too few for ", config.parts,
                                                   " parts; lower parts or holdout"));
  }
  const int64_t size = rest / config.parts;
  const int64_t longer = rest % config.parts;  // the first so many parts have one row more
  return Slice{held_out + config.part * size + std::min(config.part, longer), size + (config.part < longer ? 1 : 0)};
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> PartitionRows(int64_t rows, const config::PartitionConfig& config) {
  TACIT_RETURN_IF_ERROR(Check(config));
  TACIT_ASSIGN_OR_RETURN(const Slice slice, SliceOf(rows, config));
  std::vector<int64_t> order(static_cast<size_t>(rows));
  std::iota(order.begin(), order.end(), int64_t{0});
  RandomStream(static_cast<uint64_t>(config.seed), "partition").Shuffle(order);
  std::vector<int64_t> chosen(order.begin() + slice.begin, order.begin() + slice.begin + slice.size);
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace tacit::data
