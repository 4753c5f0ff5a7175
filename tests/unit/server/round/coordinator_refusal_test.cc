#include <limits>

#include "tests/unit/server/round/coordinator_fixture.h"

namespace tacit::coordinator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// Two trainers, of whom one is enough: a's update is what is refused, b's what the aggregate must hold alone.
class CoordinatorRefusalTest : public CoordinatorFixture {
 protected:
  CoordinatorRefusalTest() { options.federation.quorum = 1; }

  void Start() {
    a = Join("a");
    b = Join("b");
  }
  // That the last thing `a` heard is a refusal for `reason`.
  void ExpectRefused(RoundNumber round, const std::string& reason) {
    ASSERT_THAT(a->refusals, SizeIs(1));
    EXPECT_EQ(a->refusals.front().first, round);
    EXPECT_THAT(a->refusals.front().second, HasSubstr(reason));
    EXPECT_THAT(a->receipts, IsEmpty());
  }
  // That b's update closes the round by itself and is all that entered it.
  void ExpectOnlyOthersCount() {
    Submit("b", {1, 1, 1});
    ASSERT_THAT(observer.rounds(), SizeIs(1)) << "the refused update was no answer";
    EXPECT_THAT(Parameters(), ElementsAre(2, 3, 4));
    EXPECT_THAT(observer.rounds().front().trainers, SizeIs(1));
  }
  // That the round still waits for a's answer.
  void ExpectStillWaitedFor() {
    Submit("b", {1, 1, 1});
    ASSERT_THAT(observer.rounds(), IsEmpty());
    Submit("a", {3, 3, 3});
    EXPECT_THAT(Parameters(), ElementsAre(3, 4, 5));
  }

  std::shared_ptr<RecordingLink> a;
  std::shared_ptr<RecordingLink> b;
};

TEST_F(CoordinatorRefusalTest, AnUpdateOfALaterRound) {
  Start();
  Submit("a", {9, 9, 9}, 1);
  ExpectRefused(1, "round 1");
  ExpectStillWaitedFor();
}

TEST_F(CoordinatorRefusalTest, AnUpdateOfAnEarlierRound) {
  Start();
  Submit("a", {0, 0, 0});
  Submit("b", {0, 0, 0});
  a->receipts.clear();
  Submit("a", {9, 9, 9}, 0);
  ExpectRefused(0, "round 0, which is closed");
  Submit("b", {1, 1, 1}, 1);
  Submit("a", {1, 1, 1}, 1);
  EXPECT_THAT(Parameters(), ElementsAre(2, 3, 4));
}

TEST_F(CoordinatorRefusalTest, AnUpdateBeforeTheStart) {
  a = Join("a");
  Submit("a", {9, 9, 9});
  ExpectRefused(0, "closed");
  b = Join("b");
  ExpectStillWaitedFor();
}

TEST_F(CoordinatorRefusalTest, AnUpdateOfAnotherIncarnation) {
  Start();
  Update update = UpdateOf("a");
  update.incarnation = "before-the-restart";
  coordinator().Submit(update, Change({9, 9, 9}));
  ExpectRefused(0, "another run");
  ExpectStillWaitedFor();
}

TEST_F(CoordinatorRefusalTest, AnUpdateOfAnotherRun) {
  Start();
  Update update = UpdateOf("a");
  update.run = test::Run("another");
  coordinator().Submit(update, Change({9, 9, 9}));
  ExpectRefused(0, "another run");
  ExpectStillWaitedFor();
}

TEST_F(CoordinatorRefusalTest, AnUpdateOfAClientOutsideTheCohort) {
  Start();
  const auto late = Join("late");
  Submit("late", {9, 9, 9});
  ASSERT_THAT(late->refusals, SizeIs(1));
  EXPECT_THAT(late->refusals.front().second, HasSubstr("cohort"));
  Submit("a", {1, 1, 1});
  Submit("b", {1, 1, 1});
  EXPECT_THAT(Parameters(), ElementsAre(2, 3, 4));
}

TEST_F(CoordinatorRefusalTest, AnUpdateOfAStrangerIsIgnored) {
  Start();
  Submit("stranger", {9, 9, 9});
  Submit("a", {1, 1, 1});
  Submit("b", {1, 1, 1});
  EXPECT_THAT(Parameters(), ElementsAre(2, 3, 4));
}

TEST_F(CoordinatorRefusalTest, AnUpdateOfAnotherModel) {
  Start();
  const auto other = *Schema::Create({{"w", {3}}});
  coordinator().Submit(UpdateOf("a"), *ParameterVector::Create(other, {9, 9, 9}));
  ExpectRefused(0, "another model");
  ExpectOnlyOthersCount();
}

TEST_F(CoordinatorRefusalTest, AnUpdateWhoseTensorsCannotBeRead) {
  Start();
  coordinator().Submit(UpdateOf("a"), absl::DataLossError("the update's tensors were not uploaded"));
  ExpectRefused(0, "not uploaded");
  ExpectOnlyOthersCount();
}

TEST_F(CoordinatorRefusalTest, AnUpdateThatCannotBeRead) {
  Start();
  coordinator().SubmitUnreadable(Client("a"), 0, "field 'update.weight' is nan");
  ExpectRefused(0, "update.weight");
  ExpectOnlyOthersCount();
}

TEST_F(CoordinatorRefusalTest, AnUnreadableUpdateAfterAGoodOneTakesNothingBack) {
  options.federation.quorum = 2;
  Start();
  Submit("a", {1, 1, 1});
  coordinator().SubmitUnreadable(Client("a"), 0, "unreadable");
  Submit("b", {1, 1, 1});
  EXPECT_THAT(Parameters(), ElementsAre(2, 3, 4));
}

TEST_F(CoordinatorRefusalTest, AnUpdateThatIsNotFinite) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    test::RecordingObserver heard;
    BlobStore store;
    const auto run = *Coordinator::Create(options, Change({1, 2, 3}), clock, store, heard);
    const auto link = std::make_shared<RecordingLink>();
    ASSERT_TRUE(run->Join({.client = Client("a"), .trains = true}, link).ok());
    ASSERT_TRUE(run->Join({.client = Client("b"), .trains = true}, std::make_shared<RecordingLink>()).ok());
    run->Submit(UpdateOf("a"), Change({1, bad, 1}));
    ASSERT_THAT(link->refusals, SizeIs(1));
    EXPECT_THAT(link->refusals.front().second, HasSubstr("finite"));
    run->Submit(UpdateOf("b"), Change({1, 1, 1}));
    EXPECT_THAT(heard.parameters(), ElementsAre(ElementsAre(2, 3, 4)));
  }
}

TEST_F(CoordinatorRefusalTest, AnUpdateOfABadWeight) {
  for (const double bad : {0.0, -1.0, 1e300, std::numeric_limits<double>::quiet_NaN(),
                           std::numeric_limits<double>::infinity(), std::numeric_limits<double>::min()}) {
    test::RecordingObserver heard;
    BlobStore store;
    const auto run = *Coordinator::Create(options, Change({1, 2, 3}), clock, store, heard);
    const auto link = std::make_shared<RecordingLink>();
    ASSERT_TRUE(run->Join({.client = Client("a"), .trains = true}, link).ok());
    ASSERT_TRUE(run->Join({.client = Client("b"), .trains = true}, std::make_shared<RecordingLink>()).ok());
    run->Submit(UpdateOf("a", 0, bad), Change({9, 9, 9}));
    ASSERT_THAT(link->refusals, SizeIs(1)) << bad;
    EXPECT_THAT(link->refusals.front().second, HasSubstr("weight"));
    run->Submit(UpdateOf("b"), Change({1, 1, 1}));
    EXPECT_THAT(heard.parameters(), ElementsAre(ElementsAre(2, 3, 4)));
  }
}

TEST_F(CoordinatorRefusalTest, AnUpdateThatClaimsMoreStepsThanThePlanHas) {
  Start();
  Update update = UpdateOf("a");
  update.steps = options.plan.steps_per_round + 1;
  coordinator().Submit(update, Change({9, 9, 9}));
  ExpectRefused(0, "more steps");
  ExpectOnlyOthersCount();
}

TEST_F(CoordinatorRefusalTest, ASpendInARunWithoutPrivacy) {
  Start();
  Update update = UpdateOf("a");
  update.spend = PrivacySpend{.epsilon = 1, .delta = 1e-5, .accountant = "rdp"};
  coordinator().Submit(update, Change({9, 9, 9}));
  ExpectRefused(0, "without privacy");
  ExpectOnlyOthersCount();
}

TEST_F(CoordinatorRefusalTest, AGoodUpdateAfterARefusedOneIsTaken) {
  options.federation.trainers = 3;
  Start();
  Join("c");
  coordinator().Submit(UpdateOf("a"), absl::DataLossError("damaged"));
  Submit("a", {3, 3, 3});
  EXPECT_THAT(a->receipts, ElementsAre(0));
  Submit("b", {3, 3, 3});
  Submit("c", {3, 3, 3});
  EXPECT_THAT(Parameters(), ElementsAre(4, 5, 6));
}

TEST_F(CoordinatorRefusalTest, AnUpdateAfterTheEnd) {
  Start();
  coordinator().Cancel(absl::CancelledError("stopped"));
  Submit("a", {9, 9, 9});
  ExpectRefused(0, "over");
}

TEST_F(CoordinatorRefusalTest, RefusalsOfAllEndTheRunBeforeTheDeadline) {
  Start();
  coordinator().Submit(UpdateOf("a"), absl::DataLossError("damaged"));
  coordinator().Submit(UpdateOf("b"), absl::DataLossError("damaged"));
  ASSERT_TRUE(Outcome().has_value());
  EXPECT_EQ(Outcome()->code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(Outcome()->message()), HasSubstr("without: a, b"));
}

}  // namespace
}  // namespace tacit::coordinator
