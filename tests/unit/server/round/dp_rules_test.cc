// The rules of docs/privacy.md that the coordinator answers for. Each test names its rule; none may be weakened.
#include "tests/unit/server/round/coordinator_fixture.h"

namespace tacit::coordinator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;

class DpRules : public CoordinatorFixture {
 protected:
  DpRules() {
    options.plan = test::PrivatePlan(/*rounds=*/2, /*steps=*/3, /*sampling_rate=*/0.5, /*noise_multiplier=*/2);
    options.federation.quorum = 1;
    a = Join("a");
    b = Join("b");
  }
  // That a's update was refused for `reason` and b's alone makes the round.
  void ExpectRefused(const std::string& reason) {
    ASSERT_THAT(a->refusals, SizeIs(1));
    EXPECT_THAT(a->refusals.front().second, HasSubstr(reason));
    Submit("b", {1, 1, 1});
    EXPECT_THAT(Parameters(), ElementsAre(2, 3, 4));
    EXPECT_THAT(observer.rounds().front().trainers, SizeIs(1));
    EXPECT_FALSE(observer.rounds().front().training_loss.has_value());
  }
  std::shared_ptr<RecordingLink> a, b;
};

TEST_F(DpRules, Rule07_APrivateUpdateSaysWhatItSpent) {
  Update update = UpdateOf("a");
  update.spend = std::nullopt;
  coordinator().Submit(update, Change({9, 9, 9}));
  ExpectRefused("what it spent");
}

TEST_F(DpRules, Rule09_ATrainingLossNeverEntersAPrivateRun) {
  Update update = UpdateOf("a");
  update.training_loss = 0.5;
  coordinator().Submit(update, Change({9, 9, 9}));
  ExpectRefused("training loss");
}

TEST_F(DpRules, Rule07_EveryTrainersSpendIsReported) {
  Submit("a", {1, 1, 1});
  Submit("b", {1, 1, 1});
  ASSERT_THAT(observer.rounds(), SizeIs(1));
  const RoundReport round = observer.rounds().front();
  for (const TrainerReport& trainer : round.trainers) {
    ASSERT_TRUE(trainer.spend.has_value());
    EXPECT_EQ(trainer.spend->epsilon, 0.5);
  }
}

}  // namespace
}  // namespace tacit::coordinator
