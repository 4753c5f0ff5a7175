#include "privacy/dp/poisson_sampler.h"

#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "privacy/dp/random_words.h"

namespace tacit::dp {

absl::StatusOr<std::vector<int64_t>> SamplePoisson(int64_t rows, double rate, RandomSource& source) {
  if (rows < 0) return absl::InvalidArgumentError(absl::StrCat("cannot sample from ", rows, " rows"));
  if (!(rate >= 0 && rate <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat("the sampling rate must lie in [0, 1], but is ", rate));
  }
  std::vector<int64_t> batch;
  if (rate == 1) {
    batch.resize(static_cast<size_t>(rows));
    std::iota(batch.begin(), batch.end(), 0);
    return batch;
  }
  // Scaling by a power of two is exact, and the largest double below 1 gives 2^64 - 2^11, which fits.
  const auto threshold = static_cast<uint64_t>(std::ldexp(rate, 64));
  RandomWords words(source, static_cast<size_t>(rows));
  for (int64_t row = 0; row < rows; ++row) {
    TACIT_ASSIGN_OR_RETURN(const uint64_t word, words.Next());
    if (word < threshold) batch.push_back(row);
  }
  return batch;
}

}  // namespace tacit::dp
