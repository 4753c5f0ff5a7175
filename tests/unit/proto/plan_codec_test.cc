#include "proto/codec/plan_codec.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "proto/codec/limits.h"
#include "tests/unit/core/expect_error.h"
#include "tests/unit/proto/examples.h"

namespace tacit::wire {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;

v1::Plan Message(const Plan& plan) {
  v1::Plan message;
  ToWire(plan, message);
  return message;
}

// That the plan with one change is refused, naming `field`.
void ExpectRefused(const std::string& field, const std::function<void(v1::Plan&)>& change) {
  v1::Plan message = Message(ExamplePrivatePlan());
  change(message);
  EXPECT_TRUE(FailsWith(FromWire(message).status(), kInvalid, {"'" + field + "'"})) << message.ShortDebugString();
}

void ExpectAccepted(const std::function<void(v1::Plan&)>& change) {
  v1::Plan message = Message(ExamplePrivatePlan());
  change(message);
  EXPECT_TRUE(FromWire(message).ok()) << FromWire(message).status();
}

TEST(PlanCodec, APlanWithoutPrivacyComesBack) { ExpectSame(*FromWire(Message(ExamplePlan())), ExamplePlan()); }

TEST(PlanCodec, APrivatePlanComesBack) {
  ExpectSame(*FromWire(Message(ExamplePrivatePlan())), ExamplePrivatePlan());
  Plan client_level = ExamplePrivatePlan();
  client_level.terms->relation = NeighbouringRelation::kAddOrRemoveOneClient;
  ExpectSame(*FromWire(Message(client_level)), client_level);
}

TEST(PlanCodec, TheAbsenceOfPrivacyMustBeSaid) {
  v1::Plan message = Message(ExamplePlan());
  message.clear_privacy();
  EXPECT_TRUE(FailsWith(FromWire(message).status(), kInvalid, {"'plan.privacy'", "missing"}));
}

TEST(PlanCodec, AnEmptyMessageIsRefused) { EXPECT_EQ(FromWire(v1::Plan()).status().code(), kInvalid); }

TEST(PlanCodec, NamesAreChecked) {
  for (const std::string& bad : {std::string(), std::string(65, 'a'), std::string("a/b"), std::string("-a"),
                                 std::string("a\nb"), std::string("a\0b", 3), std::string("\x1b[31m")}) {
    ExpectRefused("plan.run", [&](v1::Plan& plan) { plan.set_run(bad); });
    ExpectRefused("plan.incarnation", [&](v1::Plan& plan) { plan.set_incarnation(bad); });
  }
}

TEST(PlanCodec, TheModelDigestHas32Bytes) {
  for (const size_t size : {0u, 31u, 33u, 64u}) {
    ExpectRefused("plan.model_digest", [&](v1::Plan& plan) { plan.set_model_digest(std::string(size, 'x')); });
  }
}

TEST(PlanCodec, WholeNumbersHaveLimits) {
  struct Limit {
    std::string field;
    std::function<void(v1::Plan&, int64_t)> set;
    int64_t most;
  };
  const Limit limits[] = {
      {"plan.model_bytes", [](v1::Plan& p, int64_t v) { p.set_model_bytes(v); }, static_cast<int64_t>(kMaxBlobBytes)},
      {"plan.rounds", [](v1::Plan& p, int64_t v) { p.set_rounds(v); }, kMaxRounds},
      {"plan.steps_per_round", [](v1::Plan& p, int64_t v) { p.set_steps_per_round(v); }, kMaxStepsPerRound},
      {"plan.terms.steps", [](v1::Plan& p, int64_t v) { p.mutable_terms()->set_steps(v); },
       kMaxRounds * kMaxStepsPerRound},
  };
  for (const Limit& limit : limits) {
    for (const int64_t bad : {int64_t{0}, int64_t{-1}, std::numeric_limits<int64_t>::min(), limit.most + 1,
                              std::numeric_limits<int64_t>::max()}) {
      ExpectRefused(limit.field, [&](v1::Plan& plan) { limit.set(plan, bad); });
    }
    ExpectAccepted([&](v1::Plan& plan) { limit.set(plan, 1); });
    ExpectAccepted([&](v1::Plan& plan) { limit.set(plan, limit.most); });
  }
}

TEST(PlanCodec, NumbersAreFiniteAndInRange) {
  struct Limit {
    std::string field;
    std::function<void(v1::Plan&, double)> set;
    std::vector<double> bad;
    std::vector<double> good;
  };
  const Limit limits[] = {
      {"plan.sampling_rate", [](v1::Plan& p, double v) { p.set_sampling_rate(v); }, {0, 1.0000001, -0.5}, {1e-9, 1}},
      {"plan.optimizer.learning_rate",
       [](v1::Plan& p, double v) { p.mutable_optimizer()->set_learning_rate(v); },
       {0, -1, 1e13},
       {1e-9, 1e6}},
      {"plan.optimizer.momentum",
       [](v1::Plan& p, double v) { p.mutable_optimizer()->set_momentum(v); },
       {-0.1, 1.5},
       {0, 0.99}},
      {"plan.optimizer.weight_decay",
       [](v1::Plan& p, double v) { p.mutable_optimizer()->set_weight_decay(v); },
       {-0.1, 1.5},
       {0, 1}},
      {"plan.terms.epsilon",
       [](v1::Plan& p, double v) { p.mutable_terms()->set_epsilon(v); },
       {0, -1, 1e13},
       {1e-3, 1e6}},
      {"plan.terms.delta", [](v1::Plan& p, double v) { p.mutable_terms()->set_delta(v); }, {0, -1, 1.5}, {1e-12}},
      {"plan.terms.sampling_rate",
       [](v1::Plan& p, double v) { p.mutable_terms()->set_sampling_rate(v); },
       {0, -1, 1.5},
       {1e-12, 1}},
      {"plan.terms.clip_norm",
       [](v1::Plan& p, double v) { p.mutable_terms()->set_clip_norm(v); },
       {0, -1, 1e13},
       {1e-6, 1e9}},
      {"plan.terms.noise_multiplier",
       [](v1::Plan& p, double v) { p.mutable_terms()->set_noise_multiplier(v); },
       {0, -1, 1e13},
       {1e-6, 1e6}},
  };
  for (const Limit& limit : limits) {
    std::vector<double> bad = limit.bad;
    bad.insert(bad.end(), {kNan, kInfinity, -kInfinity});
    for (const double value : bad) ExpectRefused(limit.field, [&](v1::Plan& plan) { limit.set(plan, value); });
    for (const double value : limit.good) ExpectAccepted([&](v1::Plan& plan) { limit.set(plan, value); });
  }
}

TEST(PlanCodec, UnknownRelationsAreRefused) {
  for (const int bad : {0, 3, -1}) {
    ExpectRefused("plan.terms.relation", [&](v1::Plan& plan) {
      plan.mutable_terms()->set_relation(static_cast<v1::NeighbouringRelation>(bad));
    });
  }
}

TEST(PlanCodec, TheAccountantsNameIsBounded) {
  ExpectRefused("plan.terms.accountant", [](v1::Plan& plan) { plan.mutable_terms()->clear_accountant(); });
  ExpectRefused("plan.terms.accountant", [](v1::Plan& plan) {
    plan.mutable_terms()->set_accountant(std::string(kMaxAccountantBytes + 1, 'a'));
  });
}

}  // namespace
}  // namespace tacit::wire
