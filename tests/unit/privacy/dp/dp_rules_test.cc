// The rules of differential privacy that are decided here (docs/privacy.md). Rules on the generator, the sampler and
// the budget stand beside the tests of these.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "privacy/dp/gaussian_noise.h"
#include "privacy/dp/poisson_sampler.h"
#include "privacy/dp/training_plan.h"
#include "tests/unit/privacy/dp/test_random_sources.h"
#include "tests/unit/privacy/dp/test_terms.h"

namespace tacit::dp {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr double kNominalExamples = 5000;
constexpr double kExpectedBatchSize = 50;  // 0.01 of them
constexpr double kDeviation = 2;           // noise multiplier 1, clip norm 2

DpTrainingPlan Plan() { return *DpTrainingPlan::Create(GoodTerms(), kNominalExamples); }

double Norm(const std::vector<double>& values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

// What NoisyMean must release, computed from the normals that the seeded source gives.
std::vector<double> ExpectedRelease(const BoundedSum& sum, uint64_t seed) {
  const auto random = MakeInsecureTestRandomSource(seed, "noise");
  std::vector<double> release = *DrawStandardNormals(static_cast<int64_t>(sum.values().size()), *random);
  for (size_t i = 0; i < release.size(); ++i) {
    release[i] = (sum.values()[i] + kDeviation * release[i]) / kExpectedBatchSize;
  }
  return release;
}

std::vector<double> Release(const BoundedSum& sum, uint64_t seed) {
  const auto random = MakeInsecureTestRandomSource(seed, "noise");
  return *Plan().NoisyMean(sum, *random);
}

TEST(DpRules, Rule01_OneNormOverAllCoordinatesClipsTheRecord) {
  // Norm 13, of which no single coordinate knows; direction kept.
  const BoundedSum sum = SumOf({{3, 4, 12}}, 1);
  EXPECT_NEAR(sum.values()[0], 3.0 / 13, 1e-15);
  EXPECT_NEAR(sum.values()[1], 4.0 / 13, 1e-15);
  EXPECT_NEAR(sum.values()[2], 12.0 / 13, 1e-15);
}

TEST(DpRules, Rule01_AShortRecordIsNotStretched) {
  EXPECT_EQ(SumOf({{0.3f, 0.4f}}, 1).values(), (std::vector<double>{0.3f, 0.4f}));
}

TEST(DpRules, Rule01_TheNormIsAccumulatedInFloat64) {
  // In float32 every later square, 1e-8, would vanish beside the first, and the record would be left at norm 1.1.
  std::vector<float> record(2100001, 1e-4f);
  record[0] = 1;
  EXPECT_NEAR(Norm(SumOf({record}, 1).values()), 1, 1e-9);
}

TEST(DpRules, Rule01_OneRecordMovesTheSumByAtMostTheSensitivity) {
  const std::vector<std::vector<float>> others = {{1, 2, -3}, {0.1f, 0, 0}, {5, 5, 5}};
  for (const std::vector<float>& record :
       {std::vector<float>{1e30f, -1e30f, 1}, {3e38f, 3e38f, 3e38f}, {1e-30f, 0, 0}, {2, 0, 0}, {0, 0, 0}}) {
    auto with = others;
    with.push_back(record);
    const BoundedSum neighbour = SumOf(with, 2);
    std::vector<double> difference = SumOf(others, 2).values();
    for (size_t i = 0; i < 3; ++i) difference[i] -= neighbour.values()[i];
    EXPECT_LE(Norm(difference), neighbour.sensitivity() * (1 + 1e-14));
  }
}

TEST(DpRules, Rule02_NoiseIsAddedToTheSumAndDividedByTheExpectedBatchSize) {
  const BoundedSum sum = SumOf({{1, 0, 0.5f, 0}, {0, -1, 0, 0}, {0.25f, 0, 0, 1}}, 2);
  const std::vector<double> expected = ExpectedRelease(sum, 11);
  const std::vector<double> release = Release(sum, 11);
  ASSERT_EQ(release.size(), 4u);
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(release[i], expected[i], 1e-15);
}

TEST(DpRules, Rule02_TheNumberOfRecordsDrawnChangesNothing) {
  const BoundedSum one = SumOf({{1, -1}}, 2);
  const BoundedSum many = SumOf({{1, -1}, {0, 0}, {0, 0}, {0, 0}}, 2);
  ASSERT_NE(one.count(), many.count());
  EXPECT_EQ(Release(one, 3), Release(many, 3));
}

TEST(DpRules, Rule02_NoiseScalesWithTheSensitivity) {
  Terms terms = GoodTerms();
  terms.clip_norm = 200;
  const auto plan = *DpTrainingPlan::Create(terms, kNominalExamples);
  const auto random = MakeInsecureTestRandomSource(5, "noise");
  const std::vector<double> large = *plan.NoisyMean(EmptySum(6, 200), *random);
  const std::vector<double> small = Release(EmptySum(6, 2), 5);
  for (size_t i = 0; i < 6; ++i) EXPECT_NEAR(large[i] / small[i], 100, 1e-12);
}

TEST(DpRules, Rule02_EveryReleaseHasFreshNoise) {
  const auto random = MakeInsecureTestRandomSource(5, "noise");
  const BoundedSum sum = EmptySum(4, 2);
  EXPECT_NE(*Plan().NoisyMean(sum, *random), *Plan().NoisyMean(sum, *random));
}

TEST(DpRules, Rule03_EmptyBatchIsAStepOfNoiseOnly) {
  const BoundedSum sum = EmptySum(5, 2);
  const std::vector<double> release = Release(sum, 9);
  const std::vector<double> expected = ExpectedRelease(sum, 9);
  ASSERT_EQ(release.size(), 5u);
  for (size_t i = 0; i < 5; ++i) {
    EXPECT_NE(release[i], 0);
    EXPECT_NEAR(release[i], expected[i], 1e-15);
  }
}

TEST(DpRules, Rule03_SamplerNormaliserAndAccountantShareOneRate) {
  const DpTrainingPlan plan = Plan();
  const auto event = std::get<accounting::PoissonSubsampledGaussian>(plan.step_event());
  EXPECT_EQ(event.sampling_rate, 0.01);
  EXPECT_EQ(event.noise_multiplier, 1);
  EXPECT_EQ(plan.expected_batch_size(), event.sampling_rate * kNominalExamples);
  const auto ours = MakeInsecureTestRandomSource(4, "sampling");
  const auto same = MakeInsecureTestRandomSource(4, "sampling");
  EXPECT_EQ(*plan.SampleBatch(20000, *ours), *SamplePoisson(20000, event.sampling_rate, *same));
}

TEST(DpRules, Rule03_BatchSizesVary) {
  const DpTrainingPlan plan = Plan();
  const auto random = MakeInsecureTestRandomSource(4, "sampling");
  const size_t first = plan.SampleBatch(5000, *random)->size();
  bool varies = false;
  for (int i = 0; i < 20; ++i) varies = varies || plan.SampleBatch(5000, *random)->size() != first;
  EXPECT_TRUE(varies);
}

TEST(DpRules, Rule04_ANonFiniteRecordCountsAsZeroAndIsReported) {
  for (const float bad : {kInfinity, -kInfinity, kNan}) {
    auto builder = *ClippedSumBuilder::Create(3, 2, NeighbouringRelation::kAddOrRemoveOneExample);
    EXPECT_TRUE(builder.AddRecord(std::vector<float>{1, 0, 0}));
    EXPECT_FALSE(builder.AddRecord(std::vector<float>{1, bad, 1}));
    EXPECT_TRUE(builder.AddRecord(std::vector<float>{0, 1, 0}));
    const BoundedSum sum = std::move(builder).Build();
    EXPECT_EQ(sum.values(), (std::vector<double>{1, 1, 0}));
    EXPECT_EQ(sum.count(), 3);
  }
}

TEST(DpRules, Rule04_ANonFiniteNormHasFactorZero) {
  const auto builder = *ClippedSumBuilder::Create(3, 2, NeighbouringRelation::kAddOrRemoveOneExample);
  EXPECT_EQ(builder.ClipFactor(std::numeric_limits<double>::quiet_NaN()), 0);
  EXPECT_EQ(builder.ClipFactor(std::numeric_limits<double>::infinity()), 0);
}

TEST(DpRules, Rule10_AFailingGeneratorReleasesNothing) {
  const DpTrainingPlan plan = Plan();
  const BoundedSum sum = EmptySum(5000, 2);
  for (const size_t good : {0u, 4096u, 36864u}) {
    FailingSource source(good);
    EXPECT_EQ(plan.NoisyMean(sum, source).status().code(), absl::StatusCode::kInternal) << good;
    FailingSource other(good);
    EXPECT_EQ(plan.SampleBatch(5000, other).status().code(), absl::StatusCode::kInternal) << good;
  }
}

}  // namespace
}  // namespace tacit::dp
