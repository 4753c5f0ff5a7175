#include "client/rpc/participant.h"

#include <gtest/gtest.h>

#include "core/file.h"
#include "tests/support/fake_backend.h"
#include "tests/support/federation.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::rpc {
namespace {

class ParticipantTest : public ::testing::Test {
 protected:
  ParticipantTest() { EXPECT_TRUE(WriteFileAtomically(csv, test::LogisticCsv(20, 1)).ok()); }
  const test::TempFolder folder;
  const std::string csv = folder.File("data.csv");
  const test::FakeBackend backend;
  const ModelArtifact artifact = test::LinearArtifact(2);
  const ParameterVector parameters{*artifact.TrainableSchema()};
};

TEST_F(ParticipantTest, RolesFollowFromTheData) {
  const auto trainer = *Participant::Create(test::LoopbackTrainer("t", csv), backend);
  EXPECT_TRUE(trainer->info().trains);
  EXPECT_FALSE(trainer->info().evaluates);
  const auto evaluator = *Participant::Create(test::LoopbackEvaluator("e", csv), backend);
  EXPECT_FALSE(evaluator->info().trains);
  EXPECT_TRUE(evaluator->info().evaluates);
  config::ClientConfig both = test::LoopbackTrainer("b", csv);
  both.evaluation = test::LoopbackEvaluator("b", csv).evaluation;
  EXPECT_TRUE((*Participant::Create(both, backend))->info().trains);
  EXPECT_TRUE((*Participant::Create(both, backend))->info().evaluates);
}

TEST_F(ParticipantTest, DataThatIsNotThereIsNamed) {
  EXPECT_TRUE(FailsWith(Participant::Create(test::LoopbackTrainer("t", folder.File("no.csv")), backend).status(),
                        absl::StatusCode::kNotFound, {"no.csv"}));
  EXPECT_TRUE(FailsWith(Participant::Create(test::LoopbackEvaluator("e", folder.File("no.csv")), backend).status(),
                        absl::StatusCode::kNotFound, {"no.csv"}));
}

TEST_F(ParticipantTest, TasksOfTheOtherRoleAreRefused) {
  const auto trainer = *Participant::Create(test::LoopbackTrainer("t", csv), backend);
  ASSERT_TRUE(trainer->Accept(test::SmallPlan(), artifact).ok());
  EXPECT_EQ(trainer->Evaluate({}, parameters, {}).status().code(), absl::StatusCode::kFailedPrecondition);
  const auto evaluator = *Participant::Create(test::LoopbackEvaluator("e", csv), backend);
  ASSERT_TRUE(evaluator->Accept(test::SmallPlan(), artifact).ok());
  EXPECT_EQ(evaluator->Train({}, parameters, {}).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ParticipantTest, APlanIsKnownByItsIncarnation) {
  const auto trainer = *Participant::Create(test::LoopbackTrainer("t", csv), backend);
  Plan plan = test::SmallPlan();
  EXPECT_FALSE(trainer->HasPlan(plan));
  ASSERT_TRUE(trainer->Accept(plan, artifact).ok());
  EXPECT_TRUE(trainer->HasPlan(plan));
  plan.incarnation = "second";
  EXPECT_FALSE(trainer->HasPlan(plan));
}

TEST_F(ParticipantTest, ARefusedPlanIsNoPlan) {
  const auto trainer = *Participant::Create(test::LoopbackTrainer("t", csv), backend);
  ASSERT_TRUE(trainer->Accept(test::SmallPlan(), artifact).ok());
  Plan wrong = test::SmallPlan();
  wrong.incarnation = "second";
  EXPECT_FALSE(trainer->Accept(wrong, test::LinearArtifact(3)).ok());
  EXPECT_FALSE(trainer->HasPlan(test::SmallPlan()));
  EXPECT_FALSE(trainer->HasPlan(wrong));
}

TEST_F(ParticipantTest, AnEvaluationReportSaysWhatItIs) {
  const auto evaluator = *Participant::Create(test::LoopbackEvaluator("e", csv), backend);
  ASSERT_TRUE(evaluator->Accept(test::SmallPlan(), artifact).ok());
  const EvaluationReport report = *evaluator->Evaluate({4, Digest()}, parameters, {});
  EXPECT_EQ(report.run.str(), "small");
  EXPECT_EQ(report.incarnation, "first");
  EXPECT_EQ(report.round, 4);
  EXPECT_EQ(report.client, test::Client("e"));
  EXPECT_EQ(report.examples, 20);
}

}  // namespace
}  // namespace tacit::rpc
