#include "tests/unit/server/round/coordinator_fixture.h"

namespace tacit::coordinator {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class CoordinatorDeadlineTest : public CoordinatorFixture {
 protected:
  CoordinatorDeadlineTest() {
    options.federation.trainers = 3;
    options.federation.quorum = 2;
  }
  void PassTime(double seconds) {
    clock.Advance(seconds);
    coordinator().Tick();
  }
};

TEST_F(CoordinatorDeadlineTest, TheJoinTimeoutEndsTheRunSayingWhoCame) {
  options.federation.evaluators = 1;
  Join("a");
  PassTime(kJoinTimeout - 0.001);
  EXPECT_EQ(Outcome(), std::nullopt);
  PassTime(0.001);
  ASSERT_TRUE(Outcome().has_value());
  EXPECT_EQ(Outcome()->code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(Outcome()->message()), AllOf(HasSubstr("1 of 3 trainers"), HasSubstr("0 of 1 evaluators")));
}

TEST_F(CoordinatorDeadlineTest, ARoundWithAQuorumClosesAtItsDeadline) {
  Join("a");
  Join("b");
  Join("c");
  Submit("a", {2, 0, 0});
  Submit("b", {4, 0, 0});
  PassTime(kRoundTimeout - 0.001);
  EXPECT_THAT(observer.rounds(), IsEmpty());  // the third may still come
  PassTime(0.001);
  ASSERT_THAT(observer.rounds(), SizeIs(1));
  EXPECT_THAT(Parameters(), ElementsAre(4, 2, 3));
  EXPECT_THAT(observer.rounds().front().trainers, SizeIs(2));
}

TEST_F(CoordinatorDeadlineTest, ARoundClosesAtOnceWhenAllHaveAnswered) {
  Join("a");
  Join("b");
  Join("c");
  for (const char* name : {"a", "b", "c"}) Submit(name, {0, 0, 0});
  EXPECT_THAT(observer.rounds(), SizeIs(1));
}

TEST_F(CoordinatorDeadlineTest, ARoundBelowItsQuorumFailsNamingTheMissing) {
  Join("a");
  Join("b");
  Join("c");
  Submit("b", {0, 0, 0});
  PassTime(kRoundTimeout);
  ASSERT_TRUE(Outcome().has_value());
  EXPECT_EQ(Outcome()->code(), absl::StatusCode::kDeadlineExceeded);
  EXPECT_THAT(std::string(Outcome()->message()),
              AllOf(HasSubstr("round 0: 1 of 3 updates"), HasSubstr("quorum of 2"), HasSubstr("without: a, c")));
}

TEST_F(CoordinatorDeadlineTest, ManyMissingTrainersAreNotAllNamed) {
  options.federation.trainers = 12;
  for (int i = 0; i < 12; ++i) Join("trainer-" + std::to_string(10 + i));
  PassTime(kRoundTimeout);
  ASSERT_TRUE(Outcome().has_value());
  EXPECT_THAT(std::string(Outcome()->message()), AllOf(HasSubstr("trainer-17, and 4 more")));
}

TEST_F(CoordinatorDeadlineTest, TheLastAnswerMayComeAfterTheDeadlineThatNobodyLookedAt) {
  Join("a");
  Join("b");
  Join("c");
  Submit("a", {0, 0, 0});
  clock.Advance(kRoundTimeout + 5);
  Submit("b", {0, 0, 0});
  EXPECT_THAT(observer.rounds(), SizeIs(1));
}

TEST_F(CoordinatorDeadlineTest, ALateTrainerIsRefusedAndTakesPartInTheNextRound) {
  Join("a");
  Join("b");
  const auto c = Join("c");
  Submit("a", {1, 0, 0});
  Submit("b", {1, 0, 0});
  PassTime(kRoundTimeout);
  Submit("c", {9, 9, 9});
  EXPECT_THAT(c->refusals, SizeIs(1));
  EXPECT_THAT(c->TasksOf<TrainTask>(), SizeIs(2));
  EXPECT_EQ(c->TasksOf<TrainTask>().back().round, 1);
}

TEST_F(CoordinatorDeadlineTest, EveryRoundHasItsOwnDeadline) {
  Join("a");
  Join("b");
  Join("c");
  PassTime(kRoundTimeout - 1);
  for (const char* name : {"a", "b", "c"}) Submit(name, {0, 0, 0});
  PassTime(kRoundTimeout - 1);
  EXPECT_EQ(Outcome(), std::nullopt);
  for (const char* name : {"a", "b", "c"}) Submit(name, {0, 0, 0}, 1);
  EXPECT_EQ(Outcome(), absl::OkStatus());
}

TEST_F(CoordinatorDeadlineTest, ATrainerThatIsAwayAtTheStartOfARoundIsStillInItsCohort) {
  Join("a");
  Join("b");
  const auto c = Join("c");
  coordinator().Disconnect(Client("c"), c.get());
  Submit("a", {0, 0, 0});
  Submit("b", {0, 0, 0});
  PassTime(kRoundTimeout);
  const auto again = Join("c");
  ASSERT_THAT(again->TasksOf<TrainTask>(), SizeIs(1));
  EXPECT_EQ(again->TasksOf<TrainTask>().front().round, 1);
}

TEST_F(CoordinatorDeadlineTest, TimeMeansNothingAfterTheEnd) {
  coordinator().Cancel(absl::CancelledError("stopped"));
  PassTime(1e6);
  EXPECT_THAT(observer.outcomes(), SizeIs(1));
}

}  // namespace
}  // namespace tacit::coordinator
