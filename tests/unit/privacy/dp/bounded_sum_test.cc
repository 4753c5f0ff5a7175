#include "privacy/dp/bounded_sum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace tacit::dp {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr auto kExample = NeighbouringRelation::kAddOrRemoveOneExample;

ClippedSumBuilder Builder(int64_t dimension, double clip_norm) {
  return *ClippedSumBuilder::Create(dimension, clip_norm, kExample);
}

TEST(ClippedSumBuilder, RefusesArgumentsOutOfRange) {
  for (const double bad : {0.0, -1.0, kInfinity, kNan}) {
    const auto builder = ClippedSumBuilder::Create(3, bad, kExample);
    EXPECT_EQ(builder.status().code(), absl::StatusCode::kInvalidArgument) << bad;
    EXPECT_THAT(builder.status().message(), HasSubstr("clip norm"));
  }
  for (const int64_t bad : {int64_t{-1}, (int64_t{1} << 31) + 1, std::numeric_limits<int64_t>::max()}) {
    EXPECT_EQ(ClippedSumBuilder::Create(bad, 1, kExample).status().code(), absl::StatusCode::kInvalidArgument);
  }
  EXPECT_TRUE(ClippedSumBuilder::Create(0, 1, kExample).ok());
}

TEST(ClippedSumBuilder, TheSumCarriesSensitivityCountAndRelation) {
  auto builder = *ClippedSumBuilder::Create(2, 1.5, NeighbouringRelation::kAddOrRemoveOneClient);
  builder.AddRecord(std::vector<float>{0.5f, -0.25f});
  builder.AddRecord(std::vector<float>{0.25f, 1});
  const BoundedSum sum = std::move(builder).Build();
  EXPECT_THAT(sum.values(), ElementsAre(0.75, 0.75));
  EXPECT_EQ(sum.sensitivity(), 1.5);
  EXPECT_EQ(sum.count(), 2);
  EXPECT_EQ(sum.relation(), NeighbouringRelation::kAddOrRemoveOneClient);
}

TEST(ClippedSumBuilder, ClipFactor) {
  const ClippedSumBuilder builder = Builder(1, 2);
  EXPECT_EQ(builder.ClipFactor(0), 1);
  EXPECT_EQ(builder.ClipFactor(5e-324), 1);
  EXPECT_EQ(builder.ClipFactor(2), 1);
  EXPECT_EQ(builder.ClipFactor(8), 0.25);
  EXPECT_EQ(builder.ClipFactor(kInfinity), 0);
  EXPECT_EQ(builder.ClipFactor(kNan), 0);
  EXPECT_EQ(builder.ClipFactor(-1), 0);
}

TEST(ClippedSumBuilder, ScaledSumsAddUp) {
  auto builder = Builder(2, 1);
  EXPECT_TRUE(builder.AddScaled(std::vector<double>{3, 4}, 5).ok());
  EXPECT_TRUE(builder.AddScaled(std::vector<double>{0, 0}, 0).ok());
  EXPECT_TRUE(builder.AddScaled(std::vector<double>{-1, 0}, 1).ok());
  const BoundedSum sum = std::move(builder).Build();
  EXPECT_THAT(sum.values(), ElementsAre(2, 4));
  EXPECT_EQ(sum.count(), 6);
}

TEST(ClippedSumBuilder, AWronglyScaledSumIsRefusedAndAddsNothing) {
  auto builder = Builder(2, 1);
  EXPECT_EQ(builder.AddScaled(std::vector<double>{3, 4}, 4).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(builder.AddScaled(std::vector<double>{1.001, 0}, 1).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(builder.AddScaled(std::vector<double>{1e-9, 0}, 0).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(builder.AddScaled(std::vector<double>{0, kNan}, 2).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(builder.AddScaled(std::vector<double>{kInfinity, 0}, 2).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(builder.AddScaled(std::vector<double>{0}, 1).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(builder.AddScaled(std::vector<double>{0, 0}, -1).code(), absl::StatusCode::kInvalidArgument);
  const BoundedSum sum = std::move(builder).Build();
  EXPECT_THAT(sum.values(), ElementsAre(0, 0));
  EXPECT_EQ(sum.count(), 0);
}

TEST(ClippedSumBuilder, RoundingOfFloat32ScalingIsNoError) {
  EXPECT_TRUE(Builder(1, 1).AddScaled(std::vector<double>{1 + 1e-6}, 1).ok());
}

TEST(ClippedSumBuilder, ARecordOfAnotherDimensionCountsAsZero) {
  auto builder = Builder(2, 1);
  EXPECT_FALSE(builder.AddRecord(std::vector<float>{1}));
  EXPECT_THAT(std::move(builder).Build().values(), ElementsAre(0, 0));
}

TEST(NeighbouringRelation, HasADescription) {
  EXPECT_STREQ(Describe(kExample), "add or remove one example");
  EXPECT_STREQ(Describe(NeighbouringRelation::kAddOrRemoveOneClient), "add or remove one client");
}

}  // namespace
}  // namespace tacit::dp
