#pragma once

#include <gtest/gtest.h>

#include "core/federation/plan.h"
#include "core/federation/task.h"
#include "core/federation/update.h"

// One valid example of every domain type that goes over the wire. The golden files hold these: changing a value here
// means that a golden file no longer says what a 1.0 program said.
namespace tacit::wire {

inline Plan ExamplePlan() {
  Plan plan;
  plan.run = *RunId::Create("golden-run");
  plan.incarnation = "0123456789abcdef";
  plan.model = Digest::Of("a model");
  plan.model_bytes = 12345;
  plan.rounds = 20;
  plan.steps_per_round = 7;
  plan.sampling_rate = 0.0625;
  plan.optimizer = {.learning_rate = 0.25, .momentum = 0.5, .weight_decay = 0.125};
  plan.seed = 18446744073709551615u;
  return plan;
}

inline Plan ExamplePrivatePlan() {
  Plan plan = ExamplePlan();
  plan.terms = PrivacyTerms{.relation = NeighbouringRelation::kAddOrRemoveOneExample,
                            .epsilon = 3,
                            .delta = 1e-5,
                            .sampling_rate = 0.0625,
                            .clip_norm = 1.5,
                            .noise_multiplier = 1.25,
                            .steps = 140,
                            .accountant = "rdp"};
  return plan;
}

inline ClientInfo ExampleInfo() {
  return {.client = *ClientId::Create("clinic-1"), .trains = true, .evaluates = true, .software = "tacit 0.1.0"};
}

inline Update ExampleUpdate() {
  Update update;
  update.run = *RunId::Create("golden-run");
  update.incarnation = "0123456789abcdef";
  update.round = 4;
  update.client = *ClientId::Create("clinic-1");
  update.change = Digest::Of("a change");
  update.weight = 1200;
  update.steps = 7;
  update.training_loss = 0.6875;
  return update;
}

inline Update ExamplePrivateUpdate() {
  Update update = ExampleUpdate();
  update.training_loss = std::nullopt;
  update.spend = PrivacySpend{.epsilon = 0.75, .delta = 1e-5, .accountant = "rdp", .secure_noise = true};
  return update;
}

inline Decline ExampleDecline() {
  return {.run = *RunId::Create("golden-run"),
          .incarnation = "0123456789abcdef",
          .client = *ClientId::Create("clinic-1"),
          .reason = "epsilon 8 is more than this data holder allows"};
}

inline EvaluationReport ExampleReport() {
  EvaluationReport report;
  report.run = *RunId::Create("golden-run");
  report.incarnation = "0123456789abcdef";
  report.round = 4;
  report.client = *ClientId::Create("clinic-1");
  report.examples = 250;
  report.loss = 0.3125;
  report.metrics = {{"accuracy", 0.875}};
  return report;
}

inline Task ExampleTrainTask() { return TrainTask{4, Digest::Of("parameters")}; }
inline Task ExampleEvaluateTask() { return EvaluateTask{5, Digest::Of("parameters")}; }
inline Task ExampleFinishTask() { return FinishTask{absl::DeadlineExceededError("only 2 of 3 trainers joined")}; }

// What two examples have in common, since the domain types that hold doubles have no ==.
inline void ExpectSame(const Update& a, const Update& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.incarnation, b.incarnation);
  EXPECT_EQ(a.round, b.round);
  EXPECT_EQ(a.client, b.client);
  EXPECT_EQ(a.change, b.change);
  EXPECT_EQ(a.weight, b.weight);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.training_loss, b.training_loss);
  ASSERT_EQ(a.spend.has_value(), b.spend.has_value());
  if (!a.spend) return;
  EXPECT_EQ(a.spend->epsilon, b.spend->epsilon);
  EXPECT_EQ(a.spend->delta, b.spend->delta);
  EXPECT_EQ(a.spend->accountant, b.spend->accountant);
  EXPECT_EQ(a.spend->secure_noise, b.spend->secure_noise);
}

inline void ExpectSame(const Plan& a, const Plan& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.incarnation, b.incarnation);
  EXPECT_EQ(a.model, b.model);
  EXPECT_EQ(a.model_bytes, b.model_bytes);
  EXPECT_EQ(a.rounds, b.rounds);
  EXPECT_EQ(a.steps_per_round, b.steps_per_round);
  EXPECT_EQ(a.sampling_rate, b.sampling_rate);
  EXPECT_EQ(a.optimizer.learning_rate, b.optimizer.learning_rate);
  EXPECT_EQ(a.optimizer.momentum, b.optimizer.momentum);
  EXPECT_EQ(a.optimizer.weight_decay, b.optimizer.weight_decay);
  EXPECT_EQ(a.seed, b.seed);
  EXPECT_EQ(a.terms, b.terms);
}

inline void ExpectSame(const ClientInfo& a, const ClientInfo& b) {
  EXPECT_EQ(a.client, b.client);
  EXPECT_EQ(a.trains, b.trains);
  EXPECT_EQ(a.evaluates, b.evaluates);
  EXPECT_EQ(a.software, b.software);
}

inline void ExpectSame(const Decline& a, const Decline& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.incarnation, b.incarnation);
  EXPECT_EQ(a.client, b.client);
  EXPECT_EQ(a.reason, b.reason);
}

inline void ExpectSame(const EvaluationReport& a, const EvaluationReport& b) {
  EXPECT_EQ(a.run, b.run);
  EXPECT_EQ(a.incarnation, b.incarnation);
  EXPECT_EQ(a.round, b.round);
  EXPECT_EQ(a.client, b.client);
  EXPECT_EQ(a.examples, b.examples);
  EXPECT_EQ(a.loss, b.loss);
  EXPECT_EQ(a.metrics, b.metrics);
}

}  // namespace tacit::wire
