// The rules of docs/privacy.md that the trainer answers for. Each test names its rule; none may be weakened.
#include <cmath>

#include "tests/unit/client/trainer/trainer_fixture.h"
#include "tests/unit/privacy/dp/test_random_sources.h"

namespace tacit::trainer {
namespace {

constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;
constexpr double kRate = 0.5;
constexpr double kSigma = 2;

class DpRules : public TrainerFixture {
 protected:
  static Plan PlanOf(int64_t rounds, int64_t steps) { return test::PrivatePlan(rounds, steps, kRate, kSigma); }
  static double EpsilonAfter(int64_t steps) { return test::EpsilonOf(steps, kRate, kSigma); }
};

TEST_F(DpRules, Rule02_NoiseIsAddedAndDividedByTheExpectedBatchSize) {
  // Without gradients an update is noise alone: a sum of `steps` independent normals of standard deviation
  // learning_rate sigma C / (q N).
  backend.gradients = test::FakeBackend::Gradients::kZero;
  constexpr int64_t kSteps = 4;
  constexpr double kClipNorm = 3;
  constexpr int kRounds = 400;
  Plan plan = test::PrivatePlan(kRounds, kSteps, kRate, kSigma, kClipNorm);
  plan.optimizer.learning_rate = 0.25;
  const auto trainer = MakeFor(plan);
  double squares = 0;
  int64_t count = 0;
  for (RoundNumber round = 0; round < kRounds; ++round) {
    for (const float value : ChangeOf(*Train(*trainer, round))) {
      squares += static_cast<double>(value) * value;
      ++count;
    }
  }
  const double expected = 0.25 * kSigma * kClipNorm / (kRate * kNominal) * std::sqrt(kSteps);
  // The mean square of 1200 normals over its expectation has a standard deviation of sqrt(2 / 1200) = 0.041. The seed
  // is fixed; under a fresh one this bound of 5 deviations would be missed with probability 6e-7.
  EXPECT_NEAR(squares / static_cast<double>(count) / (expected * expected), 1, 5 * std::sqrt(2.0 / 1200));
}

TEST_F(DpRules, Rule03_EmptyBatchesAreStepsOfNoiseThatAreSpent) {
  constexpr double kTinyRate = 1e-9;
  const Plan plan = test::PrivatePlan(1, 5, kTinyRate, kSigma);
  const auto trainer = MakeFor(plan);
  const TrainedRound round = *Train(*trainer, 0);
  EXPECT_EQ(backend.empty_batches(), 5);
  EXPECT_EQ(round.update.steps, 5);
  EXPECT_EQ(round.update.spend->epsilon, test::EpsilonOf(5, kTinyRate, kSigma));
  for (const float value : ChangeOf(round)) EXPECT_NE(value, 0);
}

TEST_F(DpRules, Rule04_NonFiniteGradientsCountAsZero) {
  backend.gradients = test::FakeBackend::Gradients::kNan;
  const std::vector<float> with_nan = ChangeOf(*Train(*MakeFor(PlanOf(2, 3)), 0));
  backend.gradients = test::FakeBackend::Gradients::kZero;
  EXPECT_EQ(ChangeOf(*Train(*MakeFor(PlanOf(2, 3)), 0)), with_nan);
}

TEST_F(DpRules, Rule05_TheUpdateSaysWhetherItsNoiseWasSecure) {
  EXPECT_FALSE(Train(*MakeFor(PlanOf(2, 3)), 0)->update.spend->secure_noise);
  EXPECT_TRUE(Train(*MakeFor(PlanOf(2, 3), dp::MakeSecureRandomSource()), 0)->update.spend->secure_noise);
}

TEST_F(DpRules, Rule05_SecureNoiseIsNeverTheSameTwice) {
  const std::string first = Train(*MakeFor(PlanOf(2, 3), dp::MakeSecureRandomSource()), 0)->change_bytes;
  EXPECT_NE(Train(*MakeFor(PlanOf(2, 3), dp::MakeSecureRandomSource()), 0)->change_bytes, first);
}

TEST_F(DpRules, Rule07_TheSpendIsThatOfTheStepsTaken) {
  const auto trainer = MakeFor(PlanOf(3, 4));
  for (RoundNumber round = 0; round < 3; ++round) {
    const Update update = Train(*trainer, round)->update;
    EXPECT_EQ(update.steps, 4);
    ASSERT_TRUE(update.spend.has_value());
    EXPECT_EQ(update.spend->epsilon, EpsilonAfter(4 * (round + 1)));
    EXPECT_EQ(update.spend->delta, 1e-5);
    EXPECT_EQ(update.spend->accountant, "rdp");
  }
}

TEST_F(DpRules, Rule07_ARepeatedTaskSpendsNothingAndReleasesTheSameBytes) {
  const auto trainer = MakeFor(PlanOf(2, 3));
  const TrainedRound first = *Train(*trainer, 0);
  const int64_t calls = backend.gradient_calls();
  // With other parameters too: what round 0 released is released already.
  const ParameterVector other = *ParameterVector::Create(*artifact.TrainableSchema(), {1, 2, 3});
  for (const auto& again : {Train(*trainer, 0), trainer->Train({0, Digest()}, other, {})}) {
    ASSERT_TRUE(again.ok());
    EXPECT_EQ(again->change_bytes, first.change_bytes);
    EXPECT_EQ(again->update.spend->epsilon, first.update.spend->epsilon);
  }
  EXPECT_EQ(backend.gradient_calls(), calls);
  EXPECT_EQ(Train(*trainer, 1)->update.spend->epsilon, EpsilonAfter(6));
}

TEST_F(DpRules, Rule07_TheBudgetIsAHardStopAcrossPlans) {
  const Plan first = PlanOf(2, 3);
  const auto trainer = MakeFor(first);
  ASSERT_TRUE(Train(*trainer, 0).ok());
  // The coordinator started again and wants the whole run once more.
  Plan second = first;
  second.incarnation = "second";
  ASSERT_TRUE(trainer->Accept(second, artifact).ok());
  const TrainedRound round = *Train(*trainer, 0);
  EXPECT_EQ(round.update.incarnation, "second");
  EXPECT_EQ(round.update.steps, 3);
  EXPECT_LE(round.update.spend->epsilon, first.terms->epsilon);
  EXPECT_EQ(Train(*trainer, 1).status().code(), kExhausted);
}

TEST_F(DpRules, Rule07_ABudgetOfTheDataHoldersMayAllowMoreThanOnePlan) {
  const Plan first = PlanOf(1, 3);
  config.budget.max_epsilon = EpsilonAfter(6);
  const auto trainer = MakeFor(first);
  ASSERT_TRUE(Train(*trainer, 0).ok());
  Plan second = first;
  second.incarnation = "second";
  ASSERT_TRUE(trainer->Accept(second, artifact).ok());
  EXPECT_EQ(Train(*trainer, 0)->update.spend->epsilon, EpsilonAfter(6));
  Plan third = first;
  third.incarnation = "third";
  ASSERT_TRUE(trainer->Accept(third, artifact).ok());
  EXPECT_EQ(Train(*trainer, 0).status().code(), kExhausted);
}

TEST_F(DpRules, Rule07_ABudgetThatEndsWithinARoundGivesFewerStepsThenNone) {
  const auto trainer = MakeFor(PlanOf(1, 5));
  ASSERT_EQ(Train(*trainer, 0)->update.steps, 5);
  // A second plan of bigger rounds: 5 of 10 steps are spent, the budget is that of the first plan.
  config.budget.max_epsilon = EpsilonAfter(12);
  const auto other = MakeFor(PlanOf(1, 5));
  ASSERT_EQ(Train(*other, 0)->update.steps, 5);
  Plan bigger = PlanOf(1, 10);
  bigger.incarnation = "second";
  ASSERT_TRUE(other->Accept(bigger, artifact).ok());
  const TrainedRound round = *Train(*other, 0);
  EXPECT_EQ(round.update.steps, 7);
  EXPECT_LE(round.update.spend->epsilon, *config.budget.max_epsilon);
  Plan third = PlanOf(1, 1);
  third.incarnation = "third";
  ASSERT_TRUE(other->Accept(third, artifact).ok());
  EXPECT_EQ(Train(*other, 0).status().code(), kExhausted);
}

TEST_F(DpRules, Rule07_MoreRoundsThanThePlanHasAreRefused) {
  config.budget.max_epsilon = 1000;
  const auto trainer = MakeFor(PlanOf(2, 3));
  ASSERT_TRUE(Train(*trainer, 0).ok());
  ASSERT_TRUE(Train(*trainer, 1).ok());
  EXPECT_EQ(Train(*trainer, 2).status().code(), kExhausted);
}

TEST_F(DpRules, Rule07_ABudgetIsKeptAtOneDeltaAndByOneAccountant) {
  config.budget.max_epsilon = 1000;
  const auto trainer = MakeFor(PlanOf(2, 3));
  Plan other = PlanOf(2, 3);
  other.incarnation = "second";
  other.terms->delta = 1e-4;
  EXPECT_TRUE(FailsWith(trainer->Accept(other, artifact), absl::StatusCode::kFailedPrecondition, {"1e-05", "0.0001"}));
}

TEST_F(DpRules, Rule07_WhatWasSpentBeforeAnErrorStaysSpent) {
  const auto trainer = MakeFor(PlanOf(2, 3));
  backend.before_gradient = [](int64_t calls) {
    return calls == 1 ? absl::InternalError("out of memory") : absl::OkStatus();
  };
  EXPECT_EQ(Train(*trainer, 0).status(), absl::InternalError("out of memory"));
  // Two of six steps are gone without a release; the round starts anew and its three come on top.
  EXPECT_EQ(Train(*trainer, 0)->update.spend->epsilon, EpsilonAfter(5));
  EXPECT_EQ(Train(*trainer, 1)->update.steps, 1);
}

TEST_F(DpRules, Rule07_WhatWasSpentBeforeAStopStaysSpent) {
  const auto trainer = MakeFor(PlanOf(2, 3));
  std::stop_source stop;
  backend.before_gradient = [&](int64_t) {
    stop.request_stop();
    return absl::OkStatus();
  };
  EXPECT_EQ(Train(*trainer, 0, stop.get_token()).status().code(), absl::StatusCode::kCancelled);
  backend.before_gradient = nullptr;
  EXPECT_EQ(Train(*trainer, 0)->update.spend->epsilon, EpsilonAfter(4));
}

TEST_F(DpRules, Rule09_APrivateUpdateHasNoTrainingLoss) {
  EXPECT_FALSE(Train(*MakeFor(PlanOf(2, 3)), 0)->update.training_loss.has_value());
}

TEST_F(DpRules, Rule09_AnUpdatesWeightIsThePublicFigureNotTheTrueCount) {
  EXPECT_EQ(Train(*MakeFor(PlanOf(2, 3)), 0)->update.weight, kNominal);
  EXPECT_NE(kNominal, kRows);
}

TEST_F(DpRules, Rule10_AFailingRandomSourceReleasesNothing) {
  // Enough for the sampling of the first step, but not for its noise; and not even for that.
  for (const size_t good : {size_t{0}, size_t{8 * kRows}, size_t{8 * kRows + 8}, size_t{8 * kRows + 16}}) {
    const auto trainer = MakeFor(PlanOf(2, 3), std::make_unique<dp::FailingSource>(good));
    const auto round = Train(*trainer, 0);
    EXPECT_EQ(round.status().code(), absl::StatusCode::kInternal) << good;
    // Nor does it a second time.
    EXPECT_EQ(Train(*trainer, 0).status().code(), absl::StatusCode::kInternal) << good;
  }
}

}  // namespace
}  // namespace tacit::trainer
