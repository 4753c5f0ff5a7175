#include "server/store/run_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "absl/strings/str_split.h"
#include "core/file.h"
#include "tests/support/federation.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::coordinator {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using Json = nlohmann::json;

constexpr const char* kConfig = "run = \"small\"\n";

class RunOutputTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<RunOutput>> Create(const Plan& plan, bool overwrite = false) {
    return RunOutput::Create(Folder(), plan, artifact, kConfig, overwrite);
  }
  std::string Folder() const { return temp.File("deep/output"); }
  std::string Read(const std::string& file) const { return *ReadFile(Folder() + "/" + file, 1 << 20); }
  bool Exists(const std::string& file) const { return std::filesystem::exists(Folder() + "/" + file); }
  Json Summary() const { return Json::parse(Read("summary.json")); }
  std::vector<Json> Metrics() const {
    std::vector<Json> lines;
    for (const absl::string_view line : absl::StrSplit(Read("metrics.jsonl"), '\n', absl::SkipEmpty())) {
      lines.push_back(Json::parse(std::string(line)));
    }
    return lines;
  }
  ParameterVector Parameters(std::vector<float> values) const {
    return *ParameterVector::Create(*artifact.TrainableSchema(), std::move(values));
  }
  static RoundReport Round(RoundNumber round, std::vector<TrainerReport> trainers = {}) {
    RoundReport report;
    report.round = round;
    report.seconds = 0.5;
    report.trainers = std::move(trainers);
    return report;
  }
  static TrainerReport Spent(const std::string& name, double epsilon, bool secure = true) {
    return {test::Client(name), 3, PrivacySpend{epsilon, 1e-5, "rdp", secure}};
  }

  const test::TempFolder temp;
  const ModelArtifact artifact = test::LinearArtifact(2);
};

TEST_F(RunOutputTest, KeepsTheConfigAsItTookEffect) {
  ASSERT_TRUE(Create(test::SmallPlan()).ok());
  EXPECT_EQ(Read("config.toml"), kConfig);
}

TEST_F(RunOutputTest, ACompleteRunLeavesItsModelAndASummary) {
  const Plan plan = test::SmallPlan();
  const auto output = *Create(plan);
  RoundReport report = Round(0, {{test::Client("a"), 3, std::nullopt}, {test::Client("b"), 2, std::nullopt}});
  report.training_loss = 0.75;
  output->OnRound(report, Parameters({1, 2, 3}));
  report = Round(1, {{test::Client("a"), 3, std::nullopt}});
  report.evaluation = EvaluationSummary{.examples = 40, .loss = 0.25, .metrics = {{"accuracy", 0.9}}};
  output->OnRound(report, Parameters({4, 5, 6}));
  output->OnFinished(absl::OkStatus());
  EXPECT_TRUE(output->status().ok());

  const ModelArtifact model = *ParseArtifact(Read("model.tacit"));
  EXPECT_THAT(model.TrainableParameters()->values(), ElementsAre(4, 5, 6));
  EXPECT_EQ(model.graph_json, artifact.graph_json);

  const Json summary = Summary();
  EXPECT_EQ(summary["run"], "small");
  EXPECT_EQ(summary["outcome"], "complete");
  EXPECT_FALSE(summary.contains("reason"));
  EXPECT_EQ(summary["rounds"], 2);
  EXPECT_EQ(summary["rounds_planned"], 2);
  EXPECT_EQ(summary["training_seconds"], 1.0);
  EXPECT_EQ(summary["evaluation"]["loss"], 0.25);
  EXPECT_EQ(summary["evaluation"]["accuracy"], 0.9);
  EXPECT_EQ(summary["evaluation"]["examples"], 40);
  EXPECT_EQ(summary["privacy"]["mode"], "none");
  EXPECT_EQ(summary["trainers"].size(), 2u);
  EXPECT_EQ(summary["trainers"][0]["name"], "a");
  EXPECT_EQ(summary["trainers"][0]["rounds"], 2);
  EXPECT_EQ(summary["trainers"][0]["steps"], 6);
  EXPECT_EQ(summary["config_sha256"], Digest::Of(kConfig).hex());
  EXPECT_EQ(summary["initial_model_sha256"], plan.model.hex());
  EXPECT_EQ(summary["model_sha256"], Digest::Of(Read("model.tacit")).hex());
  EXPECT_EQ(summary["tacit_version"], TACIT_VERSION);
}

TEST_F(RunOutputTest, MetricsHaveALineForEveryRoundAsItEnds) {
  const auto output = *Create(test::SmallPlan());
  RoundReport report = Round(0, {{test::Client("a"), 3, std::nullopt}});
  report.training_loss = 0.75;
  output->OnRound(report, Parameters({1, 2, 3}));
  ASSERT_EQ(Metrics().size(), 1u);
  output->OnRound(Round(1), Parameters({1, 2, 3}));
  const std::vector<Json> lines = Metrics();
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0]["round"], 0);
  EXPECT_EQ(lines[0]["seconds"], 0.5);
  EXPECT_EQ(lines[0]["updates"], 1);
  EXPECT_EQ(lines[0]["training_loss"], 0.75);
  EXPECT_EQ(lines[0]["trainers"][0]["name"], "a");
  EXPECT_EQ(lines[0]["trainers"][0]["steps"], 3);
  EXPECT_FALSE(lines[0]["trainers"][0].contains("epsilon"));
  EXPECT_FALSE(lines[1].contains("training_loss"));
  EXPECT_FALSE(lines[1].contains("evaluation"));
}

TEST_F(RunOutputTest, APrivateRunStatesItsGuaranteeAndEveryTrainersSpend) {
  const Plan plan = test::PrivatePlan(2, 3, 0.5, 2);
  const auto output = *Create(plan);
  output->OnRound(Round(0, {Spent("a", 0.5), Spent("b", 0.5)}), Parameters({1, 2, 3}));
  output->OnRound(Round(1, {Spent("a", 0.75)}), Parameters({1, 2, 3}));
  output->OnFinished(absl::OkStatus());
  EXPECT_EQ(Metrics()[0]["trainers"][1]["epsilon"], 0.5);
  const Json privacy = Summary()["privacy"];
  EXPECT_EQ(privacy["mode"], "example-level");
  EXPECT_EQ(privacy["neighbouring_relation"], "add or remove one example");
  EXPECT_EQ(privacy["epsilon_budget"], plan.terms->epsilon);
  EXPECT_EQ(privacy["delta"], 1e-5);
  EXPECT_EQ(privacy["accountant"], "rdp");
  EXPECT_EQ(privacy["sampling"], "poisson");
  EXPECT_EQ(privacy["sampling_rate"], 0.5);
  EXPECT_EQ(privacy["clip_norm"], 1.0);
  EXPECT_EQ(privacy["noise_multiplier"], 2.0);
  EXPECT_EQ(privacy["steps"], 6);
  EXPECT_THAT(std::string(privacy["statement"]), HasSubstr("differentially private: add or remove one example"));
  const Json a = Summary()["trainers"][0];
  EXPECT_EQ(a["epsilon"], 0.75);  // the last, since spends add up at the trainer
  EXPECT_EQ(a["secure_noise"], true);
}

TEST_F(RunOutputTest, OneTrainersPredictableNoiseLeavesNoGuarantee) {
  const auto output = *Create(test::PrivatePlan(2, 3, 0.5, 2));
  output->OnRound(Round(0, {Spent("a", 0.5), Spent("b", 0.5, /*secure=*/false)}), Parameters({1, 2, 3}));
  output->OnFinished(absl::OkStatus());
  EXPECT_THAT(std::string(Summary()["privacy"]["statement"]), HasSubstr("NO GUARANTEE"));
  EXPECT_THAT(std::string(Summary()["privacy"]["statement"]), Not(HasSubstr("differentially private")));
  EXPECT_EQ(Metrics()[0]["trainers"][1]["secure_noise"], false);
}

TEST_F(RunOutputTest, PredictableNoiseInAnyRoundLeavesNoGuarantee) {
  const auto output = *Create(test::PrivatePlan(2, 3, 0.5, 2));
  output->OnRound(Round(0, {Spent("a", 0.5, /*secure=*/false)}), Parameters({1, 2, 3}));
  output->OnRound(Round(1, {Spent("a", 0.75, /*secure=*/true)}), Parameters({1, 2, 3}));
  output->OnFinished(absl::OkStatus());
  EXPECT_THAT(std::string(Summary()["privacy"]["statement"]), HasSubstr("NO GUARANTEE"));
}

TEST_F(RunOutputTest, AFailedRunSaysWhy) {
  const auto output = *Create(test::SmallPlan());
  output->OnDecline(test::Client("a"), "too much \"epsilon\"\n");
  output->OnFinished(absl::DeadlineExceededError("only 1 of 2 trainers joined"));
  EXPECT_TRUE(output->status().ok());
  const Json summary = Summary();
  EXPECT_EQ(summary["outcome"], "ended early");
  EXPECT_EQ(summary["reason"], "only 1 of 2 trainers joined");
  EXPECT_EQ(summary["rounds"], 0);
  EXPECT_FALSE(summary.contains("model_sha256"));
  EXPECT_EQ(summary["trainers"][0]["declined"], "too much \"epsilon\"\n");
  EXPECT_FALSE(Exists("model.tacit"));
}

TEST_F(RunOutputTest, ARunThatFailsAfterARoundKeepsTheModelSoFar) {
  const auto output = *Create(test::SmallPlan());
  output->OnRound(Round(0), Parameters({7, 8, 9}));
  output->OnFinished(absl::CancelledError("stopped"));
  EXPECT_THAT(ParseArtifact(Read("model.tacit"))->TrainableParameters()->values(), ElementsAre(7, 8, 9));
  EXPECT_EQ(Summary()["outcome"], "ended early");
}

TEST_F(RunOutputTest, NumbersThatAreNotFiniteAndTextThatIsNotUtf8AreStillJson) {
  const auto output = *Create(test::PrivatePlan(2, 3, 0.5, 2));
  RoundReport report = Round(0, {Spent("a", 0.5)});
  report.trainers[0].spend->accountant = "rdp\xff";
  report.evaluation = EvaluationSummary{.examples = 1, .loss = std::numeric_limits<double>::infinity()};
  output->OnRound(report, Parameters({1, 2, 3}));
  output->OnDecline(test::Client("b"), "broken off \xe2\x82");
  output->OnFinished(absl::InternalError("\xff"));
  EXPECT_EQ(Metrics().size(), 1u);
  EXPECT_TRUE(Metrics()[0]["evaluation"]["loss"].is_null());
  EXPECT_EQ(Summary()["outcome"], "ended early");
}

TEST_F(RunOutputTest, AnEarlierRunIsNotOverwrittenUnlessAsked) {
  {
    const auto output = *Create(test::SmallPlan());
    output->OnRound(Round(0), Parameters({1, 2, 3}));
    output->OnFinished(absl::OkStatus());
  }
  const std::string summary = Read("summary.json");
  EXPECT_TRUE(
      FailsWith(Create(test::SmallPlan()).status(), absl::StatusCode::kAlreadyExists, {Folder(), "--overwrite"}));
  EXPECT_EQ(Read("summary.json"), summary);

  ASSERT_TRUE(Create(test::SmallPlan(), /*overwrite=*/true).ok());
  EXPECT_FALSE(Exists("summary.json"));
  EXPECT_FALSE(Exists("model.tacit"));
  EXPECT_EQ(Read("metrics.jsonl"), "");
}

TEST_F(RunOutputTest, OtherFilesInTheFolderStay) {
  ASSERT_TRUE(WriteFileAtomically(Folder() + "/notes.txt", "mine").ok());
  ASSERT_TRUE(Create(test::SmallPlan()).ok());
  EXPECT_EQ(Read("notes.txt"), "mine");
}

TEST_F(RunOutputTest, AFolderThatCannotBeMadeIsNamed) {
  ASSERT_TRUE(WriteFileAtomically(temp.File("deep"), "a file where a folder should be").ok());
  const absl::Status status = Create(test::SmallPlan()).status();
  EXPECT_FALSE(status.ok());
  EXPECT_THAT(std::string(status.message()), HasSubstr(temp.File("deep")));
}

TEST_F(RunOutputTest, AFileThatCannotBeReplacedIsNamed) {
  ASSERT_TRUE(WriteFileAtomically(Folder() + "/summary.json/inside", "x").ok());
  const absl::Status status = Create(test::SmallPlan(), /*overwrite=*/true).status();
  EXPECT_TRUE(FailsWith(status, absl::StatusCode::kDataLoss, {"summary.json"}));
}

TEST_F(RunOutputTest, WhatCannotBeWrittenAtTheEndIsReported) {
  const auto output = *Create(test::SmallPlan());
  ASSERT_TRUE(MakeFolders(Folder() + "/summary.json/in-the-way").ok());
  output->OnFinished(absl::OkStatus());
  EXPECT_FALSE(output->status().ok());
  EXPECT_THAT(std::string(output->status().message()), HasSubstr("summary.json"));
}

}  // namespace
}  // namespace tacit::coordinator
