#include "client/data/dataset.h"

#include <gtest/gtest.h>

#include "tests/unit/core/expect_error.h"

namespace tacit::data {
namespace {

using absl::StatusCode;

HostTensor Floats(Shape shape, std::vector<float> values) { return *HostTensor::From<float>(std::move(shape), values); }
HostTensor Ints(Shape shape, std::vector<int64_t> values) {
  return *HostTensor::From<int64_t>(std::move(shape), values);
}

Dataset ThreeExamples() {
  return *Dataset::Create({Floats({3, 4}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23})}, Ints({3}, {5, 6, 7}));
}

TEST(DatasetTest, CreateChecksItsParts) {
  EXPECT_EQ(ThreeExamples().size(), 3);
  EXPECT_TRUE(FailsWith(Dataset::Create({}, Ints({1}, {0})).status(), StatusCode::kInvalidArgument, {"input"}));
  EXPECT_TRUE(FailsWith(Dataset::Create({Floats({2, 1}, {0, 1})}, Ints({1}, {0})).status(),
                        StatusCode::kInvalidArgument, {"2 examples but 1 targets"}));
  EXPECT_TRUE(
      FailsWith(Dataset::Create({Floats({}, {0})}, Ints({1}, {0})).status(), StatusCode::kInvalidArgument, {"scalar"}));
  EXPECT_TRUE(
      FailsWith(Dataset::Create({Floats({1}, {0})}, Ints({}, {0})).status(), StatusCode::kInvalidArgument, {"scalar"}));
}

TEST(DatasetTest, GatherKeepsOrderAndRepeats) {
  const std::vector<int64_t> rows{2, 0, 2};
  const auto batch = ThreeExamples().Gather(rows);
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->size(), 3);
  EXPECT_EQ(batch->inputs[0], Floats({3, 4}, {20, 21, 22, 23, 0, 1, 2, 3, 20, 21, 22, 23}));
  EXPECT_EQ(batch->target, Ints({3}, {7, 5, 7}));
  EXPECT_TRUE(batch->weights.empty());
}

TEST(DatasetTest, AnEmptyBatchKeepsTheShape) {
  const auto batch = ThreeExamples().Gather({});
  ASSERT_TRUE(batch.ok()) << batch.status();
  EXPECT_EQ(batch->size(), 0);
  EXPECT_EQ(batch->inputs[0].shape(), (Shape{0, 4}));
  EXPECT_EQ(batch->target.shape(), Shape{0});
}

TEST(DatasetTest, RowsThatAreNotThere) {
  for (const int64_t bad : {int64_t{-1}, int64_t{3}}) {
    const std::vector<int64_t> rows{0, bad};
    EXPECT_TRUE(FailsWith(ThreeExamples().Gather(rows).status(), StatusCode::kOutOfRange,
                          {"row " + std::to_string(bad), "3 rows"}));
  }
}

TEST(DatasetTest, ShapedForTheModel) {
  const auto shaped = ThreeExamples().ShapedFor({{.name = "x", .example_shape = {1, 2, 2}}});
  ASSERT_TRUE(shaped.ok()) << shaped.status();
  EXPECT_EQ(shaped->inputs()[0].shape(), (Shape{3, 1, 2, 2}));
  EXPECT_EQ(shaped->inputs()[0].values<float>()[5], 11);
  EXPECT_EQ(shaped->target(), ThreeExamples().target());
}

TEST(DatasetTest, TypedForTheModel) {
  const auto typed = ThreeExamples().ShapedFor({{.name = "x", .dtype = DType::kInt64, .example_shape = {4}}});
  ASSERT_TRUE(typed.ok()) << typed.status();
  EXPECT_EQ(typed->inputs()[0].values<int64_t>()[5], 11);

  const Dataset halves = *Dataset::Create({Floats({1, 1}, {0.5})}, Ints({1}, {0}));
  EXPECT_TRUE(FailsWith(halves.ShapedFor({{.name = "x", .dtype = DType::kInt64, .example_shape = {1}}}).status(),
                        StatusCode::kDataLoss, {"input 'x'", "0.5"}));
}

TEST(DatasetTest, ShapesThatDoNotFitAreBothNamed) {
  EXPECT_TRUE(FailsWith(ThreeExamples().ShapedFor({{.name = "x", .example_shape = {1, 28, 28}}}).status(),
                        StatusCode::kInvalidArgument, {"[4]", "[1, 28, 28]", "'x'"}));
  EXPECT_TRUE(FailsWith(ThreeExamples().ShapedFor({}).status(), StatusCode::kInvalidArgument,
                        {"the model has 0 inputs, the data 1"}));
}

}  // namespace
}  // namespace tacit::data
