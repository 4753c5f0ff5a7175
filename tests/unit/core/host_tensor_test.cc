#include "core/host_tensor.h"

#include <gtest/gtest.h>

#include "tests/unit/core/expect_error.h"

namespace tacit {
namespace {

using absl::StatusCode;

HostTensor Matrix() { return *HostTensor::From<int32_t>({3, 2}, std::vector<int32_t>{0, 1, 10, 11, 20, 21}); }

TEST(HostTensorTest, NumElements) {
  EXPECT_EQ(*NumElements({}), 1);
  EXPECT_EQ(*NumElements({3, 4}), 12);
  EXPECT_EQ(*NumElements({3, 0}), 0);
  EXPECT_EQ(*NumElements({int64_t{1} << 47}), int64_t{1} << 47);
  EXPECT_TRUE(FailsWith(NumElements({3, -1}).status(), StatusCode::kInvalidArgument, {"negative"}));
  for (const Shape& shape : {Shape{(int64_t{1} << 47) + 1}, Shape{int64_t{1} << 40, int64_t{1} << 40},
                             Shape{INT64_MAX, INT64_MAX}, Shape{1 << 16, 1 << 16, 1 << 16}}) {
    EXPECT_TRUE(FailsWith(NumElements(shape).status(), StatusCode::kInvalidArgument, {"too many elements"}));
  }
}

TEST(HostTensorTest, TypeNames) {
  for (const DType type :
       {DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kInt32, DType::kUInt8, DType::kBool}) {
    EXPECT_EQ(*DTypeFromName(DTypeName(type)), type);
    EXPECT_EQ(HostTensor::Zeros(type, {3})->bytes().size(), 3 * ItemSize(type));
  }
  EXPECT_EQ(DTypeName(DType::kFloat32), "F32");
  EXPECT_EQ(DTypeName(DType::kBool), "BOOL");
  EXPECT_TRUE(FailsWith(DTypeFromName("F16").status(), StatusCode::kInvalidArgument, {"'F16'"}));
}

TEST(HostTensorTest, From) {
  const HostTensor matrix = Matrix();
  EXPECT_EQ(matrix.dtype(), DType::kInt32);
  EXPECT_EQ(matrix.shape(), (Shape{3, 2}));
  EXPECT_EQ(matrix.values<int32_t>()[3], 11);
  EXPECT_TRUE(
      FailsWith(HostTensor::From<float>({2}, std::vector<float>{1}).status(), StatusCode::kInvalidArgument, {"shape"}));
}

TEST(HostTensorTest, Gather) {
  const std::vector<int64_t> rows{2, 0, 2};
  EXPECT_EQ(*Matrix().Gather(rows), *HostTensor::From<int32_t>({3, 2}, std::vector<int32_t>{20, 21, 0, 1, 20, 21}));
  EXPECT_EQ(Matrix().Gather({})->shape(), (Shape{0, 2}));
  for (const int64_t bad : {-1, 3}) {
    EXPECT_TRUE(FailsWith(Matrix().Gather(std::vector<int64_t>{bad}).status(), StatusCode::kOutOfRange,
                          {"row " + std::to_string(bad), "3 rows"}));
  }
  EXPECT_EQ(HostTensor::Zeros(DType::kBool, {})->Gather(rows).status().code(), StatusCode::kInvalidArgument);
}

TEST(HostTensorTest, GatherOfRowsWithoutElements) {
  const HostTensor empty = *HostTensor::Zeros(DType::kFloat32, {3, 0});
  EXPECT_EQ(empty.Gather(std::vector<int64_t>{2, 1})->shape(), (Shape{2, 0}));
  EXPECT_EQ(empty.Gather(std::vector<int64_t>{3}).status().code(), StatusCode::kOutOfRange);
}

TEST(HostTensorDeathTest, AnotherTypeIsABug) { EXPECT_DEATH(Matrix().values<float>(), ""); }

}  // namespace
}  // namespace tacit
