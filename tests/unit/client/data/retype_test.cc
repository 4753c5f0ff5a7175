#include "client/data/retype.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/core/expect_error.h"

namespace tacit::data {
namespace {

HostTensor Floats(std::vector<float> values) {
  return *HostTensor::From<float>({static_cast<int64_t>(values.size())}, values);
}
HostTensor Ints(std::vector<int64_t> values) {
  return *HostTensor::From<int64_t>({static_cast<int64_t>(values.size())}, values);
}

TEST(RetypeTest, SameTypeOtherShape) {
  const HostTensor shaped = *Retyped(Floats({1, 2, 3, 4}), DType::kFloat32, {2, 2});
  EXPECT_EQ(shaped, *HostTensor::From<float>({2, 2}, std::vector<float>{1, 2, 3, 4}));
  EXPECT_TRUE(FailsWith(Retyped(Floats({1, 2, 3, 4}), DType::kFloat32, {3}).status(),
                        absl::StatusCode::kInvalidArgument, {"elements"}));
  EXPECT_TRUE(Retyped(Floats({}), DType::kInt64, {0, 5}).ok());
}

TEST(RetypeTest, WholeNumbers) {
  const HostTensor ints = *Retyped(Floats({0, -3, 16777216}), DType::kInt64, {3});
  EXPECT_EQ(ints, Ints({0, -3, 16777216}));
  EXPECT_EQ(*Retyped(ints, DType::kFloat32, {3}), Floats({0, -3, 16777216}));
  EXPECT_EQ(Retyped(Floats({255}), DType::kUInt8, {1})->values<uint8_t>()[0], 255);
  EXPECT_EQ(Retyped(Ints({-2147483648}), DType::kInt32, {1})->values<int32_t>()[0], -2147483647 - 1);
  EXPECT_EQ(Retyped(Floats({0.1f}), DType::kFloat64, {1})->values<double>()[0], double{0.1f});
}

TEST(RetypeTest, ValuesThatTheTypeCannotHold) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const float bad : {0.5f, nan, 1e30f, -1e30f, 0x1p63f}) {
    EXPECT_TRUE(FailsWith(Retyped(Floats({1, bad}), DType::kInt64, {2}).status(), absl::StatusCode::kDataLoss,
                          {"element 1", "I64"}));
  }
  EXPECT_FALSE(Retyped(Floats({256}), DType::kUInt8, {1}).ok());
  EXPECT_FALSE(Retyped(Floats({-1}), DType::kUInt8, {1}).ok());
  EXPECT_FALSE(Retyped(Ints({int64_t{1} << 31}), DType::kInt32, {1}).ok());
}

TEST(RetypeTest, Booleans) {
  const HostTensor flags = *Retyped(Floats({0, 1}), DType::kBool, {2});
  EXPECT_EQ(flags.dtype(), DType::kBool);
  EXPECT_EQ(*Retyped(flags, DType::kInt64, {2}), Ints({0, 1}));
  EXPECT_TRUE(FailsWith(Retyped(Floats({2}), DType::kBool, {1}).status(), absl::StatusCode::kDataLoss,
                        {"element 0", "2", "BOOL"}));
}

}  // namespace
}  // namespace tacit::data
