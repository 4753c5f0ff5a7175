#include <algorithm>
#include <array>

#include "tests/unit/server/round/coordinator_fixture.h"

namespace tacit::coordinator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

class CoordinatorTest : public CoordinatorFixture {};

TEST_F(CoordinatorTest, StartsOnceEnoughTrainersAndEvaluatorsHaveJoined) {
  options.federation.evaluators = 1;
  const auto a = Join("a");
  const auto b = Join("b");
  EXPECT_THAT(a->tasks, IsEmpty());
  const auto e = JoinEvaluator("e");
  ASSERT_EQ(a->TasksOf<TrainTask>().size(), 1u);
  ASSERT_EQ(b->TasksOf<TrainTask>().size(), 1u);
  EXPECT_THAT(e->tasks, IsEmpty());
  EXPECT_THAT(observer.waiting(), ElementsAre(Pair(1, 2), Pair(2, 2), Pair(2, 2)));
}

TEST_F(CoordinatorTest, AnEvaluatorIsNoTrainer) {
  JoinEvaluator("e1");
  JoinEvaluator("e2");
  const auto a = Join("a");
  EXPECT_THAT(a->tasks, IsEmpty());
}

TEST_F(CoordinatorTest, ATrainerThatLeftBeforeTheStartDoesNotCount) {
  const auto a = Join("a");
  coordinator().Disconnect(Client("a"), a.get());
  const auto b = Join("b");
  EXPECT_THAT(b->tasks, IsEmpty());
  Join("a");
  EXPECT_EQ(b->TasksOf<TrainTask>().size(), 1u);
}

TEST_F(CoordinatorTest, ATrainerThatLeftBeforeTheStartIsNotWaitedFor) {
  const auto a = Join("a");
  coordinator().Disconnect(Client("a"), a.get());
  Join("b");
  Join("c");
  Submit("b", {1, 0, 0});
  Submit("c", {1, 0, 0});
  EXPECT_EQ(observer.rounds().size(), 1u);
}

TEST_F(CoordinatorTest, ATrainerThatDeclinedAndLeftIsRemembered) {
  options.federation.quorum = 1;
  const auto a = Join("a");
  Decline("a", "no");
  coordinator().Disconnect(Client("a"), a.get());
  EXPECT_FALSE(coordinator().Join({.client = Client("a"), .trains = true}, a).ok());
}

TEST_F(CoordinatorTest, ATasksParametersAreInTheBlobStore) {
  const auto a = Join("a");
  Join("b");
  const TrainTask task = a->TasksOf<TrainTask>().front();
  EXPECT_EQ(task.round, 0);
  ASSERT_NE(blobs.Get(task.parameters), nullptr);
  EXPECT_EQ(*blobs.Get(task.parameters), Change({1, 2, 3}).Serialize());
}

TEST_F(CoordinatorTest, TheModelMovesByTheWeightedAverageOfTheUpdates) {
  Join("a");
  Join("b");
  Submit("a", {4, 0, -8}, 0, 1);
  Submit("b", {0, 8, 8}, 0, 3);
  EXPECT_THAT(Parameters(), ElementsAre(1 + 1, 2 + 6, 3 + 4));
}

TEST_F(CoordinatorTest, TheServersLearningRateScalesTheAverage) {
  options.server_optimizer.learning_rate = 0.5;
  Join("a");
  Join("b");
  Submit("a", {4, 0, 0});
  Submit("b", {4, 8, 0});
  EXPECT_THAT(Parameters(), ElementsAre(1 + 2, 2 + 2, 3));
}

TEST_F(CoordinatorTest, TheNextRoundTrainsTheChangedModelAndTheOldBlobIsGone) {
  const auto a = Join("a");
  Join("b");
  const Digest first = a->TasksOf<TrainTask>().front().parameters;
  Submit("a", {1, 1, 1});
  Submit("b", {1, 1, 1});
  const auto tasks = a->TasksOf<TrainTask>();
  ASSERT_EQ(tasks.size(), 2u);
  EXPECT_EQ(tasks[1].round, 1);
  EXPECT_EQ(*blobs.Get(tasks[1].parameters), Change({2, 3, 4}).Serialize());
  EXPECT_EQ(blobs.Get(first), nullptr);
}

TEST_F(CoordinatorTest, ARunIsCompleteAfterItsLastRound) {
  const auto a = Join("a");
  Join("b");
  for (const RoundNumber round : {0, 1}) {
    EXPECT_EQ(Outcome(), std::nullopt);
    Submit("a", {1, 0, 0}, round);
    Submit("b", {1, 0, 0}, round);
  }
  EXPECT_EQ(Outcome(), absl::OkStatus());
  EXPECT_EQ(observer.rounds().size(), 2u);
  EXPECT_THAT(observer.outcomes(), ElementsAre(absl::OkStatus()));
  const auto finish = a->TasksOf<FinishTask>();
  ASSERT_EQ(finish.size(), 1u);
  EXPECT_TRUE(finish.front().outcome.ok());
  EXPECT_THAT(a->receipts, ElementsAre(0, 1));
}

TEST_F(CoordinatorTest, TheOrderInWhichUpdatesArriveChangesNoBit) {
  // Values whose floating-point sum depends on the order.
  const std::map<std::string, std::vector<float>> changes = {
      {"a", {1e8F, 0.1F, -3e-7F}}, {"b", {-1e8F, 0.7F, 1}}, {"c", {0.3F, 1e-8F, 1e-9F}}, {"d", {7, -0.8F, 12345.678F}}};
  const std::map<std::string, double> weights = {{"a", 3}, {"b", 3}, {"c", 0.1}, {"d", 17.25}};
  std::vector<std::string> order = {"a", "b", "c", "d"};
  std::optional<std::vector<float>> expected;
  do {
    test::RecordingObserver heard;
    BlobStore store;
    options.federation.trainers = 4;
    const auto run = *Coordinator::Create(options, Change({1, 2, 3}), clock, store, heard);
    for (const std::string& name : order) {
      ASSERT_TRUE(run->Join({.client = Client(name), .trains = true}, std::make_shared<RecordingLink>()).ok());
    }
    for (const std::string& name : order) {
      run->Submit(UpdateOf(name, 0, weights.at(name)), Change(changes.at(name)));
    }
    ASSERT_EQ(heard.parameters().size(), 1u);
    if (!expected) expected = heard.parameters().front();
    EXPECT_EQ(heard.parameters().front(), *expected);
  } while (std::ranges::next_permutation(order).found);
}

TEST_F(CoordinatorTest, TheSameUpdateTwiceCountsOnceAndGetsAReceiptAgain) {
  const auto a = Join("a");
  Join("b");
  Submit("a", {2, 0, 0});
  Submit("a", {2, 0, 0});
  coordinator().Submit(UpdateOf("a"), absl::DataLossError("its tensors went with the first one"));
  EXPECT_THAT(a->receipts, ElementsAre(0, 0, 0));
  EXPECT_THAT(a->refusals, IsEmpty());
  Submit("b", {0, 0, 0});
  EXPECT_THAT(Parameters(), ElementsAre(2, 2, 3));
}

TEST_F(CoordinatorTest, WhoTookPartIsReported) {
  Join("a");
  Join("b");
  Update update = UpdateOf("b", 0, 3);
  update.training_loss = 1;
  coordinator().Submit(update, Change({0, 0, 0}));
  update = UpdateOf("a", 0, 1);
  update.steps = 2;
  update.training_loss = 5;
  clock.Advance(2.5);
  coordinator().Submit(update, Change({0, 0, 0}));
  const RoundReport report = observer.rounds().front();
  EXPECT_EQ(report.round, 0);
  EXPECT_EQ(report.seconds, 2.5);
  EXPECT_EQ(report.training_loss, 2);  // weighted
  ASSERT_EQ(report.trainers.size(), 2u);
  EXPECT_EQ(report.trainers[0].client, Client("a"));
  EXPECT_EQ(report.trainers[0].steps, 2);
  EXPECT_EQ(report.trainers[1].client, Client("b"));
}

TEST_F(CoordinatorTest, ATrainerThatRejoinsWithinARoundGetsItsTaskAgain) {
  const auto a = Join("a");
  Join("b");
  coordinator().Disconnect(Client("a"), a.get());
  const auto again = Join("a");
  ASSERT_EQ(again->TasksOf<TrainTask>().size(), 1u);
  EXPECT_EQ(again->TasksOf<TrainTask>()[0].parameters, a->TasksOf<TrainTask>()[0].parameters);
}

TEST_F(CoordinatorTest, ATrainerThatRejoinsAfterItsAnswerGetsNoTask) {
  const auto a = Join("a");
  Join("b");
  Submit("a", {0, 0, 0});
  coordinator().Disconnect(Client("a"), a.get());
  EXPECT_THAT(Join("a")->tasks, IsEmpty());
}

TEST_F(CoordinatorTest, ASecondConnectionUnderTheSameNameClosesTheFirst) {
  const auto first = Join("a");
  const auto second = Join("a");
  ASSERT_TRUE(first->closed.has_value());
  EXPECT_EQ(first->closed->code(), absl::StatusCode::kAborted);
  EXPECT_THAT(std::string(first->closed->message()), HasSubstr("'a'"));
  EXPECT_FALSE(second->closed.has_value());
  // The old connection's end comes later, and must not take the new one with it.
  coordinator().Disconnect(Client("a"), first.get());
  Join("b");
  EXPECT_EQ(second->TasksOf<TrainTask>().size(), 1u);
  EXPECT_THAT(first->tasks, IsEmpty());
}

TEST_F(CoordinatorTest, OneNameIsOneTrainer) {
  Join("a");
  const auto again = Join("a");
  EXPECT_THAT(again->tasks, IsEmpty());
}

TEST_F(CoordinatorTest, ATrainerThatComesLateTakesPartFromTheNextRound) {
  Join("a");
  Join("b");
  const auto late = Join("late");
  EXPECT_THAT(late->tasks, IsEmpty());
  Submit("a", {0, 0, 0});
  Submit("b", {0, 0, 0});
  EXPECT_EQ(late->TasksOf<TrainTask>().size(), 1u);
}

TEST_F(CoordinatorTest, ADeclineBeforeTheStartEndsARunThatNeedsEverybody) {
  const auto a = Join("a");
  Decline("a", "epsilon 8 is too much");
  ASSERT_TRUE(Outcome().has_value());
  EXPECT_EQ(Outcome()->code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Outcome()->message()), HasSubstr("'a' declined: epsilon 8 is too much"));
  EXPECT_THAT(observer.declines(), ElementsAre(Pair("a", "epsilon 8 is too much")));
  EXPECT_EQ(a->TasksOf<FinishTask>().size(), 1u);
}

TEST_F(CoordinatorTest, ADeclineBeforeTheStartLeavesARunWithAQuorumWaitingForOthers) {
  options.federation.quorum = 1;
  Join("a");
  Decline("a", "no");
  Join("b");
  EXPECT_EQ(Outcome(), std::nullopt);
  const auto c = Join("c");
  EXPECT_EQ(c->TasksOf<TrainTask>().size(), 1u);
}

TEST_F(CoordinatorTest, ATrainerThatDeclinedCannotComeBack) {
  options.federation.quorum = 1;
  Join("a");
  Decline("a", "no");
  const auto link = std::make_shared<RecordingLink>();
  const absl::Status joined = coordinator().Join({.client = Client("a"), .trains = true}, link);
  EXPECT_EQ(joined.code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(CoordinatorTest, ADeclineWithinARoundIsAnAnswerAndShrinksTheCohort) {
  options.federation.trainers = 3;
  options.federation.quorum = 2;
  Join("a");
  const auto b = Join("b");
  Join("c");
  Submit("a", {3, 0, 0});
  Decline("c", "the budget is spent");
  Submit("b", {3, 0, 0});
  EXPECT_THAT(Parameters(), ElementsAre(4, 2, 3));
  Submit("a", {0, 0, 0}, 1);
  Submit("b", {0, 0, 0}, 1);
  EXPECT_EQ(Outcome(), absl::OkStatus());
}

TEST_F(CoordinatorTest, ADeclineThatLeavesFewerThanTheQuorumEndsTheRun) {
  Join("a");
  Join("b");
  Submit("a", {0, 0, 0});
  Submit("b", {0, 0, 0});
  Submit("a", {0, 0, 0}, 1);
  Decline("b", "no more");
  ASSERT_TRUE(Outcome().has_value());
  EXPECT_EQ(Outcome()->code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Outcome()->message()), HasSubstr("without: b"));
}

TEST_F(CoordinatorTest, ADeclineAfterTheAnswerCountsFromTheNextRound) {
  options.plan.rounds = 3;
  Join("a");
  Join("b");
  Submit("a", {1, 0, 0});
  Decline("a", "no more");
  Submit("b", {1, 0, 0});
  EXPECT_THAT(Parameters(), ElementsAre(2, 2, 3));
  ASSERT_TRUE(Outcome().has_value());
  EXPECT_THAT(std::string(Outcome()->message()), HasSubstr("round 1: 1 trainers are left"));
}

TEST_F(CoordinatorTest, ADeclineOfAnotherRunOrAStrangerChangesNothing) {
  Join("a");
  tacit::Decline decline{
      .run = options.plan.run, .incarnation = "other", .client = Client("a"), .reason = "of another run"};
  coordinator().Submit(decline);
  decline.incarnation = options.plan.incarnation;
  decline.client = Client("stranger");
  coordinator().Submit(decline);
  EXPECT_EQ(Outcome(), std::nullopt);
  EXPECT_THAT(observer.declines(), IsEmpty());
}

TEST_F(CoordinatorTest, AModelThatIsNoLongerFiniteEndsTheRun) {
  options.server_optimizer.learning_rate = 1e30;
  Join("a");
  Join("b");
  Submit("a", {1e10F, 0, 0});
  Submit("b", {1e10F, 0, 0});
  ASSERT_TRUE(Outcome().has_value());
  EXPECT_EQ(Outcome()->code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Outcome()->message()), HasSubstr("no longer finite"));
  EXPECT_THAT(observer.rounds(), IsEmpty());
}

TEST_F(CoordinatorTest, CancelEndsTheRunOnce) {
  const auto a = Join("a");
  coordinator().Cancel(absl::CancelledError("stopped"));
  coordinator().Cancel(absl::InternalError("again"));
  EXPECT_EQ(Outcome(), absl::CancelledError("stopped"));
  EXPECT_THAT(observer.outcomes(), ElementsAre(absl::CancelledError("stopped")));
  ASSERT_EQ(a->TasksOf<FinishTask>().size(), 1u);
  EXPECT_EQ(a->TasksOf<FinishTask>().front().outcome, absl::CancelledError("stopped"));
}

TEST_F(CoordinatorTest, WhoJoinsAfterTheEndHearsOfIt) {
  coordinator().Cancel(absl::CancelledError("stopped"));
  const auto late = Join("late");
  ASSERT_EQ(late->TasksOf<FinishTask>().size(), 1u);
  EXPECT_EQ(late->TasksOf<FinishTask>().front().outcome, absl::CancelledError("stopped"));
}

TEST_F(CoordinatorTest, WaitDisconnectedReturnsWhenNobodyIsConnected) {
  const auto a = Join("a");
  coordinator().Disconnect(Client("a"), a.get());
  coordinator().WaitDisconnected(Clock::Duration(1'000'000));
}

TEST_F(CoordinatorTest, AnOptimizerOutOfRangeIsRefused) {
  options.server_optimizer.learning_rate = 0;
  EXPECT_EQ(Coordinator::Create(options, Change({1, 2, 3}), clock, blobs, observer).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tacit::coordinator
