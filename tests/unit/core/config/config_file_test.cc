#include "core/config/config_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>

#include "absl/strings/str_split.h"
#include "core/config/client_config.h"
#include "core/config/experiment_config.h"
#include "core/config/server_config.h"
#include "core/file.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::config {
namespace {

using absl::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr char kExperiment[] = R"(name = "first"
[federation]
trainers = 3
[model]
architecture = "mlp"
input_shape = [30]
outputs = 2
hidden = [16]
[data]
format = "csv"
path = "data/cells.csv"
target = "diagnosis"
labels = ["benign", "malignant"]
[evaluation]
holdout = 0.2
[training]
rounds = 5
steps_per_round = 10
sampling_rate = 0.1
[privacy]
mode = "example-level"
epsilon = 3.0
delta = 1e-5
clip_norm = 1.0
)";

class ConfigFileTest : public testing::Test {
 protected:
  ConfigFileTest() : folder_(testing::TempDir() + "config_test_" + std::to_string(::getpid())) {}
  ~ConfigFileTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& text) {
    const std::string path = folder_ + "/run.toml";
    EXPECT_TRUE(WriteFileAtomically(path, text).ok());
    return path;
  }

  // What is wrong, a line each, without the path of the file.
  std::vector<std::string> Problems(const std::string& text, std::vector<Override> overrides = {}) {
    const std::string path = Write(text);
    const auto config = ReadConfig<ExperimentConfig>({path, std::move(overrides)});
    if (config.ok()) return {};
    EXPECT_EQ(config.status().code(), StatusCode::kInvalidArgument);
    std::vector<std::string> lines = absl::StrSplit(std::string(config.status().message()), '\n');
    for (std::string& line : lines) {
      if (line.starts_with(path)) line = line.substr(path.size());
    }
    return lines;
  }

  static Override Set(const std::string& flag) { return *ParseSetFlag(flag); }

  const std::string folder_;
};

// `text` with its first `from` replaced.
std::string With(std::string text, const std::string& from, const std::string& to) {
  const size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(ConfigFileTest, ReadsValuesAndKeepsDefaults) {
  const auto config = ReadConfig<ExperimentConfig>({Write(kExperiment), {}});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->name, "first");
  EXPECT_EQ(config->federation.trainers, 3);
  EXPECT_EQ(config->model.hidden, std::vector<int64_t>{16});
  EXPECT_EQ(config->data.labels, (std::vector<std::string>{"benign", "malignant"}));
  EXPECT_EQ(config->privacy.delta, 1e-5);
  EXPECT_EQ(config->privacy.noise_multiplier, std::nullopt);
  EXPECT_EQ(config->training.optimizer.learning_rate, 0.1);
  EXPECT_EQ(config->server_optimizer.learning_rate, 1.0);
  EXPECT_FALSE(config->data.standardise.has_value());
}

TEST_F(ConfigFileTest, AllMistakesAtOnceInTheirOrder) {
  std::string text = kExperiment;
  text = With(text, "trainers = 3", "trainers = 0");
  text = With(text, "outputs = 2", "outputs = \"two\"");
  text = With(text, "format = \"csv\"", "format = \"xls\"");
  text = With(text, "rounds = 5", "ruonds = 5");
  text = With(text, "delta = 1e-5", "delta = 2.0");
  EXPECT_THAT(Problems(text), ElementsAre(":3: federation.trainers: is 0, must be at least 1",
                                          ":7: model.outputs: must be a whole number",
                                          ":10: data.format: is 'xls', must be one of csv, idx, npy",
                                          HasSubstr(":16: training.rounds: is missing"),
                                          ":17: training.ruonds: is not a known key; did you mean 'rounds'?",
                                          ":23: privacy.delta: must be below 1"));
}

TEST_F(ConfigFileTest, UnknownKeysAndTables) {
  EXPECT_THAT(Problems(With(kExperiment, "[model]", "[modl]")),
              testing::Contains(":4: modl: is not a known key; did you mean 'model'?"));
  EXPECT_THAT(Problems(std::string("unheard_of = 1\n") + kExperiment),
              ElementsAre(":1: unheard_of: is not a known key"));
  EXPECT_THAT(Problems(std::string("model = 3\n") + With(kExperiment, "[model]", "[data_]")),
              testing::Contains(":1: model: must be a table"));
  EXPECT_THAT(Problems(std::string(kExperiment) + "\"a.b[\" = 1\n"),
              ElementsAre(HasSubstr("privacy.a.b[: is not a known key")));
}

TEST_F(ConfigFileTest, WrongTypes) {
  EXPECT_THAT(Problems(With(kExperiment, "trainers = 3", "trainers = 3.0")),
              ElementsAre(":3: federation.trainers: must be a whole number"));
  EXPECT_THAT(Problems(With(kExperiment, "hidden = [16]", "hidden = [16, \"x\"]")),
              ElementsAre(":8: model.hidden: must be a list of whole numbers"));
  EXPECT_THAT(Problems(With(kExperiment, "holdout = 0.2", "holdout = nan")),
              ElementsAre(":15: evaluation.holdout: must be a finite number"));
  EXPECT_THAT(Problems(With(kExperiment, "epsilon = 3.0", "epsilon = inf")),
              ElementsAre(":22: privacy.epsilon: must be a finite number"));
}

TEST_F(ConfigFileTest, NoTomlAtAll) {
  EXPECT_THAT(Problems("name = \"x\"\nrounds = = 3\n"), ElementsAre(HasSubstr(":2: ")));
  EXPECT_TRUE(FailsWith(ReadConfig<ExperimentConfig>({folder_ + "/none.toml", {}}).status(), StatusCode::kNotFound,
                        {folder_ + "/none.toml"}));
}

TEST_F(ConfigFileTest, PathsAreMeantFromTheFilesFolder) {
  const std::string path = Write(kExperiment);
  EXPECT_EQ(ReadConfig<ExperimentConfig>({path, {}})->data.path, folder_ + "/data/cells.csv");
  const std::string up = With(kExperiment, "data/cells.csv", "../cells.csv");
  EXPECT_EQ(ReadConfig<ExperimentConfig>({Write(up), {}})->data.path,
            std::filesystem::path(folder_).parent_path().string() + "/cells.csv");
  const std::string absolute = With(kExperiment, "data/cells.csv", "/srv/cells.csv");
  EXPECT_EQ(ReadConfig<ExperimentConfig>({Write(absolute), {}})->data.path, "/srv/cells.csv");
}

TEST_F(ConfigFileTest, OverriddenPathsAreMeantFromTheWorkingFolder) {
  const std::string here = std::filesystem::current_path().string();
  const std::string path = Write(kExperiment);
  EXPECT_EQ(ReadConfig<ExperimentConfig>({path, {Set("data.path=other.csv")}})->data.path, here + "/other.csv");
  EXPECT_EQ(ReadConfig<ExperimentConfig>({path, {Set("output=out")}})->output, here + "/out");
}

TEST_F(ConfigFileTest, LaterOverridesWin) {
  const auto config = ReadConfig<ExperimentConfig>({Write(kExperiment),
                                                    {{"training.rounds", "6", "TACIT__TRAINING__ROUNDS"},
                                                     Set("training.rounds=7"),
                                                     Set("name=second"),
                                                     Set("model.hidden=[8, 4]"),
                                                     Set("server_optimizer.learning_rate=0.5")}});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->training.rounds, 7);
  EXPECT_EQ(config->name, "second");
  EXPECT_EQ(config->model.hidden, (std::vector<int64_t>{8, 4}));
  EXPECT_EQ(config->server_optimizer.learning_rate, 0.5);
}

TEST_F(ConfigFileTest, ProblemsNameTheOverride) {
  EXPECT_THAT(Problems(kExperiment, {Set("training.rounds=0")}),
              ElementsAre("--set: training.rounds: is 0, must be at least 1"));
  EXPECT_THAT(Problems(kExperiment, {{"training.rounds", "many", "TACIT__TRAINING__ROUNDS"}}),
              ElementsAre("TACIT__TRAINING__ROUNDS: training.rounds: must be a whole number"));
  EXPECT_THAT(Problems(kExperiment, {Set("training.round=3")}),
              ElementsAre("--set: training.round: is not a known key; did you mean 'rounds'?"));
  EXPECT_THAT(Problems(kExperiment, {Set("name.x=3")}), ElementsAre(HasSubstr("--set: name.x: 'name' is no table")));
}

TEST_F(ConfigFileTest, ProblemsInsideAnOverriddenTableNameTheOverride) {
  EXPECT_THAT(Problems(kExperiment, {Set("training={rounds = 0, steps_per_round = 1, sampling_rate = 0.5}")}),
              ElementsAre("--set: training.rounds: is 0, must be at least 1"));
  // The file has no such table, so blaming one of its lines would be wrong.
  EXPECT_THAT(Problems(kExperiment, {Set("trainng.rounds=3")}),
              ElementsAre("--set: trainng: is not a known key; did you mean 'training'?"));
}

TEST_F(ConfigFileTest, SetFlag) {
  EXPECT_EQ(Set("a.b=c=d").key, "a.b");
  EXPECT_EQ(Set("a.b=c=d").value, "c=d");
  EXPECT_EQ(Set("a=").value, "");
  for (const char* bad : {"", "a", "=1"}) {
    EXPECT_TRUE(FailsWith(ParseSetFlag(bad).status(), StatusCode::kInvalidArgument, {"--set", "KEY=VALUE"}));
  }
}

TEST_F(ConfigFileTest, Environment) {
  ASSERT_EQ(::setenv("TACIT__TRAINING__ROUNDS", "9", 1), 0);
  ASSERT_EQ(::setenv("TACIT__PRIVACY__CLIP_NORM", "2", 1), 0);
  const std::vector<Override> overrides = EnvironmentOverrides();
  ASSERT_EQ(overrides.size(), 2u);
  EXPECT_EQ(overrides[0].key, "privacy.clip_norm");
  EXPECT_EQ(overrides[1].key, "training.rounds");
  EXPECT_EQ(overrides[1].origin, "TACIT__TRAINING__ROUNDS");
  const auto config = ReadConfig<ExperimentConfig>({Write(kExperiment), overrides});
  ASSERT_TRUE(config.ok()) << config.status();
  EXPECT_EQ(config->training.rounds, 9);
  EXPECT_EQ(config->privacy.clip_norm, 2);
  ::unsetenv("TACIT__TRAINING__ROUNDS");
  ::unsetenv("TACIT__PRIVACY__CLIP_NORM");
}

TEST_F(ConfigFileTest, WhatIsPrintedReadsBack) {
  auto config = ReadConfig<ExperimentConfig>({Write(kExperiment), {}});
  ASSERT_TRUE(config.ok()) << config.status();
  config->data.labels = {"a \"b\" \\ \t", "größe"};
  config->data.standardise = StandardiseConfig{.mean = {0.1, 1e-300, -3}, .standard_deviation = {1.0 / 3}};
  config->training.optimizer.learning_rate = 0.1 + 0.2;
  const std::string printed = PrintConfig(*config);
  const auto again = ReadConfig<ExperimentConfig>({Write(printed), {}});
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(PrintConfig(*again), printed);
  EXPECT_EQ(again->data.labels, config->data.labels);
  EXPECT_EQ(again->data.standardise->mean, config->data.standardise->mean);
  EXPECT_EQ(again->training.optimizer.learning_rate, config->training.optimizer.learning_rate);
  EXPECT_EQ(ConfigHash(*again), ConfigHash(*config));
}

TEST_F(ConfigFileTest, TheHashFollowsTheValuesNotTheText) {
  const auto hash = [&](const std::string& text) {
    return ConfigHash(*ReadConfig<ExperimentConfig>({Write(text), {}}));
  };
  EXPECT_EQ(hash(kExperiment), hash(std::string("# comment\n\n") + With(kExperiment, "epsilon = 3.0", "epsilon = 3")));
  EXPECT_NE(hash(kExperiment), hash(With(kExperiment, "epsilon = 3.0", "epsilon = 4.0")));
}

TEST_F(ConfigFileTest, TermsWithoutEffectAreRefused) {
  const std::string none = With(kExperiment, "mode = \"example-level\"", "mode = \"none\"");
  EXPECT_THAT(Problems(none), testing::Contains(HasSubstr(":22: privacy.epsilon: has no effect")));
  EXPECT_THAT(Problems(With(kExperiment, "epsilon = 3.0\n", "")),
              ElementsAre(HasSubstr("privacy.epsilon: is missing")));
}

TEST_F(ConfigFileTest, PlainTextBeyondThisMachineNeedsAWord) {
  const std::string text = With(kExperiment, "name", "run");
  const auto read = [&](const std::string& head) {
    const std::string body = text.substr(text.find("[training]"));
    return ReadConfig<ServerConfig>(
        {Write("run = \"r\"\nmodel = \"m\"\noutput = \"o\"\n" + head + "[federation]\ntrainers = 1\n" + body), {}});
  };
  EXPECT_TRUE(read("").ok()) << read("").status();
  EXPECT_TRUE(read("listen = \"0.0.0.0:1\"\ninsecure = true\n").ok());
  EXPECT_TRUE(FailsWith(read("listen = \"0.0.0.0:1\"\n").status(), StatusCode::kInvalidArgument,
                        {":4: listen: is not a loopback address", "[tls]"}));
}

TEST_F(ConfigFileTest, ClientNeedsData) {
  const std::string text = "name = \"c\"\nserver = \"localhost:1\"\n";
  EXPECT_TRUE(FailsWith(ReadConfig<ClientConfig>({Write(text), {}}).status(), StatusCode::kInvalidArgument,
                        {"data: is missing"}));
}

}  // namespace
}  // namespace tacit::config
