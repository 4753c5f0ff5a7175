#include "experiment/predictions.h"

#include <gtest/gtest.h>

#include "tests/support/fake_backend.h"
#include "tests/support/federation.h"

namespace tacit::experiment {
namespace {

HostTensor Outputs(Shape shape, std::vector<float> values) {
  return *HostTensor::From<float>(std::move(shape), values);
}

TEST(PredictionsAsCsv, ClassesHaveAProbabilityEach) {
  const HostTensor outputs = Outputs({2, 3}, {0, 1, -1, 5, 5, 5});
  EXPECT_EQ(*PredictionsAsCsv(outputs, "cross-entropy", {}),
            "row,prediction,p_0,p_1,p_2\n"
            "1,1,0.244728471,0.665240956,0.0900305732\n"
            "2,0,0.333333333,0.333333333,0.333333333\n");
}

TEST(PredictionsAsCsv, ClassesHaveTheirNames) {
  EXPECT_EQ(*PredictionsAsCsv(Outputs({1, 2}, {0, 0}), "cross-entropy", {"benign", "malignant"}),
            "row,prediction,p_benign,p_malignant\n"
            "1,benign,0.5,0.5\n");
}

TEST(PredictionsAsCsv, NamesThatNeedItAreQuotedOnce) {
  EXPECT_EQ(*PredictionsAsCsv(Outputs({1, 2}, {0, 0}), "cross-entropy", {"a,b", "say \"c\""}),
            "row,prediction,\"p_a,b\",\"p_say \"\"c\"\"\"\n"
            "1,\"a,b\",0.5,0.5\n");
  EXPECT_EQ(*PredictionsAsCsv(Outputs({1, 1}, {1}), "binary-cross-entropy", {"no", "y,es"}),
            "row,prediction,p_1\n"
            "1,\"y,es\",0.731058579\n");
}

TEST(PredictionsAsCsv, FewerNamesThanClassesLeaveNumbers) {
  EXPECT_EQ(*PredictionsAsCsv(Outputs({1, 2}, {0, 9}), "cross-entropy", {"first"}),
            "row,prediction,p_first,p_1\n"
            "1,1,0.000123394576,0.999876605\n");
}

TEST(PredictionsAsCsv, HugeLogitsAreNoProblem) {
  EXPECT_EQ(*PredictionsAsCsv(Outputs({1, 2}, {3e38F, -3e38F}), "cross-entropy", {}),
            "row,prediction,p_0,p_1\n"
            "1,0,1,0\n");
}

TEST(PredictionsAsCsv, ABinaryModelGivesTheProbabilityOfClass1) {
  EXPECT_EQ(*PredictionsAsCsv(Outputs({3, 1}, {0, -200, 200}), "binary-cross-entropy", {"no", "yes"}),
            "row,prediction,p_1\n"
            "1,no,0.5\n"
            "2,no,1.38389653e-87\n"
            "3,yes,1\n");
}

TEST(PredictionsAsCsv, ValuesAreWrittenAsTheyAre) {
  EXPECT_EQ(*PredictionsAsCsv(Outputs({2, 2}, {1.5F, -2, 0.1F, 1e30F}), "mean-squared-error", {}),
            "row,value_0,value_1\n"
            "1,1.5,-2\n"
            "2,0.100000001,1.00000002e+30\n");
}

TEST(PredictionsAsCsv, NoRowsAreAHeader) {
  EXPECT_EQ(*PredictionsAsCsv(Outputs({0, 1}, {}), "binary-cross-entropy", {}), "row,prediction,p_1\n");
}

TEST(PredictionsAsCsv, AnUnknownLossIsRefused) {
  EXPECT_EQ(PredictionsAsCsv(Outputs({1, 1}, {0}), "hinge", {}).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(Predict, GivesEveryExampleInOrderHoweverManyBatchesTheyMake) {
  ModelArtifact artifact = test::LinearArtifact(2);
  ASSERT_TRUE(
      artifact.SetTrainableParameters(*ParameterVector::Create(*artifact.TrainableSchema(), {1, -2, 0.5F})).ok());
  const data::Dataset dataset = test::LineDataset(600);
  const HostTensor outputs = *Predict(artifact, dataset, test::FakeBackend());
  ASSERT_EQ(outputs.shape(), (Shape{600, 1}));
  for (size_t row = 0; row < 600; ++row) {
    EXPECT_NEAR(outputs.values<float>()[row], dataset.target().values<float>()[row] - static_cast<float>(row % 3),
                1e-5);
  }
}

TEST(Predict, DataThatDoesNotFitIsRefused) {
  EXPECT_EQ(Predict(test::LinearArtifact(3), test::LineDataset(5), test::FakeBackend()).status().code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tacit::experiment
