#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "privacy/accounting/calibration.h"
#include "privacy/dp/training_plan.h"

namespace tacit::dp {
namespace {

using ::testing::HasSubstr;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr auto kExhausted = absl::StatusCode::kResourceExhausted;

// Answers a given epsilon after its first event, or an error.
class ScriptedAccountant final : public accounting::Accountant {
 public:
  explicit ScriptedAccountant(absl::StatusOr<double> answer) : answer_(std::move(answer)) {}
  std::string name() const override { return "scripted"; }
  absl::Status Add(const accounting::Event&, int64_t) override { return absl::OkStatus(); }
  absl::StatusOr<double> Epsilon(double) const override { return answer_; }
  std::unique_ptr<accounting::Accountant> Clone() const override {
    return std::make_unique<ScriptedAccountant>(answer_);
  }

 private:
  absl::StatusOr<double> answer_;
};

accounting::Event Step(double q, double sigma) { return accounting::PoissonSubsampledGaussian{q, sigma}; }

double EpsilonOf(int64_t steps, double q, double sigma) {
  const auto accountant = *accounting::MakeAccountant("rdp");
  EXPECT_TRUE(accountant->Add(Step(q, sigma), steps).ok());
  return *accountant->Epsilon(1e-5);
}

TEST(BudgetAccount, RefusesBudgetsOutOfRangeAndUnknownAccountants) {
  constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
  for (const double bad : {0.0, -1.0, kInfinity, kNan}) {
    EXPECT_EQ(BudgetAccount::Create(bad, 1e-5, "rdp").status().code(), kInvalid) << bad;
    EXPECT_EQ(BudgetAccount::Create(1, bad, "rdp").status().code(), kInvalid) << bad;
  }
  EXPECT_EQ(BudgetAccount::Create(1, 1, "rdp").status().code(), kInvalid);
  EXPECT_EQ(BudgetAccount::Create(1, 1e-5, "moments").status().code(), kInvalid);
}

TEST(BudgetAccount, StartsAtZero) {
  const auto account = *BudgetAccount::Create(3, 1e-5, "rdp");
  EXPECT_EQ(account.epsilon_spent(), 0);
  EXPECT_EQ(account.epsilon_budget(), 3);
  EXPECT_EQ(account.delta(), 1e-5);
  EXPECT_EQ(account.events(), 0);
  EXPECT_EQ(account.accountant(), "rdp");
}

TEST(BudgetAccount, SpendsWhatTheAccountantSays) {
  auto account = *BudgetAccount::Create(100, 1e-5, "rdp");
  for (int steps = 1; steps <= 3000; ++steps) {
    ASSERT_TRUE(account.Spend(Step(0.01, 1)).ok());
    if (steps % 1000 != 0) continue;
    EXPECT_EQ(account.epsilon_spent(), EpsilonOf(steps, 0.01, 1));
  }
  EXPECT_EQ(account.events(), 3000);
}

TEST(BudgetAccount, StopsHardAtItsBudget) {
  auto account = *BudgetAccount::Create(2, 1e-5, "rdp");
  absl::Status status;
  int64_t taken = -1;
  do {
    ++taken;
    status = account.Spend(Step(0.01, 1));
  } while (status.ok() && taken < 100000);
  EXPECT_EQ(status.code(), kExhausted);
  EXPECT_THAT(status.message(), HasSubstr("budget of epsilon 2"));
  // Not one step too many, not one too few.
  EXPECT_EQ(account.events(), taken);
  EXPECT_LE(EpsilonOf(taken, 0.01, 1), 2);
  EXPECT_GT(EpsilonOf(taken + 1, 0.01, 1), 2);
  // And it stays stopped, unchanged, although something cheaper still fits.
  const double spent = account.epsilon_spent();
  EXPECT_EQ(account.Spend(Step(0.01, 1)).code(), kExhausted);
  EXPECT_EQ(account.epsilon_spent(), spent);
  EXPECT_EQ(account.events(), taken);
  EXPECT_TRUE(account.Spend(Step(1e-6, 20)).ok());
}

TEST(BudgetAccount, ABudgetMayBeReachedExactly) {
  const double budget = EpsilonOf(100, 0.01, 1);
  auto account = *BudgetAccount::Create(budget, 1e-5, "rdp");
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(account.Spend(Step(0.01, 1)).ok()) << i;
  EXPECT_EQ(account.epsilon_spent(), budget);
  EXPECT_EQ(account.Spend(Step(0.01, 1)).code(), kExhausted);
}

TEST(BudgetAccount, ACalibratedRunFitsItsBudgetToTheLastStep) {
  for (const double epsilon : {0.5, 3.0, 8.0}) {
    const double sigma = *accounting::CalibrateNoiseMultiplier(epsilon, 1e-5, 0.02, 500, "rdp");
    auto account = *BudgetAccount::Create(epsilon, 1e-5, "rdp");
    for (int i = 0; i < 500; ++i) ASSERT_TRUE(account.Spend(Step(0.02, sigma)).ok()) << i;
    EXPECT_EQ(account.Spend(Step(0.02, sigma)).code(), kExhausted);
  }
}

TEST(BudgetAccount, StepsOfDifferentPlansCountTogether) {
  auto account = *BudgetAccount::Create(2, 1e-5, "rdp");
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(account.Spend(Step(0.01, 1)).ok());
    ASSERT_TRUE(account.Spend(Step(0.02, 2)).ok());
  }
  const auto accountant = *accounting::MakeAccountant("rdp");
  ASSERT_TRUE(accountant->Add(Step(0.01, 1), 200).ok());
  ASSERT_TRUE(accountant->Add(Step(0.02, 2), 200).ok());
  EXPECT_NEAR(account.epsilon_spent(), *accountant->Epsilon(1e-5), 1e-12);
}

TEST(DpRules, Rule10_AnAccountantThatCannotAnswerStopsTheStep) {
  const absl::StatusOr<double> answers[] = {kNan, kInfinity, -kInfinity, -1.0, absl::InternalError("out of order")};
  for (const absl::StatusOr<double>& answer : answers) {
    auto account = *BudgetAccount::Create(1000, 1e-5, std::make_unique<ScriptedAccountant>(answer));
    EXPECT_EQ(account.Spend(Step(0.01, 1)).code(), kExhausted);
    EXPECT_EQ(account.events(), 0);
    EXPECT_EQ(account.epsilon_spent(), 0);
  }
}

TEST(DpRules, Rule10_AnEventWithoutAMeaningStopsTheStep) {
  auto account = *BudgetAccount::Create(1000, 1e-5, "rdp");
  for (const auto& event : {Step(0.01, 0), Step(kNan, 1), Step(0.01, kNan), Step(2, 1), Step(0.5, -1)}) {
    EXPECT_EQ(account.Spend(event).code(), kExhausted);
  }
  EXPECT_EQ(account.events(), 0);
  EXPECT_TRUE(account.Spend(Step(0.01, 1)).ok());
}

}  // namespace
}  // namespace tacit::dp
