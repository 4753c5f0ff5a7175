#include "model/api/per_sample_gradients.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <thread>
#include <tuple>

#include "tests/unit/model/gradient_fixtures.h"

namespace tacit::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr GradientBackend kBackends[] = {GradientBackend::kVmap, GradientBackend::kLoop};

// Every architecture with every loss.
class EveryModel : public ::testing::TestWithParam<std::tuple<std::string, std::string>> {
 protected:
  ArchitectureSpec spec_ = SmallSpec(std::get<0>(GetParam()), std::get<1>(GetParam()));
  ModelArtifact artifact_ = SmallModel(std::get<0>(GetParam()), std::get<1>(GetParam()));
  ParameterVector parameters_ = RandomParameters(artifact_);

  ClippedGradients Compute(GradientBackend backend, const Batch& batch, double clip_norm,
                           int64_t max_bytes = int64_t{256} << 20) {
    absl::StatusOr<ClippedGradients> result =
        Backend(artifact_, backend, max_bytes)->Compute(parameters_, batch, clip_norm, 3);
    return OrThrow(std::move(result));
  }
};

TEST_P(EveryModel, VmapEqualsLoop) {
  for (const int64_t examples : {1, 2, 17}) {
    Batch batch = RandomBatch(spec_, examples);
    for (const double clip_norm : {0.05, 1.0, kHuge}) {
      const ClippedGradients vmap = Compute(GradientBackend::kVmap, batch, clip_norm);
      const ClippedGradients loop = Compute(GradientBackend::kLoop, batch, clip_norm);
      EXPECT_LT(RelativeError(vmap.sum.values(), loop.sum.values()), 1e-5) << examples << " " << clip_norm;
      EXPECT_LT(RelativeError(vmap.norms, loop.norms), 1e-5);
      EXPECT_LT(RelativeError(vmap.losses, loop.losses), 1e-5);
      EXPECT_EQ(vmap.sum.count(), examples);
    }
  }
}

TEST_P(EveryModel, LoopEqualsFiniteDifferences) {
  const Batch batch = RandomBatch(spec_, 1);
  const std::vector<double> gradient = Compute(GradientBackend::kLoop, batch, kHuge).sum.values();
  const std::unique_ptr<Model> model = Load(artifact_);
  const auto loss_at = [&](size_t index, float step) {
    ParameterVector moved = parameters_;
    moved.mutable_values()[index] += step;
    return model->Evaluate(moved, batch)->losses.at(0);
  };
  const double here = loss_at(0, 0);
  constexpr float kStep = 0.002F;
  int checked = 0, kinks = 0;
  for (size_t index = 0; index < gradient.size(); index += 1 + gradient.size() / 40) {
    const double forward = (loss_at(index, kStep) - here) / kStep;
    const double backward = (here - loss_at(index, -kStep)) / kStep;
    if (std::abs(forward - backward) > 0.01) {  // max pooling changed its mind in between
      ++kinks;
      continue;
    }
    EXPECT_NEAR(gradient[index], (forward + backward) / 2, 1e-3 + 5e-3 * std::abs(forward)) << index;
    ++checked;
  }
  EXPECT_GT(checked, 5 * kinks);
}

TEST_P(EveryModel, MeanGradientIsTheMeanOfThePerSampleOnes) {
  Batch batch = RandomBatch(spec_, 8);
  batch.weights = {1, 0, 0.5, 2, 1, 1, 3, 0.25};
  const std::unique_ptr<Model> model = Load(artifact_);
  const absl::StatusOr<MeanGradient> mean = model->ComputeMeanGradient(parameters_, batch, 3);
  ASSERT_TRUE(mean.ok()) << mean.status();
  const ClippedGradients sum = Compute(GradientBackend::kVmap, batch, kHuge);
  std::vector<double> expected = sum.sum.values();
  for (double& value : expected) value /= 8;
  EXPECT_LT(RelativeError({mean->gradient.values().begin(), mean->gradient.values().end()}, expected), 1e-5);
  double loss = 0;
  for (size_t i = 0; i < 8; ++i) loss += batch.weights[i] * sum.losses[i] / 8;
  EXPECT_NEAR(mean->mean_loss, loss, 1e-5 * std::abs(loss));
}

TEST_P(EveryModel, MicrobatchSizeDoesNotMatter) {
  Batch batch = RandomBatch(spec_, 23);
  batch.weights.assign(23, 1.5);
  batch.weights[4] = 0;
  const ClippedGradients whole = Compute(GradientBackend::kVmap, batch, 0.3);
  const int64_t sample_bytes = parameters_.schema().size() * 4;
  for (const int64_t samples : {0, 1, 5, 22}) {
    const ClippedGradients parts = Compute(GradientBackend::kVmap, batch, 0.3, samples * sample_bytes + 1);
    EXPECT_LT(RelativeError(parts.sum.values(), whole.sum.values()), 1e-6) << samples;
    EXPECT_LT(RelativeError(parts.norms, whole.norms), 1e-6);
    EXPECT_EQ(parts.norms.size(), 23);
  }
}

TEST_P(EveryModel, NothingIsAddedForAnEmptyBatch) {
  for (const GradientBackend backend : kBackends) {
    for (const Batch& batch : {RandomBatch(spec_, 0), Batch{}}) {
      const ClippedGradients result = Compute(backend, batch, 1);
      EXPECT_EQ(result.sum.count(), 0);
      EXPECT_TRUE(result.norms.empty());
      for (const double value : result.sum.values()) EXPECT_EQ(value, 0);
      EXPECT_EQ(static_cast<int64_t>(result.sum.values().size()), parameters_.schema().size());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryModel,
                         ::testing::Combine(::testing::Values<std::string>("linear", "mlp", "cnn"),
                                            ::testing::Values<std::string>("cross-entropy", "binary-cross-entropy",
                                                                           "mean-squared-error")),
                         [](const auto& info) {
                           std::string name = std::get<0>(info.param) + "_" + std::get<1>(info.param);
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(PerSampleGradients, ReluModelsAgreeToo) {
  for (const std::string kind : {"mlp", "cnn"}) {
    ArchitectureSpec spec = SmallSpec(kind, "cross-entropy");
    spec.activation = "relu";
    spec.bias = false;
    const ModelArtifact artifact = *BuildArchitecture(spec);
    const ParameterVector parameters = RandomParameters(artifact);
    const Batch batch = RandomBatch(spec, 9);
    const auto vmap = Backend(artifact, GradientBackend::kVmap)->Compute(parameters, batch, 0.2, 0);
    const auto loop = Backend(artifact, GradientBackend::kLoop)->Compute(parameters, batch, 0.2, 0);
    ASSERT_TRUE(vmap.ok() && loop.ok()) << vmap.status() << loop.status();
    EXPECT_LT(RelativeError(vmap->sum.values(), loop->sum.values()), 1e-5);
  }
}

TEST(PerSampleGradients, BinaryCrossEntropyIsStableAndRightAtZero) {
  // Logits far out, and 0, where the derivative is 1/2 - y.
  ArchitectureSpec spec = SmallSpec("linear", "binary-cross-entropy");
  spec.input_shape = {1};
  spec.bias = false;
  const ModelArtifact artifact = *BuildArchitecture(spec);
  ParameterVector parameters = *artifact.TrainableParameters();
  const auto vmap = Backend(artifact, GradientBackend::kVmap);
  Batch batch;
  batch.inputs = {Floats({2, 1}, {1, 1})};
  batch.target = Floats({2}, {0, 1});
  auto result = vmap->Compute(parameters, batch, kHuge, 0);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_NEAR(result->norms[0], 0.5, 1e-6);
  EXPECT_NEAR(result->norms[1], 0.5, 1e-6);
  EXPECT_NEAR(result->losses[0], std::log(2), 1e-6);
  parameters.mutable_values()[0] = 500;
  batch.inputs = {Floats({2, 1}, {1, -1})};
  result = vmap->Compute(parameters, batch, kHuge, 0);
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_NEAR(result->losses[0], 500, 1e-3);  // sure and wrong
  EXPECT_NEAR(result->losses[1], 500, 1e-3);
  EXPECT_NEAR(result->norms[0], 1, 1e-6);
  EXPECT_EQ(result->non_finite, 0);
}

TEST(PerSampleGradients, FrozenTensorsHaveNoGradient) {
  ModelArtifact artifact = SmallModel("mlp", "cross-entropy");
  const std::vector<double> all =
      Backend(artifact, GradientBackend::kVmap)
          ->Compute(*artifact.TrainableParameters(), RandomBatch(SmallSpec("mlp", "cross-entropy"), 4), kHuge, 0)
          ->sum.values();
  artifact.tensors[0].role = TensorRole::kFrozen;  // hidden0.weight, 12 x 81
  for (const GradientBackend backend : kBackends) {
    const auto rest =
        Backend(artifact, backend)
            ->Compute(*artifact.TrainableParameters(), RandomBatch(SmallSpec("mlp", "cross-entropy"), 4), kHuge, 0);
    ASSERT_TRUE(rest.ok()) << rest.status();
    EXPECT_LT(RelativeError(rest->sum.values(), {all.begin() + 12 * 81, all.end()}), 1e-5);
  }
}

TEST(PerSampleGradients, UnusedParametersHaveGradientZero) {
  ModelArtifact artifact = SmallModel("linear", "cross-entropy");
  artifact.tensors.insert(artifact.tensors.begin(), RandomTensor("unused", {5}));
  const ParameterVector parameters = RandomParameters(artifact);
  for (const GradientBackend backend : kBackends) {
    const auto result =
        Backend(artifact, backend)->Compute(parameters, RandomBatch(SmallSpec("linear", "cross-entropy"), 4), 1, 0);
    ASSERT_TRUE(result.ok()) << result.status();
    for (int i = 0; i < 5; ++i) EXPECT_EQ(result->sum.values()[i], 0);
    EXPECT_GT(result->norms[0], 0);
  }
}

TEST(PerSampleGradients, ALossWithoutAnyParameterHasGradientZero) {
  GraphBuilder graph;
  const ValueRef input = graph.Batch("input");
  graph.Call("aten::mul.Tensor", {input, graph.Tensor("w")});  // nobody uses it
  const ModelArtifact artifact =
      WrapGraph(std::move(graph).Build(input), {RandomTensor("w", {3})}, {3}, "cross-entropy");
  const Batch batch = RandomBatch(artifact, 3, 4);
  for (const GradientBackend backend : kBackends) {
    const auto result = Backend(artifact, backend)->Compute(*artifact.TrainableParameters(), batch, 1, 0);
    ASSERT_TRUE(result.ok()) << result.status();
    for (const double value : result->sum.values()) EXPECT_EQ(value, 0);
  }
  const auto mean = Load(artifact)->ComputeMeanGradient(*artifact.TrainableParameters(), batch, 0);
  ASSERT_TRUE(mean.ok()) << mean.status();
  EXPECT_EQ(mean->gradient.L2Norm(), 0);
}

TEST(PerSampleGradients, DropoutDiffersBySampleAndReproducesBySeed) {
  const ModelArtifact artifact = DropoutModel(0.5);
  const ParameterVector parameters = *artifact.TrainableParameters();
  Batch batch;
  batch.inputs = {Floats({4, 4}, std::vector<float>(16, 1))};  // four times the same example
  batch.target = Labels({1, 1, 1, 1});
  const auto vmap = Backend(artifact, GradientBackend::kVmap);
  const auto first = vmap->Compute(parameters, batch, 1, 11);
  const auto again = vmap->Compute(parameters, batch, 1, 11);
  const auto other = vmap->Compute(parameters, batch, 1, 12);
  ASSERT_TRUE(first.ok() && again.ok() && other.ok()) << first.status();
  EXPECT_EQ(first->sum.values(), again->sum.values());
  EXPECT_NE(first->norms, other->norms);
  EXPECT_NE(first->norms[0], first->norms[1]);
  EXPECT_NE(first->norms[1], first->norms[2]);
  // Neither the backend nor the microbatch changes a sample's mask.
  const auto loop = Backend(artifact, GradientBackend::kLoop)->Compute(parameters, batch, 1, 11);
  const auto parts = Backend(artifact, GradientBackend::kVmap, 1)->Compute(parameters, batch, 1, 11);
  ASSERT_TRUE(loop.ok() && parts.ok()) << loop.status() << parts.status();
  EXPECT_LT(RelativeError(first->norms, loop->norms), 1e-5);
  EXPECT_LT(RelativeError(parts->norms, loop->norms), 1e-5);
  const auto mean = Load(artifact)->ComputeMeanGradient(parameters, batch, 11);
  const auto sum = vmap->Compute(parameters, batch, kHuge, 11);
  ASSERT_TRUE(mean.ok() && sum.ok());
  EXPECT_NEAR(mean->gradient.values()[5], sum->sum.values()[5] / 4, 1e-6);
}

// A graph that runs on two examples, as at loading, and on no other number of them: fails inside the layers.
ModelArtifact BreaksInside() {
  GraphBuilder graph;
  const ValueRef input = graph.Batch("input");
  const ValueRef hidden = graph.Call("aten::linear", {input, graph.Tensor("w")}, "head");
  const ValueRef output = graph.Call("aten::view", {hidden, std::vector<int64_t>{2, 3}}, "reshape of the author's");
  return WrapGraph(std::move(graph).Build(output), {RandomTensor("w", {3, 4})}, {4}, "cross-entropy");
}

TEST(PerSampleGradients, AnErrorLeavesNothingBehind) {
  const ModelArtifact good = DropoutModel(0);
  const ModelArtifact bad = BreaksInside();
  const Batch batch = RandomBatch(good, 3, 5);
  for (const GradientBackend backend : kBackends) {
    const auto broken = Backend(bad, backend);
    const auto working = Backend(good, backend);
    const auto before = working->Compute(*good.TrainableParameters(), batch, 1, 0);
    for (int i = 0; i < 3; ++i) {
      const absl::Status status = broken->Compute(*bad.TrainableParameters(), batch, 1, 0).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
      const std::string message(status.message());
      EXPECT_THAT(message, HasSubstr("graph: node 1 (aten::view at reshape of the author's): "));
      EXPECT_THAT(message, Not(HasSubstr("\n")));
    }
    const auto after = working->Compute(*good.TrainableParameters(), batch, 1, 0);
    ASSERT_TRUE(before.ok() && after.ok()) << after.status();
    EXPECT_EQ(before->sum.values(), after->sum.values());
    EXPECT_TRUE(Load(good)->Evaluate(*good.TrainableParameters(), batch).ok());
  }
}

// Two threads compute the same thing over and over, one with slow operators allowed as `first` says and one as
// `second`.
void ExpectThreadsDontDisturbEachOther(bool first, bool second) {
  const ModelArtifact artifact = SmallModel("mlp", "cross-entropy");
  const ParameterVector parameters = RandomParameters(artifact);
  const Batch batch = RandomBatch(SmallSpec("mlp", "cross-entropy"), 12);
  const std::vector<double> expected =
      Backend(artifact, GradientBackend::kVmap)->Compute(parameters, batch, 0.5, 0)->sum.values();
  std::vector<absl::Status> failures(2);
  const auto work = [&](int which) {
    GradientOptions options;
    options.allow_slow_operators = which == 0 ? first : second;
    const auto gradients = MakePerSampleGradients(artifact, GradientBackend::kVmap, options);
    for (int i = 0; i < 300 && failures[which].ok(); ++i) {
      const auto result = (*gradients)->Compute(parameters, batch, 0.5, 0);
      failures[which] = result.status();
      if (result.ok() && result->sum.values() != expected) failures[which] = absl::InternalError("another sum");
    }
  };
  std::thread one(work, 0), two(work, 1);
  one.join();
  two.join();
  EXPECT_TRUE(failures[0].ok()) << failures[0];
  EXPECT_TRUE(failures[1].ok()) << failures[1];
}

TEST(PerSampleGradients, TwoThreadsAtOnce) { ExpectThreadsDontDisturbEachOther(false, false); }

TEST(PerSampleGradients, TwoThreadsWithDifferentSettings) { ExpectThreadsDontDisturbEachOther(false, true); }

TEST(PerSampleGradients, BadCallsAreNamed) {
  const ModelArtifact artifact = SmallModel("linear", "cross-entropy");
  const ArchitectureSpec spec = SmallSpec("linear", "cross-entropy");
  const auto vmap = Backend(artifact, GradientBackend::kVmap);
  const ParameterVector parameters = *artifact.TrainableParameters();
  const auto error = [&](const Batch& batch, double clip_norm = 1) {
    const absl::Status status = vmap->Compute(parameters, batch, clip_norm, 0).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  Batch batch = RandomBatch(spec, 3);
  batch.target = Labels({0, 1, 3});
  EXPECT_THAT(error(batch), HasSubstr("row 2: label 3 is out of range for a model with 3 classes"));
  batch = RandomBatch(spec, 3);
  batch.weights = {1, -1, 1};
  EXPECT_THAT(error(batch), HasSubstr("row 1: its weight -1"));
  batch.weights = {1, 1};
  EXPECT_THAT(error(batch), HasSubstr("2 weights for 3 examples"));
  batch = RandomBatch(spec, 3);
  batch.inputs[0] = Floats({3, 81}, std::vector<float>(243));
  EXPECT_THAT(error(batch), HasSubstr("input 'input' is F32[3, 81] where the model takes F32[3, 1, 9, 9]"));
  error(RandomBatch(spec, 3), 0);
  error(RandomBatch(spec, 3), NAN);
  EXPECT_EQ(vmap->Compute(ParameterVector(*Schema::Create({{"x", {1}}})), RandomBatch(spec, 3), 1, 0).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_TRUE(vmap->Compute(parameters, RandomBatch(spec, 3), 1, 0).ok());
}

}  // namespace
}  // namespace tacit::model
