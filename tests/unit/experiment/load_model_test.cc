#include "experiment/load_model.h"

#include <gtest/gtest.h>

#include "core/file.h"
#include "tests/support/federation.h"
#include "tests/support/temp_folder.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::experiment {
namespace {

config::ModelConfig Mlp() {
  config::ModelConfig config;
  config.architecture = "mlp";
  config.input_shape = {4};
  config.hidden = {8};
  config.outputs = 3;
  config.loss = "cross-entropy";
  return config;
}

TEST(LoadModel, BuildsAnArchitectureFromTheSeed) {
  const std::string bytes = *SerializeArtifact(*LoadModel(Mlp(), 1));
  EXPECT_EQ(*SerializeArtifact(*LoadModel(Mlp(), 1)), bytes);
  EXPECT_NE(*SerializeArtifact(*LoadModel(Mlp(), 2)), bytes);
}

TEST(LoadModel, AnArchitectureThatCannotBeIsNamed) {
  config::ModelConfig config = Mlp();
  config.hidden = {};
  EXPECT_TRUE(FailsWith(LoadModel(config, 1).status(), absl::StatusCode::kInvalidArgument, {"[model]", "hidden"}));
}

TEST(LoadModel, ReadsAnArtifactsFile) {
  const test::TempFolder folder;
  config::ModelConfig config;
  config.artifact = folder.File("model.tacit");
  EXPECT_TRUE(FailsWith(LoadModel(config, 1).status(), absl::StatusCode::kNotFound, {"model.tacit"}));
  ASSERT_TRUE(WriteFileAtomically(*config.artifact, "something else").ok());
  EXPECT_TRUE(FailsWith(LoadModel(config, 1).status(), absl::StatusCode::kDataLoss, {"model.tacit"}));
  const std::string bytes = *SerializeArtifact(test::LinearArtifact(2));
  ASSERT_TRUE(WriteFileAtomically(*config.artifact, bytes).ok());
  EXPECT_EQ(*SerializeArtifact(*LoadModel(config, 1)), bytes);
}

}  // namespace
}  // namespace tacit::experiment
