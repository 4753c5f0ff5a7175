#include "client/data/idx_source.h"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>

#include "core/file.h"
#include "tests/unit/client/data/gzip_bytes.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::data {
namespace {

using absl::StatusCode;

std::string BigEndian(uint64_t value, int bytes) {
  std::string text;
  for (int i = bytes - 1; i >= 0; --i) text += static_cast<char>(value >> (8 * i) & 0xFF);
  return text;
}

std::string Idx(uint8_t type, std::vector<uint32_t> dimensions, const std::string& payload) {
  std::string bytes{0, 0, static_cast<char>(type), static_cast<char>(dimensions.size())};
  for (const uint32_t dimension : dimensions) bytes += BigEndian(dimension, 4);
  return bytes + payload;
}

std::vector<float> Floats(const RawArray& array) {
  std::vector<int64_t> rows(static_cast<size_t>(array.rows()));
  std::iota(rows.begin(), rows.end(), 0);
  const HostTensor tensor = *array.ToFloats(rows);
  return {tensor.values<float>().begin(), tensor.values<float>().end()};
}

TEST(IdxSourceTest, EveryType) {
  EXPECT_EQ(Floats(*ParseIdx(Idx(0x08, {2}, "\x01\xFF"))), (std::vector<float>{1, 255}));
  EXPECT_EQ(Floats(*ParseIdx(Idx(0x09, {2}, "\x01\xFF"))), (std::vector<float>{1, -1}));
  EXPECT_EQ(Floats(*ParseIdx(Idx(0x0B, {2}, BigEndian(258, 2) + BigEndian(0xFFFE, 2)))), (std::vector<float>{258, -2}));
  EXPECT_EQ(Floats(*ParseIdx(Idx(0x0C, {1}, BigEndian(0xFFFFFF00, 4)))), std::vector<float>{-256});
  EXPECT_EQ(Floats(*ParseIdx(Idx(0x0D, {1}, BigEndian(std::bit_cast<uint32_t>(-1.5f), 4)))), std::vector<float>{-1.5});
  EXPECT_EQ(Floats(*ParseIdx(Idx(0x0E, {1}, BigEndian(std::bit_cast<uint64_t>(2.25), 8)))), std::vector<float>{2.25});
}

TEST(IdxSourceTest, ShapeAndChosenRows) {
  const RawArray array = *ParseIdx(Idx(0x08, {3, 2, 1}, "abcdef"));
  EXPECT_EQ(array.rows(), 3);
  const std::vector<int64_t> rows{2, 0};
  const HostTensor tensor = *array.ToFloats(rows);
  EXPECT_EQ(tensor, *HostTensor::From<float>({2, 2, 1}, std::vector<float>{'e', 'f', 'a', 'b'}));
}

TEST(IdxSourceTest, RealDigits) {
  const std::string folder = std::string(TACIT_SOURCE_DIR) + "/tests/golden/data/";
  const auto images = ParseIdx(*ReadFile(folder + "digits-images-idx3-ubyte.gz", 1 << 20));
  ASSERT_TRUE(images.ok()) << images.status();
  EXPECT_EQ(images->header.shape, (Shape{10, 28, 28}));
  const std::vector<float> pixels = Floats(*images);
  EXPECT_EQ(std::accumulate(pixels.begin(), pixels.begin() + 784, 0.0), 15849);
  const auto labels = ParseIdx(*ReadFile(folder + "digits-labels-idx1-ubyte.gz", 1 << 20));
  ASSERT_TRUE(labels.ok()) << labels.status();
  EXPECT_EQ(Floats(*labels), (std::vector<float>{3, 8, 1, 0, 4, 0, 9, 3, 4, 9}));
}

TEST(IdxSourceTest, NotAnIdxFile) {
  EXPECT_TRUE(FailsWith(ParseIdx("").status(), StatusCode::kDataLoss, {"not an IDX file"}));
  EXPECT_TRUE(FailsWith(ParseIdx("a,b\n1,2\n").status(), StatusCode::kDataLoss, {"not an IDX file"}));
  EXPECT_TRUE(FailsWith(ParseIdx(Idx(0x0A, {1}, "x")).status(), StatusCode::kDataLoss, {"not an IDX file"}));
}

TEST(IdxSourceTest, SizesThatDoNotFit) {
  EXPECT_TRUE(FailsWith(ParseIdx(Idx(0x08, {2, 2}, "abc")).status(), StatusCode::kDataLoss,
                        {"announces 16 bytes", "has 15", "cut off"}));
  EXPECT_TRUE(FailsWith(ParseIdx(Idx(0x08, {2, 2}, "abcde")).status(), StatusCode::kDataLoss,
                        {"announces 16 bytes", "has 17"}));
  EXPECT_TRUE(FailsWith(ParseIdx(Idx(0x08, {2, 2}, "").substr(0, 9)).status(), StatusCode::kDataLoss, {"cut off"}));
  EXPECT_TRUE(FailsWith(ParseIdx(Idx(0x08, {0, 2}, "")).status(), StatusCode::kDataLoss, {"no values", "[0, 2]"}));
  EXPECT_TRUE(FailsWith(ParseIdx(Idx(0x08, {}, "x")).status(), StatusCode::kDataLoss, {"single number"}));
}

// Headers that ask for absurd memory are refused before anything is allocated.
TEST(IdxSourceTest, AbsurdHeaders) {
  const uint32_t most = 0xFFFFFFFF;
  EXPECT_TRUE(FailsWith(ParseIdx(Idx(0x0E, {most, most, most}, "x")).status(), StatusCode::kDataLoss, {"shape"}));
  EXPECT_TRUE(FailsWith(ParseIdx(Idx(0x0E, {most, 100}, "x")).status(), StatusCode::kOutOfRange, {"bytes"}));
  EXPECT_TRUE(FailsWith(ParseIdx(Idx(0x08, std::vector<uint32_t>(200, 1), "x")).status(), StatusCode::kDataLoss,
                        {"200 dimensions", "16"}));
}

TEST(IdxSourceTest, InflatesNoFurtherThanTheHeaderSays) {
  const std::string right = Idx(0x08, {2, 2}, "abcd");
  EXPECT_EQ(Floats(*ParseIdx(Gzipped(right))), (std::vector<float>{'a', 'b', 'c', 'd'}));
  EXPECT_TRUE(FailsWith(ParseIdx(Gzipped(right + "e")).status(), StatusCode::kDataLoss, {"announces 16", "more"}));
  EXPECT_TRUE(FailsWith(ParseIdx(Gzipped(right + std::string(32 << 20, 'e'))).status(), StatusCode::kDataLoss,
                        {"announces 16", "more"}));
  EXPECT_TRUE(FailsWith(ParseIdx(Gzipped(right.substr(0, 15))).status(), StatusCode::kDataLoss, {"15", "cut off"}));
  EXPECT_TRUE(FailsWith(ParseIdx(Gzipped(right) + "x").status(), StatusCode::kDataLoss, {"followed"}));
  const std::string compressed = Gzipped(right);
  EXPECT_TRUE(
      FailsWith(ParseIdx(compressed.substr(0, compressed.size() - 1)).status(), StatusCode::kDataLoss, {"too early"}));
  // 8 GB announced, 32 bytes there.
  EXPECT_TRUE(
      FailsWith(ParseIdx(Gzipped(Idx(0x08, {1u << 31, 4}, "abc"))).status(), StatusCode::kDataLoss, {"cut off"}));
}

TEST(IdxSourceTest, ClassesAreWholeNumbers) {
  const std::vector<int64_t> rows{1, 0};
  EXPECT_EQ(*ParseIdx(Idx(0x08, {2}, "\x03\x04"))->ToClasses(rows),
            *HostTensor::From<int64_t>({2}, std::vector<int64_t>{4, 3}));
  EXPECT_EQ(ParseIdx(Idx(0x08, {2, 1}, "\x03\x04"))->ToClasses(rows)->shape(), Shape{2});
  EXPECT_TRUE(FailsWith(ParseIdx(Idx(0x09, {2}, "\x03\xFF"))->ToClasses(rows).status(), StatusCode::kDataLoss,
                        {"example 1 (from 0): -1 is not a class index"}));
  EXPECT_TRUE(FailsWith(ParseIdx(Idx(0x08, {2, 2}, "abcd"))->ToClasses(rows).status(), StatusCode::kDataLoss,
                        {"[2, 2]", "[N]"}));
}

TEST(IdxSourceTest, FeaturesAreFinite) {
  const std::vector<int64_t> rows{0};
  const auto nan = ParseIdx(Idx(0x0D, {1}, BigEndian(0x7FC00000, 4)));
  EXPECT_TRUE(FailsWith(nan->ToFloats(rows).status(), StatusCode::kDataLoss, {"example 0", "nan", "not a finite"}));
  const auto large = ParseIdx(Idx(0x0E, {1}, BigEndian(std::bit_cast<uint64_t>(1e300), 8)));
  EXPECT_TRUE(FailsWith(large->ToFloats(rows).status(), StatusCode::kDataLoss, {"example 0", "1e+300"}));
}

}  // namespace
}  // namespace tacit::data
