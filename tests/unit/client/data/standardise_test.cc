#include "client/data/standardise.h"

#include <gtest/gtest.h>

#include "tests/unit/core/expect_error.h"

namespace tacit::data {
namespace {

HostTensor Tensor(Shape shape, std::vector<float> values) { return *HostTensor::From<float>(std::move(shape), values); }

std::vector<float> Values(const HostTensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}

TEST(StandardiseTest, OneConstantForAll) {
  HostTensor features = Tensor({2, 2}, {0, 10, 20, 30});
  ASSERT_TRUE(Standardise({.mean = {10}, .standard_deviation = {5}}, features).ok());
  EXPECT_EQ(Values(features), (std::vector<float>{-2, 0, 2, 4}));
}

TEST(StandardiseTest, OneConstantForEach) {
  HostTensor features = Tensor({2, 2}, {0, 10, 20, 30});
  ASSERT_TRUE(Standardise({.mean = {0, 10}, .standard_deviation = {10, 20}}, features).ok());
  EXPECT_EQ(Values(features), (std::vector<float>{0, 0, 2, 1}));
  ASSERT_TRUE(Standardise({.mean = {0}, .standard_deviation = {2, 1}}, features).ok());
  EXPECT_EQ(Values(features), (std::vector<float>{0, 0, 1, 1}));
}

TEST(StandardiseTest, AFeatureIsAnElementOfAnExample) {
  HostTensor features = Tensor({2, 1, 2}, {1, 2, 3, 4});
  ASSERT_TRUE(Standardise({.mean = {1, 2}, .standard_deviation = {1}}, features).ok());
  EXPECT_EQ(Values(features), (std::vector<float>{0, 0, 2, 2}));
  HostTensor scalars = Tensor({2}, {1, 3});
  ASSERT_TRUE(Standardise({.mean = {1}, .standard_deviation = {2}}, scalars).ok());
  EXPECT_EQ(Values(scalars), (std::vector<float>{0, 1}));
}

TEST(StandardiseTest, WrongCountsNameBoth) {
  HostTensor features = Tensor({1, 3}, {1, 2, 3});
  EXPECT_TRUE(FailsWith(Standardise({.mean = {1, 2}, .standard_deviation = {1}}, features),
                        absl::StatusCode::kInvalidArgument, {"standardise.mean", "2 values for 3 features"}));
  EXPECT_TRUE(FailsWith(Standardise({.mean = {1}, .standard_deviation = {1, 1, 1, 1}}, features),
                        absl::StatusCode::kInvalidArgument,
                        {"standardise.standard_deviation", "4 values for 3 features"}));
  EXPECT_TRUE(FailsWith(Standardise({.mean = {}, .standard_deviation = {1}}, features),
                        absl::StatusCode::kInvalidArgument, {"standardise.mean", "0 values"}));
}

TEST(StandardiseTest, RefusesWhatGivesNoFiniteNumber) {
  HostTensor features = Tensor({2, 2}, {1, 1, 1, 1e30f});
  EXPECT_TRUE(FailsWith(Standardise({.mean = {0}, .standard_deviation = {0}}, features),
                        absl::StatusCode::kInvalidArgument, {"standard_deviation", "above 0"}));
  EXPECT_TRUE(FailsWith(Standardise({.mean = {0}, .standard_deviation = {1e-20}}, features),
                        absl::StatusCode::kOutOfRange, {"feature 2 of example 1", "too large"}));
}

}  // namespace
}  // namespace tacit::data
