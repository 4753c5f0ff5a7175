#include "model/api/loss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/api/metrics.h"

namespace tacit::model {
namespace {

using ::testing::HasSubstr;

HostTensor Floats(Shape shape, std::vector<float> values) {
  return *HostTensor::From<float>(std::move(shape), std::span<const float>(values));
}
HostTensor Labels(std::vector<int64_t> values) {
  return *HostTensor::From<int64_t>({static_cast<int64_t>(values.size())}, std::span<const int64_t>(values));
}
LossInfo Loss(const std::string& name) { return *FindLoss(name); }

TEST(Loss, UnknownNameListsTheKnownOnes) {
  const absl::Status status = FindLoss("hinge").status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()),
              HasSubstr("unknown loss 'hinge'; one of cross-entropy, binary-cross-entropy, mean-squared-error"));
}

TEST(Loss, EveryLossIsAValidGraph) {
  for (const LossInfo& loss : KnownLosses()) {
    EXPECT_TRUE(GraphToJson(BuildLossGraph(loss)).ok()) << loss.name;
    EXPECT_EQ(Loss(loss.name).target_dtype, loss.target_dtype);
  }
  EXPECT_TRUE(Loss("cross-entropy").classification);
  EXPECT_TRUE(Loss("binary-cross-entropy").classification);
  EXPECT_FALSE(Loss("mean-squared-error").classification);
}

TEST(Loss, LabelsOutOfRangeNameRowLabelAndClasses) {
  const absl::Status status = CheckTarget(Loss("cross-entropy"), {3}, Labels({0, 2, 3}), 3);
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(status.message()), HasSubstr("row 2: label 3 is out of range for a model with 3 classes"));
  EXPECT_FALSE(CheckTarget(Loss("cross-entropy"), {3}, Labels({-1}), 1).ok());
  EXPECT_FALSE(CheckTarget(Loss("binary-cross-entropy"), {1}, Floats({2}, {0, 1.5F}), 2).ok());
  EXPECT_FALSE(CheckTarget(Loss("binary-cross-entropy"), {1}, Floats({1}, {NAN}), 1).ok());
}

TEST(Loss, TargetsMustFit) {
  EXPECT_TRUE(CheckTarget(Loss("cross-entropy"), {3}, Labels({0, 2}), 2).ok());
  EXPECT_FALSE(CheckTarget(Loss("cross-entropy"), {3}, Labels({0, 2}), 3).ok());
  EXPECT_FALSE(CheckTarget(Loss("cross-entropy"), {3}, Floats({2}, {0, 1}), 2).ok());
  EXPECT_TRUE(CheckTarget(Loss("binary-cross-entropy"), {1}, Floats({2}, {0, 1}), 2).ok());
  EXPECT_TRUE(CheckTarget(Loss("binary-cross-entropy"), {1}, Floats({2, 1}, {0, 1}), 2).ok());
  EXPECT_TRUE(CheckTarget(Loss("mean-squared-error"), {1}, Floats({2}, {5, -1}), 2).ok());
  EXPECT_TRUE(CheckTarget(Loss("mean-squared-error"), {2}, Floats({1, 2}, {5, -1}), 1).ok());
  EXPECT_FALSE(CheckTarget(Loss("mean-squared-error"), {2}, Floats({2}, {5, -1}), 2).ok());
  EXPECT_FALSE(CheckPredictionShape(Loss("binary-cross-entropy"), {2}).ok());
  EXPECT_FALSE(CheckPredictionShape(Loss("cross-entropy"), {2, 2}).ok());
}

TEST(Metrics, MultiClass) {
  const HostTensor outputs = Floats({4, 3}, {1, 2, 0, 5, 5, 1, 0, 0, 1, NAN, 0, 1});
  const absl::StatusOr<MetricSums> sums = ComputeMetrics(Loss("cross-entropy"), outputs, Labels({1, 0, 0, 2}));
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(sums->examples, 4);
  EXPECT_EQ(sums->correct, 2);  // the tie goes to the first class, the row with NaN is wrong
  EXPECT_EQ(sums->Accuracy(), 0.5);
  EXPECT_EQ(sums->MeanSquaredError(), std::nullopt);
}

TEST(Metrics, Binary) {
  const HostTensor outputs = Floats({4, 1}, {-1, 0.1F, 0, NAN});
  const absl::StatusOr<MetricSums> sums =
      ComputeMetrics(Loss("binary-cross-entropy"), outputs, Floats({4}, {0, 1, 1, 0}));
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(sums->correct, 2);
}

TEST(Metrics, RegressionSumsAddUp) {
  const LossInfo loss = Loss("mean-squared-error");
  MetricSums sums = *ComputeMetrics(loss, Floats({1, 2}, {1, 2}), Floats({1, 2}, {0, 4}));
  sums.Add(*ComputeMetrics(loss, Floats({1, 2}, {1, 2}), Floats({1, 2}, {1, 1})));
  EXPECT_EQ(sums.examples, 2);
  EXPECT_DOUBLE_EQ(*sums.MeanSquaredError(), (1 + 4 + 0 + 1) / 4.0);
  EXPECT_DOUBLE_EQ(*sums.MeanAbsoluteError(), (1 + 2 + 0 + 1) / 4.0);
  EXPECT_EQ(sums.Accuracy(), std::nullopt);
}

TEST(Metrics, NothingOfNothing) {
  const absl::StatusOr<MetricSums> sums = ComputeMetrics(Loss("cross-entropy"), Floats({0, 3}, {}), Labels({}));
  ASSERT_TRUE(sums.ok()) << sums.status();
  EXPECT_EQ(sums->Accuracy(), std::nullopt);
}

}  // namespace
}  // namespace tacit::model
