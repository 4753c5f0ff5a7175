#include <limits>

#include "tests/unit/server/round/coordinator_fixture.h"

namespace tacit::coordinator {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

class CoordinatorEvaluationTest : public CoordinatorFixture {
 protected:
  CoordinatorEvaluationTest() {
    options.federation.trainers = 1;
    options.federation.evaluators = 2;
  }
  void Start() {
    e = JoinEvaluator("e");
    f = JoinEvaluator("f");
    a = Join("a");
  }
  std::shared_ptr<RecordingLink> a, e, f;
};

TEST_F(CoordinatorEvaluationTest, EvaluatorsGetTheRoundsResult) {
  Start();
  EXPECT_THAT(e->tasks, IsEmpty());
  Submit("a", {1, 1, 1});
  ASSERT_THAT(e->TasksOf<EvaluateTask>(), SizeIs(1));
  ASSERT_THAT(f->TasksOf<EvaluateTask>(), SizeIs(1));
  EXPECT_EQ(e->TasksOf<EvaluateTask>().front().round, 0);
  EXPECT_EQ(*blobs.Get(e->TasksOf<EvaluateTask>().front().parameters), Change({2, 3, 4}).Serialize());
  EXPECT_THAT(a->TasksOf<EvaluateTask>(), IsEmpty());
  EXPECT_THAT(a->TasksOf<TrainTask>(), SizeIs(1));  // the next round waits for the evaluation
}

TEST_F(CoordinatorEvaluationTest, MeansAreWeightedByExamples) {
  Start();
  Submit("a", {0, 0, 0});
  Evaluate("e", 0, 30, 2, {{"accuracy", 0.5}, {"only-e", 7}});
  EXPECT_THAT(observer.rounds(), IsEmpty());
  Evaluate("f", 0, 10, 4, {{"accuracy", 0.9}});
  ASSERT_THAT(observer.rounds(), SizeIs(1));
  const auto evaluation = observer.rounds().front().evaluation;
  ASSERT_TRUE(evaluation.has_value());
  EXPECT_EQ(evaluation->examples, 40);
  EXPECT_DOUBLE_EQ(evaluation->loss, 2.5);
  EXPECT_DOUBLE_EQ(evaluation->metrics.at("accuracy"), 0.6);
  EXPECT_DOUBLE_EQ(evaluation->metrics.at("only-e"), 7);
  EXPECT_THAT(a->TasksOf<TrainTask>(), SizeIs(2));
}

TEST_F(CoordinatorEvaluationTest, ALateEvaluatorIsLeftOut) {
  Start();
  Submit("a", {0, 0, 0});
  Evaluate("e", 0, 30, 2);
  clock.Advance(kRoundTimeout);
  coordinator().Tick();
  ASSERT_THAT(observer.rounds(), SizeIs(1));
  EXPECT_EQ(observer.rounds().front().evaluation->examples, 30);
  Evaluate("f", 0, 10, 1000);
  EXPECT_EQ(observer.rounds().front().evaluation->examples, 30);
}

TEST_F(CoordinatorEvaluationTest, WithoutAnyReportARoundHasNoEvaluation) {
  Start();
  Submit("a", {0, 0, 0});
  clock.Advance(kRoundTimeout);
  coordinator().Tick();
  ASSERT_THAT(observer.rounds(), SizeIs(1));
  EXPECT_FALSE(observer.rounds().front().evaluation.has_value());
}

TEST_F(CoordinatorEvaluationTest, OnlyTheFirstReportCounts) {
  Start();
  Submit("a", {0, 0, 0});
  Evaluate("e", 0, 10, 1);
  Evaluate("e", 0, 10, 1000);
  Evaluate("f", 0, 10, 3);
  EXPECT_DOUBLE_EQ(observer.rounds().front().evaluation->loss, 2);
}

TEST_F(CoordinatorEvaluationTest, ReportsOfOthersOtherRoundsAndOtherRunsAreIgnored) {
  Start();
  Evaluate("e", 0, 10, 1000);  // before the round's result is there
  Submit("a", {0, 0, 0});
  Evaluate("a", 0, 10, 1000);
  Evaluate("e", 1, 10, 1000);
  EvaluationReport other{.run = options.plan.run, .incarnation = "other", .client = Client("e"), .examples = 1};
  coordinator().Submit(other);
  Evaluate("e", 0, 10, 1);
  Evaluate("f", 0, 10, 1);
  EXPECT_DOUBLE_EQ(observer.rounds().front().evaluation->loss, 1);
}

TEST_F(CoordinatorEvaluationTest, AnEvaluatorThatRejoinsGetsItsTaskAgainUnlessItAnswered) {
  Start();
  Submit("a", {0, 0, 0});
  Evaluate("e", 0, 10, 1);
  EXPECT_THAT(JoinEvaluator("e")->tasks, IsEmpty());
  EXPECT_THAT(JoinEvaluator("f")->TasksOf<EvaluateTask>(), SizeIs(1));
}

TEST_F(CoordinatorEvaluationTest, ARoundIsEvaluatedWhenItIsDueAndAtTheEnd) {
  options.plan.rounds = 5;
  options.federation.evaluators = 1;
  options.federation.evaluate_every = 2;
  const auto evaluator = JoinEvaluator("e");
  Join("a");
  for (RoundNumber round = 0; round < 5; ++round) {
    Submit("a", {0, 0, 0}, round);
    Evaluate("e", round, 10, 1);
  }
  std::vector<RoundNumber> evaluated;
  for (const EvaluateTask& task : evaluator->TasksOf<EvaluateTask>()) evaluated.push_back(task.round);
  EXPECT_THAT(evaluated, ::testing::ElementsAre(1, 3, 4));
  EXPECT_EQ(Outcome(), absl::OkStatus());
}

TEST_F(CoordinatorEvaluationTest, ARunWithoutEvaluatorsGoesOn) {
  options.federation.evaluators = 0;
  Join("a");
  Submit("a", {0, 0, 0});
  Submit("a", {0, 0, 0}, 1);
  EXPECT_EQ(Outcome(), absl::OkStatus());
}

TEST_F(CoordinatorEvaluationTest, OneClientMayTrainAndEvaluate) {
  options.federation.evaluators = 1;
  const auto both = Join("a", true, true);
  Submit("a", {0, 0, 0});
  EXPECT_THAT(both->TasksOf<EvaluateTask>(), SizeIs(1));
  Evaluate("a", 0, 10, 1);
  EXPECT_THAT(both->TasksOf<TrainTask>(), SizeIs(2));
}

TEST_F(CoordinatorEvaluationTest, AnEvaluatorThatDeclinedIsNotWaitedFor) {
  options.federation.trainers = 2;
  options.federation.quorum = 1;
  Start();
  Decline("f", "the model doesn't fit its data");
  Join("b");
  EXPECT_THAT(a->tasks, IsEmpty());  // one evaluator is missing
  const auto g = JoinEvaluator("g");
  ASSERT_THAT(a->tasks, SizeIs(1));
  Submit("a", {0, 0, 0});
  Submit("b", {0, 0, 0});
  EXPECT_THAT(f->tasks, IsEmpty());
  Evaluate("e", 0, 10, 1);
  Evaluate("g", 0, 10, 1);
  EXPECT_THAT(observer.rounds(), SizeIs(1));
}

}  // namespace
}  // namespace tacit::coordinator
