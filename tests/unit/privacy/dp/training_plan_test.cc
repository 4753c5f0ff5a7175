#include "privacy/dp/training_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "privacy/accounting/calibration.h"
#include "tests/unit/privacy/dp/test_random_sources.h"
#include "tests/unit/privacy/dp/test_terms.h"

namespace tacit::dp {
namespace {

using ::testing::HasSubstr;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TEST(DpTrainingPlan, TakesEverythingFromItsTerms) {
  const Terms terms = GoodTerms();
  const auto plan = DpTrainingPlan::Create(terms, 5000);
  ASSERT_TRUE(plan.ok()) << plan.status();
  EXPECT_EQ(plan->terms(), terms);
  EXPECT_EQ(plan->clip_norm(), 2);
  EXPECT_EQ(plan->expected_batch_size(), 50);
}

TEST(DpTrainingPlan, NamesTheTermThatIsOutOfRange) {
  const auto refused = [](const char* name, const std::function<void(Terms&)>& change, double nominal = 5000) {
    Terms terms = GoodTerms();
    change(terms);
    const absl::Status status = DpTrainingPlan::Create(terms, nominal).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name << " " << status;
    EXPECT_THAT(status.message(), HasSubstr(name));
  };
  for (const double bad : {0.0, -1.0, kInfinity, kNan}) {
    refused("epsilon", [&](Terms& terms) { terms.epsilon = bad; });
    refused("delta", [&](Terms& terms) { terms.delta = bad; });
    refused("sampling_rate", [&](Terms& terms) { terms.sampling_rate = bad; });
    refused("clip_norm", [&](Terms& terms) { terms.clip_norm = bad; });
    refused("noise_multiplier", [&](Terms& terms) { terms.noise_multiplier = bad; });
    refused(
        "nominal number of examples", [](Terms&) {}, bad);
  }
  refused("delta", [](Terms& terms) { terms.delta = 1; });
  refused("sampling_rate", [](Terms& terms) { terms.sampling_rate = 1.5; });
  refused("steps", [](Terms& terms) { terms.steps = 0; });
  refused("steps", [](Terms& terms) { terms.steps = -5; });
  refused("moments", [](Terms& terms) { terms.accountant = "moments"; });
  refused("relation", [](Terms& terms) { terms.relation = static_cast<NeighbouringRelation>(9); });
  refused("noise_multiplier times clip_norm", [](Terms& terms) { terms.clip_norm = terms.noise_multiplier = 1e200; });
  refused("noise_multiplier times clip_norm", [](Terms& terms) { terms.clip_norm = terms.noise_multiplier = 1e-200; });
}

TEST(DpTrainingPlan, RefusesTermsWhoseStepsCostMoreThanTheirEpsilon) {
  const auto code = [](const std::function<void(Terms&)>& change) {
    Terms terms = GoodTerms();
    change(terms);
    return DpTrainingPlan::Create(terms, 5000).status().code();
  };
  constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;
  EXPECT_EQ(code([](Terms& terms) { terms.epsilon = 2; }), kRefused);
  EXPECT_EQ(code([](Terms& terms) { terms.steps = 3000; }), kRefused);
  EXPECT_EQ(code([](Terms& terms) { terms.sampling_rate = 0.02; }), kRefused);
  EXPECT_EQ(code([](Terms& terms) { terms.noise_multiplier = 0.8; }), kRefused);
  EXPECT_EQ(code([](Terms& terms) { terms.delta = 1e-9; }), kRefused);
  EXPECT_EQ(code([](Terms& terms) { terms.noise_multiplier = 1e-300; }), kRefused);  // epsilon is infinite
}

TEST(DpTrainingPlan, AcceptsACalibratedNoiseMultiplier) {
  Terms terms = GoodTerms();
  terms.noise_multiplier = *accounting::CalibrateNoiseMultiplier(terms.epsilon, terms.delta, terms.sampling_rate,
                                                                 terms.steps, terms.accountant);
  EXPECT_TRUE(DpTrainingPlan::Create(terms, 5000).ok());
  terms.noise_multiplier *= 1 - 1e-6;
  EXPECT_FALSE(DpTrainingPlan::Create(terms, 5000).ok());
}

TEST(DpTrainingPlan, RefusesASumThatIsNotItsOwn) {
  const auto plan = *DpTrainingPlan::Create(GoodTerms(), 5000);
  FailingSource unused(0);
  const auto code = [&](double clip_norm, NeighbouringRelation relation) {
    auto builder = *ClippedSumBuilder::Create(3, clip_norm, relation);
    return plan.NoisyMean(std::move(builder).Build(), unused).status().code();
  };
  constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;
  EXPECT_EQ(code(1, NeighbouringRelation::kAddOrRemoveOneExample), kRefused);
  EXPECT_EQ(code(4, NeighbouringRelation::kAddOrRemoveOneExample), kRefused);
  EXPECT_EQ(code(2, NeighbouringRelation::kAddOrRemoveOneClient), kRefused);
}

TEST(DpTrainingPlan, AMeanThatOverflowsIsNotReleased) {
  Terms terms = GoodTerms();
  terms.clip_norm = 1e307;
  const auto plan = *DpTrainingPlan::Create(terms, 1e-300);
  const auto random = MakeInsecureTestRandomSource(1, "noise");
  EXPECT_EQ(plan.NoisyMean(EmptySum(4, 1e307), *random).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace tacit::dp
