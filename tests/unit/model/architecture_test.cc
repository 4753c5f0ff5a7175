#include "model/architecture/architecture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/digest.h"
#include "model/api/graph.h"

namespace tacit::model {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

ArchitectureSpec Mnist() {
  ArchitectureSpec spec;
  spec.kind = "cnn";
  spec.input_shape = {1, 28, 28};
  spec.outputs = 10;
  spec.channels = {32, 64};
  spec.loss = "cross-entropy";
  return spec;
}

void ExpectInvalid(const ArchitectureSpec& spec, const std::string& text) {
  const absl::Status status = BuildArchitecture(spec).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr(text));
}

TEST(Architecture, CnnIsTheKerasExample) {
  const absl::StatusOr<ModelArtifact> artifact = BuildArchitecture(Mnist());
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  EXPECT_EQ((*artifact->TrainableSchema())->size(), 34'826);
  EXPECT_EQ(artifact->tensors[4].value.shape(), (Shape{10, 1600}));
  const absl::StatusOr<Graph> graph = ParseModelGraph(*artifact);
  ASSERT_TRUE(graph.ok()) << graph.status();
  std::vector<std::string> ops;
  for (const Node& node : graph->nodes) ops.push_back(node.op.substr(6));
  EXPECT_THAT(ops, ElementsAre("conv2d", "relu", "max_pool2d", "conv2d", "relu", "max_pool2d", "reshape", "linear"));
}

TEST(Architecture, MlpFlattensAndStacks) {
  ArchitectureSpec spec = Mnist();
  spec.kind = "mlp";
  spec.hidden = {32, 16};
  spec.bias = false;
  const absl::StatusOr<ModelArtifact> artifact = BuildArchitecture(spec);
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  EXPECT_EQ((*artifact->TrainableSchema())->size(), 784 * 32 + 32 * 16 + 16 * 10);
}

TEST(Architecture, LinearStartsAtZero) {
  ArchitectureSpec spec = Mnist();
  spec.kind = "linear";
  const absl::StatusOr<ModelArtifact> artifact = BuildArchitecture(spec);
  ASSERT_TRUE(artifact.ok()) << artifact.status();
  EXPECT_EQ(artifact->TrainableParameters()->L2Norm(), 0);
}

TEST(Architecture, StartsUniformlyWithinTheBound) {
  const ModelArtifact artifact = *BuildArchitecture(Mnist());
  const std::span<const float> weights = artifact.tensors[4].value.values<float>();
  const double bound = 1 / std::sqrt(1600.0);
  double sum = 0, squares = 0;
  for (const float weight : weights) {
    ASSERT_LE(std::abs(weight), bound);
    sum += weight;
    squares += weight * weight;
  }
  const double n = static_cast<double>(weights.size());
  EXPECT_NEAR(sum / n, 0, 5 * bound / std::sqrt(3 * n));  // 5 standard errors
  EXPECT_NEAR(squares / n, bound * bound / 3, 0.05 * bound * bound);
}

TEST(Architecture, SeedDecidesTheBytes) {
  ArchitectureSpec spec = Mnist();
  const std::string bytes = *SerializeArtifact(*BuildArchitecture(spec));
  EXPECT_EQ(*SerializeArtifact(*BuildArchitecture(spec)), bytes);
  // The same on every machine, compiler and LibTorch.
  EXPECT_EQ(Digest::Of(bytes).hex(), "d03cbbb6f41d30c6eb87509a43723833d76a93521b92e87413cc34afdd96c59a");
  spec.seed = 1;
  EXPECT_NE(*SerializeArtifact(*BuildArchitecture(spec)), bytes);
}

TEST(Architecture, RoundTripsAsAnArtifact) {
  for (const std::string kind : {"linear", "mlp", "cnn"}) {
    ArchitectureSpec spec = Mnist();
    spec.kind = kind;
    spec.hidden = {8};
    const std::string bytes = *SerializeArtifact(*BuildArchitecture(spec));
    const absl::StatusOr<ModelArtifact> parsed = ParseArtifact(bytes);
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(*SerializeArtifact(*parsed), bytes);
  }
}

TEST(Architecture, SaysWhatIsWrong) {
  ArchitectureSpec spec = Mnist();
  spec.kind = "transformer";
  ExpectInvalid(spec, "unknown architecture 'transformer'; one of linear, mlp, cnn");
  spec = Mnist();
  spec.activation = "swish";
  ExpectInvalid(spec, "unknown activation 'swish'; one of relu, tanh, gelu");
  spec = Mnist();
  spec.loss = "hinge";
  ExpectInvalid(spec, "unknown loss 'hinge'");
  spec = Mnist();
  spec.loss = "binary-cross-entropy";
  ExpectInvalid(spec, "needs a model that gives one value");
  spec = Mnist();
  spec.outputs = 0;
  ExpectInvalid(spec, "outputs: 0 is not at least 1");
  spec = Mnist();
  spec.channels = {4, 4, 4, 4};
  ExpectInvalid(spec, "layer 'conv3': a kernel of 3x3 doesn't fit");
  spec = Mnist();
  spec.channels = {};
  ExpectInvalid(spec, "channels");
  spec = Mnist();
  spec.input_shape = {28, 28};
  ExpectInvalid(spec, "[channels, height, width]");
  spec = Mnist();
  spec.kind = "mlp";
  ExpectInvalid(spec, "hidden");
  spec.hidden = {int64_t{1} << 30};
  ExpectInvalid(spec, "tensor 'hidden0.weight' would have");
  spec.hidden = {int64_t{1} << 60};
  ExpectInvalid(spec, "tensor 'hidden0.weight': a tensor shape has too many elements");
}

}  // namespace
}  // namespace tacit::model
