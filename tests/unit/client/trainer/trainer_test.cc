#include "client/trainer/trainer.h"

#include "absl/strings/str_cat.h"
#include "privacy/dp/poisson_sampler.h"
#include "tests/unit/client/trainer/trainer_fixture.h"

namespace tacit::trainer {
namespace {

using ::testing::HasSubstr;

constexpr auto kRefused = absl::StatusCode::kFailedPrecondition;
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

class TrainerTest : public TrainerFixture {
 protected:
  absl::Status Accept(const Plan& plan) { return Make()->Accept(plan, artifact); }
};

TEST_F(TrainerTest, RefusesAPlanWithoutPrivacyUnlessTheDataHolderAllowsIt) {
  EXPECT_TRUE(FailsWith(Accept(test::SmallPlan()), kRefused, {"no privacy", "budget.allow_non_private"}));
  config.budget.allow_non_private = true;
  EXPECT_TRUE(Accept(test::SmallPlan()).ok());
}

TEST_F(TrainerTest, RefusesALargerEpsilonThanAllowedNamingBoth) {
  const Plan plan = test::PrivatePlan(2, 3, 0.5, 2);
  config.budget.max_epsilon = plan.terms->epsilon / 2;
  EXPECT_TRUE(FailsWith(
      Accept(plan), kRefused,
      {"asks for epsilon " + absl::StrCat(plan.terms->epsilon), "allows " + absl::StrCat(*config.budget.max_epsilon)}));
  config.budget.max_epsilon = plan.terms->epsilon;
  EXPECT_TRUE(Accept(plan).ok());
}

TEST_F(TrainerTest, RefusesALargerDeltaThanAllowed) {
  const Plan plan = test::PrivatePlan(2, 3, 0.5, 2);
  config.budget.max_delta = 1e-6;
  EXPECT_TRUE(FailsWith(Accept(plan), kRefused, {"delta 1e-05", "allows 1e-06"}));
  config.budget.max_delta = 1e-5;
  EXPECT_TRUE(Accept(plan).ok());
}

TEST_F(TrainerTest, APrivatePlanNeedsANominalNumberOfExamples) {
  config.data->nominal_examples = std::nullopt;
  EXPECT_TRUE(FailsWith(Accept(test::PrivatePlan(2, 3, 0.5, 2)), kRefused, {"data.nominal_examples"}));
}

TEST_F(TrainerTest, RefusesTermsThatAccountForAnotherTraining) {
  for (const int64_t steps : {5, 7}) {
    Plan plan = test::PrivatePlan(2, 3, 0.5, 2);
    plan.terms->steps = steps;
    EXPECT_TRUE(FailsWith(Accept(plan), kRefused, {"another training"})) << steps;
  }
  Plan plan = test::PrivatePlan(2, 3, 0.5, 2);
  plan.terms->sampling_rate = 0.25;
  EXPECT_TRUE(FailsWith(Accept(plan), kRefused, {"another training"}));
}

TEST_F(TrainerTest, RefusesToProtectClientsWhereItProtectsExamples) {
  Plan plan = test::PrivatePlan(2, 3, 0.5, 2);
  plan.terms->relation = NeighbouringRelation::kAddOrRemoveOneClient;
  EXPECT_TRUE(FailsWith(Accept(plan), kRefused, {"protects clients"}));
}

TEST_F(TrainerTest, RefusesTermsWhoseNoiseDoesNotKeepTheirEpsilon) {
  Plan plan = test::PrivatePlan(2, 3, 0.5, 2);
  plan.terms->noise_multiplier = 1;
  EXPECT_TRUE(FailsWith(Accept(plan), kRefused, {"noise_multiplier 1", "do not keep epsilon"}));
}

TEST_F(TrainerTest, RefusesTermsOutOfRangeAndUnknownAccountants) {
  Plan plan = test::PrivatePlan(2, 3, 0.5, 2);
  plan.terms->clip_norm = 0;
  EXPECT_EQ(Accept(plan).code(), kInvalid);
  plan = test::PrivatePlan(2, 3, 0.5, 2);
  plan.terms->accountant = "moments";
  EXPECT_EQ(Accept(plan).code(), kInvalid);
}

TEST_F(TrainerTest, RefusesAModelThatDoesNotFitTheData) {
  config.budget.allow_non_private = true;
  EXPECT_EQ(Make()->Accept(test::SmallPlan(), test::LinearArtifact(3)).code(), kInvalid);
}

TEST_F(TrainerTest, WhatTheBackendCannotLoadIsRefused) {
  config.budget.allow_non_private = true;
  backend.load_error = absl::DataLossError("a bad graph");
  EXPECT_EQ(Accept(test::SmallPlan()), absl::DataLossError("a bad graph"));
  EXPECT_EQ(Accept(test::PrivatePlan(2, 3, 0.5, 2)), absl::DataLossError("a bad graph"));
}

TEST_F(TrainerTest, WithoutAPlanThereIsNoTraining) {
  const auto trainer = Make();
  EXPECT_EQ(Train(*trainer, 0).status().code(), kRefused);
  EXPECT_FALSE(trainer->Accept(test::SmallPlan(), artifact).ok());
  EXPECT_EQ(Train(*trainer, 0).status().code(), kRefused);
}

TEST_F(TrainerTest, ARefusedPlanEndsTheOneInForce) {
  const auto trainer = MakeFor(test::PrivatePlan(2, 3, 0.5, 2));
  EXPECT_FALSE(trainer->Accept(test::SmallPlan(), artifact).ok());
  EXPECT_EQ(Train(*trainer, 0).status().code(), kRefused);
}

class OrdinaryTrainingTest : public TrainerTest {
 protected:
  OrdinaryTrainingTest() { config.budget.allow_non_private = true; }
};

TEST_F(OrdinaryTrainingTest, AnUpdateSaysWhatItIs) {
  const auto trainer = MakeFor(test::SmallPlan());
  const TrainedRound round = *Train(*trainer, 1);
  EXPECT_EQ(round.update.run.str(), "small");
  EXPECT_EQ(round.update.incarnation, "first");
  EXPECT_EQ(round.update.round, 1);
  EXPECT_EQ(round.update.client, test::Client("clinic"));
  EXPECT_EQ(round.update.change, Digest::Of(round.change_bytes));
  EXPECT_EQ(round.update.steps, 3);
  EXPECT_EQ(round.update.weight, kRows);
  EXPECT_FALSE(round.update.spend.has_value());
  EXPECT_TRUE(round.update.training_loss.has_value());
}

TEST_F(OrdinaryTrainingTest, WithEveryExampleInEveryBatchItIsGradientDescent) {
  Plan plan = test::SmallPlan();
  plan.sampling_rate = 1;
  plan.steps_per_round = 2;
  const auto trainer = MakeFor(plan);
  const TrainedRound round = *Train(*trainer, 0);
  const auto model = *backend.LoadModel(artifact);
  std::vector<int64_t> rows(kRows);
  for (int64_t i = 0; i < kRows; ++i) rows[static_cast<size_t>(i)] = i;
  const model::Batch batch = *test::LineDataset(kRows).Gather(rows);
  ParameterVector expected(*artifact.TrainableSchema());
  double loss = 0;
  for (int step = 0; step < 2; ++step) {
    const model::MeanGradient mean = *model->ComputeMeanGradient(expected, batch, 0);
    loss += mean.mean_loss / 2;
    for (size_t i = 0; i < 3; ++i) {
      expected.mutable_values()[i] = static_cast<float>(expected.values()[i] - 0.1 * mean.gradient.values()[i]);
    }
  }
  for (size_t i = 0; i < 3; ++i) EXPECT_FLOAT_EQ(ChangeOf(round)[i], expected.values()[i]) << i;
  EXPECT_NEAR(*round.update.training_loss, loss, 1e-9);
}

TEST_F(OrdinaryTrainingTest, ARoundDependsOnTheSeedTheNameAndTheRoundAlone) {
  const auto first = MakeFor(test::SmallPlan());
  ASSERT_TRUE(Train(*first, 0).ok());
  const TrainedRound late = *Train(*first, 1);
  const auto second = MakeFor(test::SmallPlan());
  EXPECT_EQ(Train(*second, 1)->change_bytes, late.change_bytes);
  EXPECT_NE(Train(*second, 2)->change_bytes, late.change_bytes);
  Plan plan = test::SmallPlan();
  plan.seed = 8;
  EXPECT_NE(Train(*MakeFor(plan), 1)->change_bytes, late.change_bytes);
}

TEST_F(OrdinaryTrainingTest, EmptyBatchesChangeNothing) {
  Plan plan = test::SmallPlan();
  plan.sampling_rate = 1e-12;
  const TrainedRound round = *Train(*MakeFor(plan), 0);
  EXPECT_EQ(ChangeOf(round), (std::vector<float>{0, 0, 0}));
  EXPECT_EQ(round.update.steps, 3);
  EXPECT_FALSE(round.update.training_loss.has_value());
  EXPECT_EQ(backend.empty_batches(), 3);
}

TEST_F(OrdinaryTrainingTest, ARoundTrainedBeforeComesBackAsItWas) {
  const auto trainer = MakeFor(test::SmallPlan());
  const TrainedRound first = *Train(*trainer, 0);
  const int64_t calls = backend.gradient_calls();
  const TrainedRound again = *Train(*trainer, 0);
  EXPECT_EQ(again.change_bytes, first.change_bytes);
  EXPECT_EQ(backend.gradient_calls(), calls);
}

TEST_F(OrdinaryTrainingTest, AStoppedTrainingIsCancelled) {
  const auto trainer = MakeFor(test::SmallPlan());
  std::stop_source stop;
  backend.before_gradient = [&](int64_t calls) {
    if (calls == 1) stop.request_stop();
    return absl::OkStatus();
  };
  EXPECT_EQ(Train(*trainer, 0, stop.get_token()).status().code(), absl::StatusCode::kCancelled);
  EXPECT_EQ(backend.gradient_calls(), 2);
  backend.before_gradient = nullptr;
  EXPECT_TRUE(Train(*trainer, 0).ok());
}

TEST_F(OrdinaryTrainingTest, TheBackendsErrorComesBack) {
  const auto trainer = MakeFor(test::SmallPlan());
  backend.before_gradient = [](int64_t) { return absl::InternalError("out of memory"); };
  EXPECT_EQ(Train(*trainer, 0).status(), absl::InternalError("out of memory"));
}

}  // namespace
}  // namespace tacit::trainer
