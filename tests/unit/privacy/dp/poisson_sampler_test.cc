#include "privacy/dp/poisson_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/privacy/dp/test_random_sources.h"

namespace tacit::dp {
namespace {

using ::testing::ElementsAre;
constexpr uint64_t kMax = std::numeric_limits<uint64_t>::max();

TEST(SamplePoisson, ARowEntersIffItsWordLiesBelowTheThreshold) {
  const uint64_t quarter = uint64_t{1} << 62;
  WordSource source({0, quarter - 1, quarter, kMax, 5});
  EXPECT_THAT(*SamplePoisson(5, 0.25, source), ElementsAre(0, 1, 4));
}

TEST(SamplePoisson, TheLargestRateBelowOneIsExact) {
  const uint64_t threshold = kMax - 2047;  // 2^64 (1 - 2^-53)
  WordSource source({threshold - 1, threshold, kMax});
  EXPECT_THAT(*SamplePoisson(3, 1 - 0x1p-53, source), ElementsAre(0));
}

TEST(SamplePoisson, TinyRatesNeverRoundUp) {
  WordSource first({0, 1});
  EXPECT_THAT(*SamplePoisson(2, 0x1.8p-64, first), ElementsAre(0));
  WordSource second({0, 1});
  EXPECT_THAT(*SamplePoisson(2, 0x1.8p-65, second), ElementsAre());
  WordSource third({0, 1});
  EXPECT_THAT(*SamplePoisson(2, 5e-324, third), ElementsAre());
}

TEST(SamplePoisson, RateOneTakesAllAndRateZeroNone) {
  WordSource source({kMax, 0, kMax});
  EXPECT_THAT(*SamplePoisson(3, 1, source), ElementsAre(0, 1, 2));
  EXPECT_THAT(*SamplePoisson(3, 0, source), ElementsAre());
}

TEST(SamplePoisson, OfNoRowsIsEmpty) {
  FailingSource source(0);
  EXPECT_THAT(*SamplePoisson(0, 0.5, source), ElementsAre());
}

TEST(SamplePoisson, RefusesArgumentsOutOfRange) {
  FailingSource source(1 << 20);
  EXPECT_EQ(SamplePoisson(-1, 0.5, source).status().code(), absl::StatusCode::kInvalidArgument);
  for (const double bad : {-0.1, 1.1, std::nan("")}) {
    EXPECT_EQ(SamplePoisson(3, bad, source).status().code(), absl::StatusCode::kInvalidArgument) << bad;
  }
}

TEST(DpRules, Rule10_NoBatchWithoutTheSource) {
  for (const size_t good : {0u, 4096u, 8192u}) {
    FailingSource source(good);
    EXPECT_EQ(SamplePoisson(2000, 0.5, source).status().code(), absl::StatusCode::kInternal) << good;
  }
}

}  // namespace
}  // namespace tacit::dp
