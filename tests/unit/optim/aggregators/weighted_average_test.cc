#include "optim/aggregators/weighted_average.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/random_stream.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::optim {
namespace {

constexpr int64_t kSize = 1000;

std::shared_ptr<const Schema> MakeSchema(int64_t size = kSize, const std::string& name = "w") {
  return *Schema::Create({TensorSpec{"first", Shape{size / 2}}, TensorSpec{name, Shape{size - size / 2}}});
}

struct Weighted {
  ParameterVector update;
  double weight;
};

// Magnitudes from 2^-30 to 2^10, both signs, so that floating-point sums would depend on their order.
std::vector<Weighted> RandomUpdates(int count, uint64_t seed) {
  RandomStream random(seed, "weighted average test");
  const auto number = [&] {
    const double magnitude = std::exp2(40 * random.NextUnit() - 30);
    return static_cast<float>(random.NextBelow(2) == 0 ? magnitude : -magnitude);
  };
  std::vector<Weighted> updates;
  for (int i = 0; i < count; ++i) {
    Weighted weighted{ParameterVector(MakeSchema()), 1e-3 + 1e4 * random.NextUnit()};
    for (float& value : weighted.update.mutable_values()) value = number();
    updates.push_back(std::move(weighted));
  }
  return updates;
}

std::vector<uint32_t> Bits(const ParameterVector& vector) {
  std::vector<uint32_t> bits;
  for (const float value : vector.values()) bits.push_back(std::bit_cast<uint32_t>(value));
  return bits;
}

// Large updates that cancel and leave what small ones add up to: sums in double, rounded to float32, would show their
// order.
std::vector<Weighted> CancellingUpdates() {
  std::vector<Weighted> updates = RandomUpdates(20, 1);
  for (size_t i = 0; i < 20; ++i) {
    updates.push_back(updates[i]);
    for (float& value : updates.back().update.mutable_values()) value = -value;
  }
  for (Weighted& small : RandomUpdates(10, 2)) {
    for (float& value : small.update.mutable_values()) value *= 0x1p-20f;
    updates.push_back(std::move(small));
  }
  return updates;
}

TEST(WeightedAverageTest, EveryOrderGivesTheSameBits) {
  const std::vector<Weighted> updates = CancellingUpdates();
  WeightedAverage average(MakeSchema());
  for (const Weighted& one : updates) ASSERT_TRUE(average.Add(one.update, one.weight).ok());
  const std::vector<uint32_t> expected = Bits(*average.Finish());

  std::vector<int64_t> order(updates.size());
  std::iota(order.begin(), order.end(), 0);
  RandomStream random(2, "orders");
  for (int trial = 0; trial < 20; ++trial) {
    random.Shuffle(order);
    for (const int64_t i : order) ASSERT_TRUE(average.Add(updates[i].update, updates[i].weight).ok());
    EXPECT_EQ(Bits(*average.Finish()), expected) << "trial " << trial;
  }
}

TEST(WeightedAverageTest, AgreesWithLongDouble) {
  const std::vector<Weighted> updates = RandomUpdates(40, 3);
  WeightedAverage average(MakeSchema());
  for (const Weighted& one : updates) ASSERT_TRUE(average.Add(one.update, one.weight).ok());
  EXPECT_EQ(average.count(), 40);
  const ParameterVector result = *average.Finish();
  for (int64_t i = 0; i < kSize; ++i) {
    long double sum = 0, magnitudes = 0, weights = 0;
    for (const Weighted& one : updates) {
      const long double product = static_cast<long double>(one.weight) * one.update.values()[i];
      sum += product;
      magnitudes += std::abs(product);
      weights += one.weight;
    }
    const double expected = static_cast<double>(sum / weights);
    // The header's bound, doubled for the reference's own rounding, and the rounding to float32.
    const double tolerance = static_cast<double>(2 * 0x1p-53L * magnitudes / weights) + 0x1p-23 * std::abs(expected);
    EXPECT_NEAR(result.values()[i], expected, tolerance) << "element " << i;
  }
}

TEST(WeightedAverageTest, ExactWhereTheMeanIs) {
  const auto schema = MakeSchema(2);
  WeightedAverage average(schema);
  ASSERT_TRUE(average.Add(*ParameterVector::Create(schema, {1, -4}), 1).ok());
  ASSERT_TRUE(average.Add(*ParameterVector::Create(schema, {5, 8}), 3).ok());
  const ParameterVector result = *average.Finish();
  EXPECT_EQ(result.values()[0], 4.0f);
  EXPECT_EQ(result.values()[1], 5.0f);
}

TEST(WeightedAverageTest, OneUpdateComesBackWhateverItsWeight) {
  const std::vector<float> values{0.1f, -3e-9f, 12345.678f, 0.0f};
  const auto schema = MakeSchema(4);
  for (const double weight : {1e-6, 1.0, 0.3, 569.0, 1e6}) {
    WeightedAverage average(schema);
    ASSERT_TRUE(average.Add(*ParameterVector::Create(schema, values), weight).ok());
    const ParameterVector result = *average.Finish();
    for (size_t i = 0; i < values.size(); ++i) EXPECT_FLOAT_EQ(result.values()[i], values[i]) << weight;
  }
}

TEST(WeightedAverageTest, StartsAnewAfterFinish) {
  const auto schema = MakeSchema(2);
  WeightedAverage average(schema);
  ASSERT_TRUE(average.Add(*ParameterVector::Create(schema, {1, 1}), 7).ok());
  ASSERT_TRUE(average.Finish().ok());
  EXPECT_EQ(average.count(), 0);
  EXPECT_TRUE(FailsWith(average.Finish().status(), absl::StatusCode::kFailedPrecondition, {"no update"}));
  ASSERT_TRUE(average.Add(*ParameterVector::Create(schema, {2, 3}), 1).ok());
  EXPECT_EQ(average.Finish()->values()[1], 3.0f);
}

TEST(WeightedAverageTest, TheLargestAddendsDoNotOverflow) {
  const auto schema = MakeSchema(2);
  WeightedAverage average(schema);
  const ParameterVector largest = *ParameterVector::Create(schema, {0x1p36f, -0x1p36f});
  for (int i = 0; i < 4096; ++i) ASSERT_TRUE(average.Add(largest, 1).ok());
  const ParameterVector result = *average.Finish();
  EXPECT_EQ(result.values()[0], 0x1p36f);
  EXPECT_EQ(result.values()[1], -0x1p36f);
}

TEST(WeightedAverageTest, RefusesMoreUpdatesThanTheSumHasRoomFor) {
  const auto schema = *Schema::Create({TensorSpec{"w", Shape{1}}});
  WeightedAverage average(schema);
  const ParameterVector largest = *ParameterVector::Create(schema, {-0x1p36f});
  for (int64_t i = 0; i < WeightedAverage::kMaxCount; ++i) ASSERT_TRUE(average.Add(largest, 1).ok());
  EXPECT_TRUE(FailsWith(average.Add(largest, 1), absl::StatusCode::kResourceExhausted, {"2^20"}));
  EXPECT_EQ(average.Finish()->values()[0], -0x1p36f);
}

TEST(WeightedAverageTest, ARefusedUpdateLeavesNoTrace) {
  const auto schema = MakeSchema(4);
  const auto vector = [&](float last) { return *ParameterVector::Create(schema, {5, 5, 5, last}); };
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float inf = std::numeric_limits<float>::infinity();
  const double nan_weight = std::numeric_limits<double>::quiet_NaN();
  const double inf_weight = std::numeric_limits<double>::infinity();

  WeightedAverage average(schema);
  ASSERT_TRUE(average.Add(*ParameterVector::Create(schema, {1, 2, 3, 4}), 2).ok());
  for (const float bad : {nan, inf, -inf}) {
    EXPECT_TRUE(FailsWith(average.Add(vector(bad), 1), absl::StatusCode::kInvalidArgument, {"'w'", "not finite"}));
  }
  for (const float bad : {3e38f, -3e38f, 0x1p37f}) {
    EXPECT_TRUE(FailsWith(average.Add(vector(bad), 1), absl::StatusCode::kInvalidArgument, {"'w'", "too large"}));
  }
  for (const double bad : {0.0, -1.0, nan_weight, inf_weight, 1e-10, 1e11, 1e-320}) {
    EXPECT_TRUE(FailsWith(average.Add(vector(1), bad), absl::StatusCode::kInvalidArgument, {"weight"}));
  }
  EXPECT_TRUE(FailsWith(average.Add(ParameterVector(MakeSchema(4, "other")), 1), absl::StatusCode::kInvalidArgument,
                        {"another model"}));
  EXPECT_EQ(average.count(), 1);
  const ParameterVector result = *average.Finish();
  EXPECT_EQ((std::vector<float>{result.values().begin(), result.values().end()}), (std::vector<float>{1, 2, 3, 4}));
}

}  // namespace
}  // namespace tacit::optim
