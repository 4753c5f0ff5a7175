#include "server/round/make_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "privacy/dp/training_plan.h"
#include "tests/support/federation.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::coordinator {
namespace {

constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

config::ServerConfig PrivateConfig() {
  config::ServerConfig config = test::LoopbackServer(2, 10, "");
  config.training.steps_per_round = 5;
  config.training.sampling_rate = 0.1;
  config.privacy.mode = "example-level";
  config.privacy.epsilon = 3;
  config.privacy.delta = 1e-5;
  config.privacy.clip_norm = 2;
  return config;
}

TEST(MakePlan, SaysWhatTheConfigSays) {
  config::ServerConfig config = test::LoopbackServer(2, 10, "");
  config.training.optimizer = {.learning_rate = 0.25, .momentum = 0.5, .weight_decay = 0.125};
  config.seed = 99;
  const Plan plan = *MakePlan(config, "the artifact");
  EXPECT_EQ(plan.run.str(), config.run);
  EXPECT_EQ(plan.model, Digest::Of("the artifact"));
  EXPECT_EQ(plan.model_bytes, 12);
  EXPECT_EQ(plan.rounds, 10);
  EXPECT_EQ(plan.steps_per_round, config.training.steps_per_round);
  EXPECT_EQ(plan.sampling_rate, config.training.sampling_rate);
  EXPECT_EQ(plan.optimizer.learning_rate, 0.25);
  EXPECT_EQ(plan.optimizer.momentum, 0.5);
  EXPECT_EQ(plan.optimizer.weight_decay, 0.125);
  EXPECT_EQ(plan.seed, 99u);
  EXPECT_FALSE(plan.terms.has_value());
}

TEST(MakePlan, EveryStartHasAnotherIncarnationThatIsAName) {
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    const std::string incarnation = MakePlan(test::LoopbackServer(1, 1, ""), "m")->incarnation;
    EXPECT_TRUE(ValidateName(incarnation).ok());
    EXPECT_TRUE(seen.insert(incarnation).second);
  }
}

TEST(MakePlan, CalibratesTheNoiseToTheBudget) {
  const PrivacyTerms terms = *MakePlan(PrivateConfig(), "m")->terms;
  EXPECT_EQ(terms.relation, NeighbouringRelation::kAddOrRemoveOneExample);
  EXPECT_EQ(terms.epsilon, 3);
  EXPECT_EQ(terms.delta, 1e-5);
  EXPECT_EQ(terms.clip_norm, 2);
  EXPECT_EQ(terms.sampling_rate, 0.1);
  EXPECT_EQ(terms.steps, 50);
  EXPECT_EQ(terms.accountant, "rdp");
  const double epsilon = test::EpsilonOf(50, 0.1, terms.noise_multiplier);
  EXPECT_LE(epsilon, 3);
  EXPECT_GT(epsilon, 3 * 0.999);
}

TEST(MakePlan, ANoiseMultiplierThatKeepsTheBudgetIsTaken) {
  config::ServerConfig config = PrivateConfig();
  config.privacy.noise_multiplier = 5;
  EXPECT_EQ(MakePlan(config, "m")->terms->noise_multiplier, 5);
}

TEST(MakePlan, ANoiseMultiplierThatContradictsTheBudgetIsRefusedNamingBoth) {
  config::ServerConfig config = PrivateConfig();
  config.privacy.noise_multiplier = 0.5;
  EXPECT_TRUE(FailsWith(MakePlan(config, "m").status(), kInvalid, {"[privacy]", "noise_multiplier 0.5", "epsilon 3"}));
}

TEST(MakePlan, ABudgetThatNoNoiseReachesIsRefused) {
  config::ServerConfig config = PrivateConfig();
  config.privacy.epsilon = 1e-12;
  config.training.sampling_rate = 1;
  EXPECT_TRUE(FailsWith(MakePlan(config, "m").status(), kInvalid, {"[privacy]"}));
}

TEST(MakePlan, AbsurdValuesAreRefused) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  for (const double bad : {0.0, -1.0, kNan, kInfinity}) {
    config::ServerConfig config = PrivateConfig();
    config.privacy.epsilon = bad;
    EXPECT_EQ(MakePlan(config, "m").status().code(), kInvalid) << bad;
    config = PrivateConfig();
    config.privacy.delta = bad;
    EXPECT_EQ(MakePlan(config, "m").status().code(), kInvalid) << bad;
    config = PrivateConfig();
    config.privacy.clip_norm = bad;
    EXPECT_EQ(MakePlan(config, "m").status().code(), kInvalid) << bad;
    config = PrivateConfig();
    config.privacy.noise_multiplier = bad;
    EXPECT_EQ(MakePlan(config, "m").status().code(), kInvalid) << bad;
    config = PrivateConfig();
    config.training.sampling_rate = bad;
    EXPECT_EQ(MakePlan(config, "m").status().code(), kInvalid) << bad;
  }
  config::ServerConfig config = PrivateConfig();
  config.run = "not a name";
  EXPECT_EQ(MakePlan(config, "m").status().code(), kInvalid);
}

TEST(MakePlan, TheLargestTrainingThereIsStillHasAnAnswer) {
  config::ServerConfig config = PrivateConfig();
  config.training.rounds = 10'000'000;
  config.training.steps_per_round = 10'000'000;
  config.training.sampling_rate = 1e-9;
  const auto plan = MakePlan(config, "m");
  if (plan.ok()) {
    EXPECT_EQ(plan->terms->steps, 100'000'000'000'000);
    EXPECT_TRUE(dp::DpTrainingPlan::Create(*plan->terms, 1000).ok());
  } else {
    EXPECT_TRUE(FailsWith(plan.status(), kInvalid, {"[privacy]"}));
  }
}

}  // namespace
}  // namespace tacit::coordinator
