#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "server/round/coordinator.h"
#include "tests/support/fake_clock.h"
#include "tests/support/federation.h"
#include "tests/support/recording.h"

namespace tacit::coordinator {

using test::Client;
using test::RecordingLink;

// A coordinator whose clients, time and observer are fakes. Its model has three parameters, 1, 2 and 3.
class CoordinatorFixture : public ::testing::Test {
 protected:
  static constexpr double kJoinTimeout = 60;
  static constexpr double kRoundTimeout = 100;

  CoordinatorFixture() {
    options.plan = test::SmallPlan();
    options.federation.trainers = 2;
    options.federation.join_timeout_seconds = kJoinTimeout;
    options.federation.round_timeout_seconds = kRoundTimeout;
    options.server_optimizer.learning_rate = 1;
  }

  Coordinator& coordinator() {
    if (coordinator_ == nullptr) {
      coordinator_ = *Coordinator::Create(options, *ParameterVector::Create(schema, {1, 2, 3}), clock, blobs, observer);
    }
    return *coordinator_;
  }

  std::shared_ptr<RecordingLink> Join(const std::string& name, bool trains = true, bool evaluates = false) {
    auto link = std::make_shared<RecordingLink>();
    const absl::Status joined = coordinator().Join(
        {.client = Client(name), .trains = trains, .evaluates = evaluates, .software = "test"}, link);
    EXPECT_TRUE(joined.ok()) << joined;
    return link;
  }
  std::shared_ptr<RecordingLink> JoinEvaluator(const std::string& name) { return Join(name, false, true); }

  // An acceptable update of weight 1.
  Update UpdateOf(const std::string& name, RoundNumber round = 0, double weight = 1) const {
    Update update;
    update.run = options.plan.run;
    update.incarnation = options.plan.incarnation;
    update.round = round;
    update.client = Client(name);
    update.weight = weight;
    update.steps = options.plan.steps_per_round;
    if (options.plan.terms) update.spend = PrivacySpend{.epsilon = 0.5, .delta = 1e-5, .accountant = "rdp"};
    return update;
  }
  ParameterVector Change(std::vector<float> values) const {
    return *ParameterVector::Create(schema, std::move(values));
  }
  void Submit(const std::string& name, std::vector<float> change, RoundNumber round = 0, double weight = 1) {
    coordinator().Submit(UpdateOf(name, round, weight), Change(std::move(change)));
  }
  void Evaluate(const std::string& name, RoundNumber round, int64_t examples, double loss,
                std::map<std::string, double> metrics = {}) {
    EvaluationReport report;
    report.run = options.plan.run;
    report.incarnation = options.plan.incarnation;
    report.round = round;
    report.client = Client(name);
    report.examples = examples;
    report.loss = loss;
    report.metrics = std::move(metrics);
    coordinator().Submit(report);
  }
  void Decline(const std::string& name, const std::string& reason) {
    coordinator().Submit(tacit::Decline{
        .run = options.plan.run, .incarnation = options.plan.incarnation, .client = Client(name), .reason = reason});
  }
  // How the run ended, or nothing while it goes on.
  std::optional<absl::Status> Outcome() { return coordinator().WaitFinished(Clock::Duration(0)); }
  // The parameters after the last round.
  std::vector<float> Parameters() const { return observer.parameters().back(); }

  Coordinator::Options options;
  test::FakeClock clock;
  BlobStore blobs;
  test::RecordingObserver observer;
  const std::shared_ptr<const Schema> schema = *Schema::Create({{"w", {2}}, {"b", {1}}});

 private:
  std::unique_ptr<Coordinator> coordinator_;
};

}  // namespace tacit::coordinator
