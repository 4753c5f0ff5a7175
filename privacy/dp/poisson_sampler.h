#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "privacy/dp/random_source.h"

namespace tacit::dp {

// Poisson sampling: which of the rows 0 .. rows - 1 enter, each independently with probability `rate`; sorted, often of
// another length, maybe empty.
//
// A row enters iff a fresh 64-bit integer lies below floor(rate 2^64), compared as integers. So the probability is
// exactly `rate` where that is a multiple of 2^-64, which every double from 2^-12 on is, and otherwise less by under
// 2^-64, never more; at rate 1 every row enters.
//
// InvalidArgument for rows < 0 or a rate outside [0, 1]; otherwise the source's error, with nothing sampled.
absl::StatusOr<std::vector<int64_t>> SamplePoisson(int64_t rows, double rate, RandomSource& source);

}  // namespace tacit::dp
