#include "privacy/accounting/rdp_accountant.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "privacy/accounting/subsampled_gaussian_rdp.h"
#include "tests/unit/privacy/accounting/golden_table.h"

namespace tacit::accounting {
namespace {

using ::testing::HasSubstr;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

PoissonSubsampledGaussian Gaussian(double q, double sigma) { return {q, sigma}; }

TEST(MakeAccountant, KnowsRdpAndNamesWhatItKnows) {
  EXPECT_EQ((*MakeAccountant("rdp"))->name(), "rdp");
  const auto unknown = MakeAccountant("moments");
  EXPECT_EQ(unknown.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(unknown.status().message(), HasSubstr("moments"));
  EXPECT_THAT(unknown.status().message(), HasSubstr("rdp"));
}

TEST(RdpAccountant, UsesTheCustomaryOrdersAndFourLargeOnes) {
  const auto& orders = RdpAccountant::Orders();
  ASSERT_EQ(orders.size(), 99u + 52u + 4u);
  EXPECT_EQ(orders.front(), 1.1);
  EXPECT_EQ(orders[9], 2.0);
  EXPECT_EQ(orders[98], 10.9);
  EXPECT_EQ(orders[99], 12.0);
  EXPECT_EQ(orders[150], 63.0);
  EXPECT_EQ(orders[151], 128.0);
  EXPECT_EQ(orders.back(), 1024.0);
}

// Published values of another implementation, whose fractional orders are less accurate; and never below the truth.
TEST(RdpAccountant, MatchesPublishedEpsilons) {
  const auto rows = GoldenTable("rdp_epsilon.csv");
  ASSERT_EQ(rows.size(), 26u);
  for (const auto& row : rows) {
    RdpAccountant accountant;
    const std::vector<std::string> rates = absl::StrSplit(row[1], ';');
    const std::vector<std::string> noises = absl::StrSplit(row[2], ';');
    const std::vector<std::string> steps = absl::StrSplit(row[3], ';');
    for (size_t i = 0; i < rates.size(); ++i) {
      const auto event = Gaussian(Number(rates[i]), Number(noises[i]));
      ASSERT_TRUE(accountant.Add(event, static_cast<int64_t>(Number(steps[i]))).ok());
    }
    const double epsilon = *accountant.Epsilon(Number(row[4]));
    EXPECT_NEAR(epsilon / Number(row[6]), 1, 2e-4) << row[0];
    EXPECT_GE(epsilon, Number(row[5])) << row[0];
  }
}

// The conversion of Canonne, Kamath and Steinke (2020), written out for one order at a time.
TEST(RdpAccountant, ConvertsAtTheBestOrder) {
  RdpAccountant accountant;
  ASSERT_TRUE(accountant.Add(Gaussian(1, 4.0), 10).ok());
  double expected = kInfinity;
  for (const double a : RdpAccountant::Orders()) {
    const double rdp = 10 * a / 32;
    expected = std::min(expected, rdp + std::log((a - 1) / a) - (std::log(1e-6) + std::log(a)) / (a - 1));
  }
  EXPECT_NEAR(*accountant.Epsilon(1e-6), expected, 1e-13);
}

TEST(RdpAccountant, NothingSpentIsEpsilonZeroAtEveryDelta) {
  RdpAccountant accountant;
  EXPECT_EQ(*accountant.Epsilon(1e-5), 0);
  EXPECT_EQ(*accountant.Epsilon(0), 0);
  ASSERT_TRUE(accountant.Add(Gaussian(0, 1), 1000).ok());
  ASSERT_TRUE(accountant.Add(Gaussian(0, 0), 1).ok());
  ASSERT_TRUE(accountant.Add(Gaussian(0.1, 1), 0).ok());
  EXPECT_EQ(*accountant.Epsilon(1e-5), 0);
  EXPECT_EQ(*accountant.Epsilon(0), 0);
}

TEST(RdpAccountant, EdgesOfDelta) {
  RdpAccountant accountant;
  ASSERT_TRUE(accountant.Add(Gaussian(0.01, 1), 1).ok());
  EXPECT_EQ(*accountant.Epsilon(0), kInfinity);
  EXPECT_EQ(*accountant.Epsilon(1), 0);
  EXPECT_EQ(*accountant.Epsilon(0.9), 0);
  EXPECT_TRUE(std::isfinite(*accountant.Epsilon(1e-300)));
}

TEST(RdpAccountant, NoNoiseIsInfinite) {
  RdpAccountant accountant;
  ASSERT_TRUE(accountant.Add(Gaussian(0.01, 0), 1).ok());
  EXPECT_EQ(*accountant.Epsilon(1e-5), kInfinity);
  ASSERT_TRUE(accountant.Add(Gaussian(0.01, 1), 1).ok());
  EXPECT_EQ(*accountant.Epsilon(1e-5), kInfinity);
  EXPECT_EQ(*accountant.Epsilon(1), 0);
}

TEST(RdpAccountant, RefusesWhatIsOutOfRangeAndAddsNothing) {
  RdpAccountant accountant;
  const auto refused = [&](PoissonSubsampledGaussian event, int64_t count, const char* value) {
    const absl::Status status = accountant.Add(event, count);
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(status.message(), HasSubstr(value));
  };
  refused(Gaussian(-0.25, 1), 1, "-0.25");
  refused(Gaussian(1.5, 1), 1, "1.5");
  refused(Gaussian(kNan, 1), 1, "nan");
  refused(Gaussian(0.1, -2), 1, "-2");
  refused(Gaussian(0.1, kNan), 1, "nan");
  refused(Gaussian(0.1, kInfinity), 1, "inf");
  refused(Gaussian(0.1, 1), -3, "-3");
  EXPECT_EQ(*accountant.Epsilon(0), 0);
  for (const double delta : {-0.5, 1.5, kNan}) {
    EXPECT_EQ(accountant.Epsilon(delta).status().code(), absl::StatusCode::kInvalidArgument);
  }
}

TEST(RdpAccountant, CountsPastTheLargestAreRefused) {
  RdpAccountant accountant;
  ASSERT_TRUE(accountant.Add(Gaussian(0.5, 1), std::numeric_limits<int64_t>::max()).ok());
  const double before = *accountant.Epsilon(1e-5);
  EXPECT_EQ(accountant.Add(Gaussian(0.5, 1), 1).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(*accountant.Epsilon(1e-5), before);
}

TEST(RdpAccountant, ListingAnEventTTimesIsTheSameAsItsCountT) {
  RdpAccountant listed;
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(listed.Add(Gaussian(0.02, 1.1), 1).ok());
  RdpAccountant counted;
  ASSERT_TRUE(counted.Add(Gaussian(0.02, 1.1), 1000).ok());
  EXPECT_EQ(*listed.Epsilon(1e-5), *counted.Epsilon(1e-5));
}

TEST(RdpAccountant, DifferentEventsAddUpInAnyOrder) {
  RdpAccountant one;
  RdpAccountant other;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(one.Add(Gaussian(0.02, 1.1), 10).ok());
    ASSERT_TRUE(one.Add(Gaussian(0.1, 3), 1).ok());
  }
  ASSERT_TRUE(other.Add(Gaussian(0.1, 3), 20).ok());
  ASSERT_TRUE(other.Add(Gaussian(0.02, 1.1), 200).ok());
  EXPECT_NEAR(*one.Epsilon(1e-5) / *other.Epsilon(1e-5), 1, 1e-13);

  // The sums are of RDP per order, not of epsilons.
  double expected = kInfinity;
  for (const double a : RdpAccountant::Orders()) {
    const double rdp = 200 * SubsampledGaussianRdp({0.02, 1.1}, a) + 20 * SubsampledGaussianRdp({0.1, 3}, a);
    expected = std::min(expected, rdp + std::log((a - 1) / a) - (std::log(1e-5) + std::log(a)) / (a - 1));
  }
  EXPECT_NEAR(*one.Epsilon(1e-5), expected, 1e-12);
}

TEST(RdpAccountant, ACloneGoesItsOwnWay) {
  RdpAccountant accountant;
  ASSERT_TRUE(accountant.Add(Gaussian(0.02, 1.1), 100).ok());
  const double before = *accountant.Epsilon(1e-5);
  const auto clone = accountant.Clone();
  EXPECT_EQ(*clone->Epsilon(1e-5), before);
  ASSERT_TRUE(clone->Add(Gaussian(0.02, 1.1), 100).ok());
  ASSERT_TRUE(clone->Add(Gaussian(0.5, 1.1), 100).ok());
  EXPECT_GT(*clone->Epsilon(1e-5), before);
  EXPECT_EQ(*accountant.Epsilon(1e-5), before);
}

}  // namespace
}  // namespace tacit::accounting
