#include "privacy/accounting/calibration.h"

#include <gtest/gtest.h>

#include <limits>

#include "privacy/accounting/accountant.h"
#include "tests/unit/privacy/accounting/golden_table.h"

namespace tacit::accounting {
namespace {

double EpsilonOf(double noise_multiplier, double delta, double sampling_rate, int64_t steps) {
  const auto accountant = *MakeAccountant("rdp");
  EXPECT_TRUE(accountant->Add(PoissonSubsampledGaussian{sampling_rate, noise_multiplier}, steps).ok());
  return *accountant->Epsilon(delta);
}

// The reference overestimates RDP a little at fractional orders, and so the noise too, by up to this (relative).
constexpr double kReferenceError = 4e-9;

TEST(CalibrateNoiseMultiplier, MatchesPublishedValues) {
  const auto rows = GoldenTable("calibration_rdp.csv");
  ASSERT_EQ(rows.size(), 4u);
  for (const auto& row : rows) {
    const double answer = *CalibrateNoiseMultiplier(Number(row[4]), Number(row[3]), Number(row[0]),
                                                    static_cast<int64_t>(Number(row[2])), "rdp");
    EXPECT_LE(answer, Number(row[1]) * (1 + 1e-6)) << row[0];
    EXPECT_GE(answer, Number(row[1]) * (1 - kReferenceError)) << row[0];
  }
}

TEST(CalibrateNoiseMultiplier, AnswersFromThePrivateSideAndClosely) {
  for (const double epsilon : {0.05, 0.7, 3.0, 40.0, 1e4}) {
    for (const double delta : {1e-12, 1e-5, 0.1}) {
      for (const double q : {1e-6, 0.01, 0.5, 1.0}) {
        const absl::StatusOr<double> answer = CalibrateNoiseMultiplier(epsilon, delta, q, 300, "rdp");
        if (!answer.ok()) {
          // What no noise reaches: the orders end at 1024, so very small targets at very small delta do not exist.
          EXPECT_EQ(answer.status().code(), absl::StatusCode::kOutOfRange);
          EXPECT_GT(EpsilonOf(1e6, delta, q, 300), epsilon);
          continue;
        }
        EXPECT_LE(EpsilonOf(*answer, delta, q, 300), epsilon);
        EXPECT_GT(EpsilonOf(*answer * (1 - 1e-6), delta, q, 300), epsilon);
      }
    }
  }
}

TEST(CalibrateNoiseMultiplier, SaysWhenNoNoiseIsEnough) {
  EXPECT_EQ(CalibrateNoiseMultiplier(1e-3, 1e-10, 0.5, 1000, "rdp").status().code(), absl::StatusCode::kOutOfRange);
}

TEST(CalibrateNoiseMultiplier, RefusesArgumentsOutOfRange) {
  const auto refused = [](double epsilon, double delta, double q, int64_t steps, const char* accountant) {
    return CalibrateNoiseMultiplier(epsilon, delta, q, steps, accountant).status().code() ==
           absl::StatusCode::kInvalidArgument;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    EXPECT_TRUE(refused(bad, 1e-5, 0.1, 10, "rdp")) << bad;
    EXPECT_TRUE(refused(1, bad, 0.1, 10, "rdp")) << bad;
    EXPECT_TRUE(refused(1, 1e-5, bad, 10, "rdp")) << bad;
  }
  EXPECT_TRUE(refused(1, 1, 0.1, 10, "rdp"));
  EXPECT_TRUE(refused(1, 1e-5, 1.1, 10, "rdp"));
  EXPECT_TRUE(refused(1, 1e-5, 0.1, 0, "rdp"));
  EXPECT_TRUE(refused(1, 1e-5, 0.1, 10, "none"));
}

}  // namespace
}  // namespace tacit::accounting
