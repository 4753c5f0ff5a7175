// Fixed seeds, so the outcome never changes. Each test states the probability that a correct release would fail it if
// the seed were drawn at random ("false alarm").
#include <gtest/gtest.h>

#include <cmath>
#include <utility>
#include <vector>

#include "privacy/dp/training_plan.h"

namespace tacit::dp {
namespace {

constexpr int64_t kDimension = 1000000;

DpTrainingPlan Plan() {
  Terms terms;
  terms.epsilon = 100;
  terms.delta = 1e-5;
  terms.sampling_rate = 0.25;
  terms.clip_norm = 3;
  terms.noise_multiplier = 0.7;
  terms.steps = 10;
  return *DpTrainingPlan::Create(terms, 400);
}

// The release of a sum whose every coordinate is `value` differs from value / (q N) by noise of mean 0 and deviation
// sigma C / (q N) = 0.021. False alarm: 2 two-sided tests at 5 standard errors, 1.2e-6.
TEST(NoisyMeanStatistics, NoiseHasTheDeviationOfThePlan) {
  const DpTrainingPlan plan = Plan();
  auto builder = *ClippedSumBuilder::Create(kDimension, 3, NeighbouringRelation::kAddOrRemoveOneExample);
  const double value = 0.002;
  ASSERT_TRUE(builder.AddScaled(std::vector<double>(kDimension, value), 1).ok());
  const auto random = MakeInsecureTestRandomSource(20240519, "statistical test");
  const std::vector<double> release = *plan.NoisyMean(std::move(builder).Build(), *random);
  double sum = 0;
  double squares = 0;
  for (const double coordinate : release) {
    const double noise = (coordinate - value / 100) / 0.021;
    sum += noise;
    squares += noise * noise;
  }
  const double n = static_cast<double>(kDimension);
  EXPECT_NEAR(sum / n, 0, 5 / std::sqrt(n));
  EXPECT_NEAR(squares / n, 1, 5 * std::sqrt(2 / n));
}

// What one more record changes cannot be told better than the plan's accounting of one full step says: a threshold
// attack on the coordinate where the record lies, from 100,000 releases each way, stays below its (epsilon, delta).
// Without sampling the exact curve is known: P(with > t) <= e^epsilon P(without > t) + delta holds with equality for
// the Gaussian at the best t. False alarm: one-sided, 5 standard errors, 2.9e-7.
TEST(NoisyMeanStatistics, AnAttackOnOneRecordStaysBelowTheGuarantee) {
  Terms terms;
  terms.epsilon = 12;
  terms.delta = 1e-5;
  terms.sampling_rate = 1;
  terms.clip_norm = 3;
  terms.noise_multiplier = 0.7;
  terms.steps = 1;
  const auto plan = *DpTrainingPlan::Create(terms, 400);
  const auto random = MakeInsecureTestRandomSource(20240520, "statistical test");
  const double epsilon = 1.5;
  // The point where the densities' ratio is e^epsilon, for the sum: sigma C epsilon sigma + C / 2.
  const double threshold = 3 * (0.5 + epsilon * 0.49);
  constexpr int kReleases = 100000;
  const auto share_above = [&](bool with) {
    int above = 0;
    for (int i = 0; i < kReleases; ++i) {
      auto builder = *ClippedSumBuilder::Create(1, 3, NeighbouringRelation::kAddOrRemoveOneExample);
      if (with) builder.AddRecord(std::vector<float>{1e20f});
      above += (*plan.NoisyMean(std::move(builder).Build(), *random))[0] * 400 > threshold;
    }
    return static_cast<double>(above) / kReleases;
  };
  // The Gaussian's exact delta at epsilon 1.5 and sigma 0.7 (Balle and Wang 2018).
  const auto phi = [](double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; };
  const double delta = phi(0.5 / 0.7 - epsilon * 0.7) - std::exp(epsilon) * phi(-0.5 / 0.7 - epsilon * 0.7);
  const double with = share_above(true);
  const double without = share_above(false);
  const double error = std::sqrt((with * (1 - with) + std::exp(2 * epsilon) * without * (1 - without)) / kReleases);
  EXPECT_LT(with - std::exp(epsilon) * without, delta + 5 * error);
  // The attack is the best there is, so it also comes close: noise that is larger than accounted is a defect too.
  EXPECT_GT(with - std::exp(epsilon) * without, delta - 5 * error);
}

}  // namespace
}  // namespace tacit::dp
