// The rules of docs/privacy.md that the gradient backends answer for. Each test names its rule; none may be weakened.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/unit/model/gradient_fixtures.h"

namespace tacit::model {
namespace {

constexpr GradientBackend kBackends[] = {GradientBackend::kVmap, GradientBackend::kLoop};

double Norm(const std::vector<double>& values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

// A logistic model of `features` features at zero: the gradient of an example (x, y) is (1/2 - y) (x, 1).
struct Logistic {
  explicit Logistic(int64_t features) {
    ArchitectureSpec spec = SmallSpec("linear", "binary-cross-entropy");
    spec.input_shape = {features};
    artifact = *BuildArchitecture(spec);
  }
  ClippedGradients Compute(GradientBackend backend, const Batch& batch, double clip_norm) const {
    auto result = Backend(artifact, backend)->Compute(*artifact.TrainableParameters(), batch, clip_norm, 0);
    return OrThrow(std::move(result));
  }
  ModelArtifact artifact;
};

Batch OneExample(std::vector<float> x, float y) {
  Batch batch;
  const auto features = static_cast<int64_t>(x.size());
  batch.inputs = {Floats({1, features}, std::move(x))};
  batch.target = Floats({1}, {y});
  return batch;
}

// The weight's gradient is -(3/2, 2), norm 5/2; the bias's is -1/2. Clipped to 2.52, neither is too long by itself, but
// both together, sqrt(6.5) = 2.5495, are.
TEST(DpRules, Rule01_ClipsOnTheGlobalNormOfOneSample) {
  const Logistic model(2);
  const double norm = std::sqrt(6.5);
  for (const GradientBackend backend : kBackends) {
    for (const double clip_norm : {2.52, 0.4}) {
      const ClippedGradients result = model.Compute(backend, OneExample({3, 4}, 1), clip_norm);
      const double factor = clip_norm / norm;
      EXPECT_NEAR(result.norms[0], norm, 1e-6);
      EXPECT_NEAR(Norm(result.sum.values()), clip_norm, 1e-6);
      EXPECT_NEAR(result.sum.values()[0], -1.5 * factor, 1e-6);
      EXPECT_NEAR(result.sum.values()[1], -2.0 * factor, 1e-6);
      EXPECT_NEAR(result.sum.values()[2], -0.5 * factor, 1e-6);
    }
    const ClippedGradients unclipped = model.Compute(backend, OneExample({3, 4}, 1), 3);
    EXPECT_NEAR(unclipped.sum.values()[1], -2.0, 1e-6);
  }
}

// One norm a sample, not one of the batch: two examples clipped alone add up.
TEST(DpRules, Rule01_ClipsEverySampleByItself) {
  const Logistic model(2);
  for (const GradientBackend backend : kBackends) {
    Batch both = OneExample({3, 4}, 1);
    both.inputs = {Floats({2, 2}, {3, 4, 0.1F, 0})};
    both.target = Floats({2}, {1, 0});
    const ClippedGradients sum = model.Compute(backend, both, 1);
    const ClippedGradients first = model.Compute(backend, OneExample({3, 4}, 1), 1);
    const ClippedGradients second = model.Compute(backend, OneExample({0.1F, 0}, 0), 1);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(sum.sum.values()[i], first.sum.values()[i] + second.sum.values()[i], 1e-7);
    }
    EXPECT_EQ(sum.sum.sensitivity(), first.sum.sensitivity());
  }
}

TEST(DpRules, Rule01_NoSampleAddsMoreThanTheClipNorm) {
  for (const std::string kind : {"linear", "mlp", "cnn"}) {
    const ArchitectureSpec spec = SmallSpec(kind, "mean-squared-error");
    const ModelArtifact artifact = *BuildArchitecture(spec);
    const ParameterVector parameters = RandomParameters(artifact);
    const auto vmap = Backend(artifact, GradientBackend::kVmap);
    for (int64_t row = 0; row < 6; ++row) {
      Batch batch = Rows(RandomBatch(spec, 6), {row});
      batch.weights = {std::pow(10.0, static_cast<double>(row) - 1)};
      const auto result = vmap->Compute(parameters, batch, 0.125, 0);
      ASSERT_TRUE(result.ok()) << result.status();
      EXPECT_LE(Norm(result->sum.values()), 0.125 * (1 + 1e-12));
      EXPECT_NEAR(Norm(result->sum.values()), std::min(result->norms[0], 0.125), 1e-9);
    }
  }
}

// The gradient's norm is sqrt(6.5) = 2.55. Weighted after clipping to 3, a weight of 2 would give 5.1 instead of 3;
// weighted after clipping to 1, a weight of 0.25 would give 0.25 instead of 0.64.
TEST(DpRules, Rule04_SampleWeightsMultiplyBeforeClipping) {
  const Logistic model(2);
  const double norm = std::sqrt(6.5);
  for (const GradientBackend backend : kBackends) {
    Batch batch = OneExample({3, 4}, 1);
    batch.weights = {2};
    const ClippedGradients up = model.Compute(backend, batch, 3);
    EXPECT_NEAR(up.norms[0], 2 * norm, 1e-6);
    EXPECT_NEAR(Norm(up.sum.values()), 3, 1e-6);
    batch.weights = {0.25};
    const ClippedGradients down = model.Compute(backend, batch, 1);
    EXPECT_NEAR(Norm(down.sum.values()), 0.25 * norm, 1e-6);
    EXPECT_NEAR(down.losses[0], std::log(2), 1e-6);  // not weighted
    batch.weights = {0};
    EXPECT_EQ(Norm(model.Compute(backend, batch, 1).sum.values()), 0);
  }
}

TEST(DpRules, Rule04_NonFiniteGradientsCountAsZero) {
  const Logistic model(2);
  constexpr float kInf = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  for (const GradientBackend backend : kBackends) {
    Batch batch;
    batch.inputs = {Floats({5, 2}, {3, 4, kNan, 0, 0, kInf, -kInf, kInf, 0.1F, 0})};
    batch.target = Floats({5}, {1, 0, 1, 0, 0});
    for (const std::vector<double>& weights : {std::vector<double>{}, std::vector<double>{1, 0, 2, 1, 1}}) {
      batch.weights = weights;
      const ClippedGradients result = model.Compute(backend, batch, 1);
      const ClippedGradients finite = model.Compute(backend, Rows(batch, {0, 4}), 1);
      EXPECT_EQ(result.non_finite, 3);
      EXPECT_FALSE(std::isfinite(result.norms[1]));
      EXPECT_TRUE(std::isfinite(result.norms[0]));
      for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(result.sum.values()[i], finite.sum.values()[i], 1e-12);
      EXPECT_EQ(finite.non_finite, 0);
    }
  }
}

// A finite gradient whose square doesn't fit a float: clipped, not dropped.
TEST(DpRules, Rule01_NormsAreInFloat64) {
  const Logistic model(2);
  for (const GradientBackend backend : kBackends) {
    const ClippedGradients result = model.Compute(backend, OneExample({3e30F, 4e30F}, 1), 1);
    EXPECT_EQ(result.non_finite, 0);
    EXPECT_NEAR(result.norms[0] / 2.5e30, 1, 1e-6);
    EXPECT_NEAR(Norm(result.sum.values()), 1, 1e-6);
    EXPECT_NEAR(result.sum.values()[0], -0.6, 1e-6);
  }
}

}  // namespace
}  // namespace tacit::model
