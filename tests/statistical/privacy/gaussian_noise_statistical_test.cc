// Fixed seeds, so the outcome never changes. Each test states the probability that a correct sampler would fail it if
// the seed were drawn at random ("false alarm").
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "privacy/dp/gaussian_noise.h"

namespace tacit::dp {
namespace {

constexpr int64_t kDraws = 4000000;

const std::vector<double>& Normals() {
  static const auto* const normals = [] {
    const auto source = MakeInsecureTestRandomSource(20240517, "statistical test");
    return new std::vector<double>(*DrawStandardNormals(kDraws, *source));
  }();
  return *normals;
}

double MeanOf(double (*function)(double)) {
  double sum = 0;
  for (const double value : Normals()) sum += function(value);
  return sum / static_cast<double>(kDraws);
}

// P(Z <= x).
double Phi(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

// The first six moments are 0, 1, 0, 3, 0, 15 with variances 1, 2, 15, 96, 945, 10170. False alarm: 6 two-sided tests
// at 5 standard errors, 3.5e-6.
TEST(GaussianNoiseStatistics, Moments) {
  const double n = static_cast<double>(kDraws);
  EXPECT_NEAR(MeanOf([](double x) { return x; }), 0, 5 * std::sqrt(1 / n));
  EXPECT_NEAR(MeanOf([](double x) { return x * x; }), 1, 5 * std::sqrt(2 / n));
  EXPECT_NEAR(MeanOf([](double x) { return x * x * x; }), 0, 5 * std::sqrt(15 / n));
  EXPECT_NEAR(MeanOf([](double x) { return std::pow(x, 4); }), 3, 5 * std::sqrt(96 / n));
  EXPECT_NEAR(MeanOf([](double x) { return std::pow(x, 5); }), 0, 5 * std::sqrt(945 / n));
  EXPECT_NEAR(MeanOf([](double x) { return std::pow(x, 6); }), 15, 5 * std::sqrt(10170 / n));
}

// Kolmogorov and Smirnov: sqrt(n) D exceeds 2.8 with probability 2 exp(-2 * 2.8^2) = 3.1e-7. False alarm: 3.1e-7.
TEST(GaussianNoiseStatistics, DistributionFunction) {
  std::vector<double> sorted = Normals();
  std::sort(sorted.begin(), sorted.end());
  const double n = static_cast<double>(kDraws);
  double distance = 0;
  for (size_t i = 0; i < sorted.size(); ++i) {
    const double expected = Phi(sorted[i]);
    const double i_th = static_cast<double>(i);
    distance = std::max({distance, std::abs(expected - i_th / n), std::abs(expected - (i_th + 1) / n)});
  }
  EXPECT_LT(distance * std::sqrt(n), 2.8);
}

// Values beyond 3, 4 and 5 on either side are binomial; beyond 6 are 4e-3 expected per side, so 3 or more have
// probability 1e-8. False alarm: 6 tests at 5 standard errors (skewed where few are expected) and 2 tails, below 1e-4.
TEST(GaussianNoiseStatistics, Tails) {
  for (const double sign : {-1.0, 1.0}) {
    const auto beyond = [&](double x) {
      return static_cast<double>(
          std::count_if(Normals().begin(), Normals().end(), [&](double value) { return sign * value > x; }));
    };
    for (const double x : {3.0, 4.0, 5.0}) {
      const double expected = static_cast<double>(kDraws) * Phi(-x);
      EXPECT_NEAR(beyond(x), expected, 5 * std::sqrt(expected)) << sign * x;
    }
    EXPECT_LT(beyond(6), 3);
  }
}

// The radius of a pair given that its uniform has at least 12 leading zeros (one pair in 4096) takes another way
// through the code: log u is exponential past 12 log 2 there. False alarm: 2 two-sided tests at 5 standard
// errors, 1.2e-6.
TEST(GaussianNoiseStatistics, PairsFarOut) {
  const double border = std::sqrt(24 * std::log(2.0));
  double pairs = 0;
  double excess = 0;
  for (size_t i = 0; i < Normals().size(); i += 2) {
    const double radius = std::hypot(Normals()[i], Normals()[i + 1]);
    if (radius <= border) continue;
    pairs += 1;
    excess += (radius * radius - border * border) / 2;
  }
  const double expected = static_cast<double>(kDraws) / 2 / 4096;
  EXPECT_NEAR(pairs, expected, 5 * std::sqrt(expected));
  EXPECT_NEAR(excess / pairs, 1, 5 / std::sqrt(pairs));
}

// Neighbours up to 8 apart, and their squares, are uncorrelated. False alarm: 16 two-sided tests at 5 standard errors,
// 9.2e-6.
TEST(GaussianNoiseStatistics, NeighboursAreUncorrelated) {
  const auto& values = Normals();
  for (size_t lag = 1; lag <= 8; ++lag) {
    double product = 0;
    double product_of_squares = 0;
    const size_t n = values.size() - lag;
    for (size_t i = 0; i < n; ++i) {
      product += values[i] * values[i + lag];
      product_of_squares += (values[i] * values[i] - 1) * (values[i + lag] * values[i + lag] - 1);
    }
    const double root = std::sqrt(static_cast<double>(n));
    EXPECT_NEAR(product / root, 0, 5) << lag;
    EXPECT_NEAR(product_of_squares / root, 0, 5 * 2) << lag;
  }
}

// Pairs fall into 64 equal sectors alike. Chi-square with 63 degrees exceeds 141.7 with probability below 1e-7. False
// alarm: 1e-7.
TEST(GaussianNoiseStatistics, AnglesAreUniform) {
  std::array<double, 64> sectors{};
  for (size_t i = 0; i < Normals().size(); i += 2) {
    const double turn = std::atan2(Normals()[i + 1], Normals()[i]) / (2 * std::acos(-1.0)) + 0.5;
    sectors[std::min<size_t>(63, static_cast<size_t>(turn * 64))] += 1;
  }
  const double expected = static_cast<double>(kDraws) / 2 / 64;
  double chi_square = 0;
  for (const double count : sectors) chi_square += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi_square, 141.7);
}

}  // namespace
}  // namespace tacit::dp
