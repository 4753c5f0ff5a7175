// Fixed seeds, so the outcome never changes. Each test states the probability that a correct sampler would fail it if
// the seed were drawn at random ("false alarm").
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "privacy/dp/poisson_sampler.h"

namespace tacit::dp {
namespace {

constexpr int64_t kRows = 200;
constexpr int kBatches = 40000;

struct Counts {
  std::vector<double> row = std::vector<double>(kRows);
  std::vector<double> pair = std::vector<double>(kRows);        // a row together with the next
  std::vector<double> successive = std::vector<double>(kRows);  // a row in two batches in a row
  double size = 0;
  double size_squared = 0;
};

Counts Sample(double rate) {
  const auto source = MakeInsecureTestRandomSource(20240518, "statistical test");
  Counts counts;
  std::vector<bool> before(kRows);
  for (int i = 0; i < kBatches; ++i) {
    std::vector<bool> entered(kRows);
    const std::vector<int64_t> batch = *SamplePoisson(kRows, rate, *source);
    for (const int64_t row : batch) entered[static_cast<size_t>(row)] = true;
    double size = 0;
    for (size_t row = 0; row < kRows; ++row) {
      size += entered[row];
      counts.row[row] += entered[row];
      counts.pair[row] += entered[row] && entered[(row + 1) % kRows];
      counts.successive[row] += entered[row] && before[row];
    }
    counts.size += size;
    counts.size_squared += size * size;
    before = entered;
  }
  return counts;
}

// How far `successes` of `trials` lies from `probability`, in standard errors.
double Deviation(double successes, double trials, double probability) {
  return std::abs(successes - trials * probability) / std::sqrt(trials * probability * (1 - probability));
}

class PoissonSamplerStatistics : public ::testing::TestWithParam<double> {};

// Every single row enters at the rate. False alarm: 3 rates of 200 two-sided tests at 6 standard errors, 1.2e-6
// (normal; 1e-5 with the skewness of the rarest).
TEST_P(PoissonSamplerStatistics, EveryRowEntersAtTheRate) {
  const Counts counts = Sample(GetParam());
  for (const double count : counts.row) EXPECT_LT(Deviation(count, kBatches, GetParam()), 6);
}

// Together at the rate squared, with its neighbour in a batch and with itself in the next. False alarm: 3 rates of 400
// two-sided tests at 6 standard errors: 2.4e-6 (normal; below 1e-3 with the skewness of the rarest, where 16 are
// expected; these get 8: below 1e-6).
TEST_P(PoissonSamplerStatistics, RowsAndBatchesAreIndependent) {
  const double rate = GetParam();
  const Counts counts = Sample(rate);
  const double limit = rate * rate * kBatches < 100 ? 8 : 6;
  for (const double count : counts.pair) EXPECT_LT(Deviation(count, kBatches, rate * rate), limit);
  for (const double count : counts.successive) EXPECT_LT(Deviation(count, kBatches - 1, rate * rate), limit);
}

// The batch size is binomial: mean n q, variance n q (1 - q). A shuffled or fixed-size sampler has the mean but not the
// variance. False alarm: 3 rates of 2 two-sided tests at 5 standard errors, 3.5e-6.
TEST_P(PoissonSamplerStatistics, BatchSizesAreBinomial) {
  const double rate = GetParam();
  const Counts counts = Sample(rate);
  const double mean = counts.size / kBatches;
  const double variance = counts.size_squared / kBatches - mean * mean;
  const double true_variance = kRows * rate * (1 - rate);
  EXPECT_NEAR(mean, kRows * rate, 5 * std::sqrt(true_variance / kBatches));
  const double kurtosis = 3 + (1 - 6 * rate * (1 - rate)) / true_variance;
  EXPECT_NEAR(variance / true_variance, 1, 5 * std::sqrt((kurtosis - 1) / kBatches));
}

INSTANTIATE_TEST_SUITE_P(Rates, PoissonSamplerStatistics, ::testing::Values(0.02, 0.3, 0.9));

}  // namespace
}  // namespace tacit::dp
