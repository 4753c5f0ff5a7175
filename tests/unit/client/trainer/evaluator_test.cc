#include "client/trainer/evaluator.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/fake_backend.h"
#include "tests/support/federation.h"

namespace tacit::trainer {
namespace {

ParameterVector Parameters(const ModelArtifact& artifact, std::vector<float> values) {
  return *ParameterVector::Create(*artifact.TrainableSchema(), std::move(values));
}

TEST(Evaluator, MeansAreOverAllExamplesHoweverManyBatchesTheyMake) {
  const ModelArtifact artifact = test::LinearArtifact(2);
  const test::FakeBackend backend;
  constexpr int64_t kRows = 600;  // three batches
  auto evaluator = *Evaluator::Create(artifact, test::LineDataset(kRows), backend);
  // The true line without its bias: errors of 0.5, 1.5 and 2.5, a third of the rows each.
  const EvaluationResult result = *evaluator.Evaluate(Parameters(artifact, {1, -2, 0}), {});
  EXPECT_EQ(result.examples, kRows);
  EXPECT_NEAR(result.loss, (0.25 + 2.25 + 6.25) / 3, 1e-5);
  EXPECT_NEAR(result.metrics.at("mean_squared_error"), result.loss, 1e-5);
  EXPECT_NEAR(result.metrics.at("mean_absolute_error"), 1.5, 1e-5);
  EXPECT_FALSE(result.metrics.contains("accuracy"));
  EXPECT_EQ(backend.evaluation_calls(), 3);
}

TEST(Evaluator, ClassifiersHaveAnAccuracy) {
  const ModelArtifact artifact = test::LinearArtifact(1, test::kLogistic);
  const test::FakeBackend backend;
  std::vector<HostTensor> inputs;
  inputs.push_back(*HostTensor::From<float>({4, 1}, std::vector<float>{-1, -2, 3, 4}));
  const auto dataset =
      *data::Dataset::Create(std::move(inputs), *HostTensor::From<float>({4}, std::vector<float>{0, 1, 1, 1}));
  auto evaluator = *Evaluator::Create(artifact, dataset, backend);
  const EvaluationResult result = *evaluator.Evaluate(Parameters(artifact, {1, 0}), {});
  EXPECT_EQ(result.metrics.at("accuracy"), 0.75);
  EXPECT_EQ(result.metrics.size(), 1u);
}

TEST(Evaluator, AStopCancelsBetweenBatches) {
  const ModelArtifact artifact = test::LinearArtifact(2);
  const test::FakeBackend backend;
  auto evaluator = *Evaluator::Create(artifact, test::LineDataset(600), backend);
  std::stop_source stop;
  stop.request_stop();
  EXPECT_EQ(evaluator.Evaluate(Parameters(artifact, {0, 0, 0}), stop.get_token()).status().code(),
            absl::StatusCode::kCancelled);
  EXPECT_EQ(backend.evaluation_calls(), 0);
}

TEST(Evaluator, NoExamplesAreNoEvaluation) {
  const ModelArtifact artifact = test::LinearArtifact(2);
  const test::FakeBackend backend;
  auto evaluator = *Evaluator::Create(artifact, test::LineDataset(0), backend);
  EXPECT_EQ(evaluator.Evaluate(Parameters(artifact, {0, 0, 0}), {}).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(Evaluator, WhatDoesNotFitIsRefused) {
  const test::FakeBackend backend;
  EXPECT_EQ(Evaluator::Create(test::LinearArtifact(3), test::LineDataset(5), backend).status().code(),
            absl::StatusCode::kInvalidArgument);
  ModelArtifact artifact = test::LinearArtifact(2);
  artifact.loss = "hinge";
  EXPECT_EQ(Evaluator::Create(artifact, test::LineDataset(5), backend).status().code(),
            absl::StatusCode::kInvalidArgument);
  const ModelArtifact good = test::LinearArtifact(2);
  auto evaluator = *Evaluator::Create(good, test::LineDataset(5), backend);
  EXPECT_EQ(evaluator.Evaluate(Parameters(test::LinearArtifact(3), {0, 0, 0, 0}), {}).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tacit::trainer
