#include "privacy/accounting/subsampled_gaussian_rdp.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/privacy/accounting/golden_table.h"

namespace tacit::accounting {
namespace {

TEST(SubsampledGaussianRdp, MatchesHighPrecisionReference) {
  const auto rows = GoldenTable("rdp_orders.csv");
  ASSERT_EQ(rows.size(), 80u);
  for (const auto& row : rows) {
    const double expected = Number(row[3]);
    const double actual = SubsampledGaussianRdp({Number(row[0]), Number(row[1])}, Number(row[2]));
    EXPECT_NEAR(actual / expected, 1, 1e-11) << row[0] << " " << row[1] << " " << row[2];
  }
}

TEST(SubsampledGaussianRdp, IsThePlainGaussiansWithoutSampling) {
  EXPECT_DOUBLE_EQ(SubsampledGaussianRdp({1, 2.0}, 3.5), 3.5 / 8);
  EXPECT_DOUBLE_EQ(SubsampledGaussianRdp({1, 0.5}, 12), 24);
}

TEST(SubsampledGaussianRdp, ApproachesThePlainGaussianAsTheRateApproachesOne) {
  const double almost = 1 - 0x1p-53;
  for (const double order : {1.1, 2.0, 7.3, 33.0}) {
    EXPECT_NEAR(SubsampledGaussianRdp({almost, 1.5}, order) / SubsampledGaussianRdp({1, 1.5}, order), 1, 1e-9);
  }
}

TEST(SubsampledGaussianRdp, IsZeroWithoutDataAndInfiniteWithoutNoise) {
  EXPECT_EQ(SubsampledGaussianRdp({0, 0}, 2), 0);
  EXPECT_EQ(SubsampledGaussianRdp({0, 1}, 2.5), 0);
  EXPECT_EQ(SubsampledGaussianRdp({0.1, 0}, 2), std::numeric_limits<double>::infinity());
  EXPECT_EQ(SubsampledGaussianRdp({1, 0}, 2.5), std::numeric_limits<double>::infinity());
}

// The finite sum and the quadrature are two formulas for one continuous function of the order.
TEST(SubsampledGaussianRdp, IntegerAndFractionalOrdersAgree) {
  for (const double q : {1e-9, 1e-4, 0.01, 0.3, 0.999}) {
    for (const double sigma : {0.05, 0.2, 0.5, 0.79, 0.81, 1.0, 3.0, 100.0}) {
      for (const double order : {2.0, 3.0, 8.0, 33.0}) {
        const double sum = SubsampledGaussianRdp({q, sigma}, order);
        const double quadrature = SubsampledGaussianRdp({q, sigma}, std::nextafter(order, 100));
        EXPECT_NEAR(quadrature / sum, 1, 2e-12) << q << " " << sigma << " " << order;
      }
    }
  }
}

// Renyi divergence grows with its order, and (order - 1) times it is convex.
TEST(SubsampledGaussianRdp, GrowsAndIsConvexInTheOrder) {
  for (const double q : {1e-6, 0.01, 0.5}) {
    for (const double sigma : {0.3, 1.0, 4.0}) {
      const auto log_moment = [&](double order) { return (order - 1) * SubsampledGaussianRdp({q, sigma}, order); };
      for (int tenths = 12; tenths < 300; ++tenths) {
        const double order = tenths / 10.0;
        const double below = SubsampledGaussianRdp({q, sigma}, order - 0.1);
        EXPECT_GE(SubsampledGaussianRdp({q, sigma}, order), below * (1 - 1e-12)) << q << " " << sigma << " " << order;
        if (tenths == 12) continue;
        EXPECT_LE(2 * log_moment(order - 0.1), (log_moment(order) + log_moment(order - 0.2)) * (1 + 1e-12))
            << q << " " << sigma << " " << order;
      }
    }
  }
}

// Where the bound for tiny noise takes over, it must meet the exact value from above.
TEST(SubsampledGaussianRdp, TheBoundForTinyNoiseIsTightAndAbove) {
  for (const double q : {1e-9, 0.01, 0.9}) {
    for (const double order : {1.1, 2.5, 10.9}) {
      const double bound = SubsampledGaussianRdp({q, order / 1000 * 0.999999999}, order);
      const double exact = SubsampledGaussianRdp({q, order / 1000 * 1.000000001}, order);
      EXPECT_GE(bound, exact);
      EXPECT_NEAR(bound / exact, 1, 1e-7);
    }
  }
}

TEST(SubsampledGaussianRdp, StaysANumberAtTheEdgesOfDouble) {
  for (const double q : {5e-324, 1e-300, 1e-30, 0.5, 1 - 0x1p-53, 1.0}) {
    for (const double sigma : {5e-324, 1e-200, 1e-150, 1e-9, 1e-3, 0.1, 1.0, 1e3, 1e9, 1e200, 1.7e308}) {
      for (const double order : {1.1, 2.0, 10.9, 63.0}) {
        const double rdp = SubsampledGaussianRdp({q, sigma}, order);
        EXPECT_GE(rdp, 0) << q << " " << sigma << " " << order;  // false for a NaN
      }
    }
  }
}

}  // namespace
}  // namespace tacit::accounting
