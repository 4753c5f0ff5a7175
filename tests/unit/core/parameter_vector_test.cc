#include "core/parameter_vector.h"

#include <gtest/gtest.h>

#include <limits>

#include "tests/unit/core/expect_error.h"

namespace tacit {
namespace {

using absl::StatusCode;

std::shared_ptr<const Schema> MakeSchema(const std::string& second = "bias") {
  return *Schema::Create({{"weight", {2, 3}}, {second, {2}}, {"scale", {}}});
}

TEST(SchemaTest, Layout) {
  const auto schema = MakeSchema();
  EXPECT_EQ(schema->size(), 9);
  EXPECT_EQ(schema->offset(0), 0);
  EXPECT_EQ(schema->offset(1), 6);
  EXPECT_EQ(schema->offset(2), 8);
  EXPECT_EQ(schema->offset(3), 9);
}

TEST(SchemaTest, TheHashCoversNamesShapesAndOrder) {
  const Digest hash = MakeSchema()->hash();
  EXPECT_EQ(MakeSchema()->hash(), hash);
  const std::vector<std::vector<TensorSpec>> others{
      {{"weight", {2, 3}}, {"bias2", {2}}, {"scale", {}}}, {{"weight", {3, 2}}, {"bias", {2}}, {"scale", {}}},
      {{"weight", {6}}, {"bias", {2}}, {"scale", {}}},     {{"bias", {2}}, {"weight", {2, 3}}, {"scale", {}}},
      {{"weight", {2, 3}}, {"bias", {2}}, {"scale", {1}}}, {{"weight", {2, 3}}, {"bias", {2}}}};
  for (const auto& specs : others) EXPECT_NE((*Schema::Create(specs))->hash(), hash);
}

TEST(SchemaTest, BadSpecs) {
  EXPECT_TRUE(FailsWith(Schema::Create({{"", {2}}}).status(), StatusCode::kInvalidArgument, {"no name"}));
  EXPECT_TRUE(FailsWith(Schema::Create({{"a", {2}}, {"a", {3}}}).status(), StatusCode::kInvalidArgument, {"'a'"}));
  EXPECT_TRUE(FailsWith(Schema::Create({{"a", {-2}}}).status(), StatusCode::kInvalidArgument, {"'a'", "negative"}));
  EXPECT_TRUE(FailsWith(Schema::Create({{"a", {int64_t{1} << 31}}, {"b", {1}}}).status(), StatusCode::kInvalidArgument,
                        {"2^31"}));
}

TEST(ParameterVectorTest, TensorsLieInOneBuffer) {
  ParameterVector vector(MakeSchema());
  for (size_t i = 0; i < 9; ++i) EXPECT_EQ(vector.values()[i], 0);
  vector.mutable_tensor(1)[1] = 5;
  EXPECT_EQ(vector.values()[7], 5);
  EXPECT_EQ(vector.tensor(0).size(), 6u);
  EXPECT_EQ(vector.tensor(2).size(), 1u);
  EXPECT_TRUE(FailsWith(ParameterVector::Create(MakeSchema(), {1, 2}).status(), StatusCode::kInvalidArgument,
                        {"2 values", "9 elements"}));
}

TEST(ParameterVectorTest, FiniteAndNorm) {
  ParameterVector vector(MakeSchema());
  vector.mutable_values()[0] = 3;
  vector.mutable_values()[8] = -4;
  EXPECT_EQ(vector.L2Norm(), 5);
  EXPECT_TRUE(vector.AllFinite());
  vector.mutable_values()[4] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_FALSE(vector.AllFinite());
  vector.mutable_values()[4] = -std::numeric_limits<float>::infinity();
  EXPECT_FALSE(vector.AllFinite());
}

TEST(ParameterVectorTest, RoundTrip) {
  const ParameterVector vector = *ParameterVector::Create(MakeSchema(), {1, -2, 3e-30f, 4, 5, 6, 7, 8, -0.0f});
  const std::string bytes = vector.Serialize();
  EXPECT_EQ(bytes.size(), ParameterVector::SerializedSize(vector.schema()));
  EXPECT_EQ(bytes.substr(0, 8), "TACITPV1");
  EXPECT_EQ(bytes.substr(8, 32), vector.schema().hash().AsBytes());
  EXPECT_EQ(bytes.substr(40, 8), std::string("\0\0\x80\x3F\0\0\0\xC0", 8));  // 1, -2, little-endian
  const auto parsed = ParameterVector::Parse(MakeSchema(), bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->Serialize(), bytes);
}

TEST(ParameterVectorTest, BadBytes) {
  const std::string bytes = ParameterVector(MakeSchema()).Serialize();
  const auto parse = [&](const std::string& text) { return ParameterVector::Parse(MakeSchema(), text).status(); };
  EXPECT_TRUE(FailsWith(parse(""), StatusCode::kDataLoss, {"not a parameter vector"}));
  EXPECT_TRUE(FailsWith(parse("TACITPV2" + bytes.substr(8)), StatusCode::kDataLoss, {"not a parameter vector"}));
  EXPECT_TRUE(FailsWith(parse(bytes + "x"), StatusCode::kDataLoss, {"77 bytes", "76"}));
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_EQ(parse(bytes.substr(0, size)).code(), StatusCode::kDataLoss);
  EXPECT_TRUE(
      FailsWith(parse(ParameterVector(MakeSchema("other")).Serialize()), StatusCode::kDataLoss, {"another model"}));
}

TEST(ParameterVectorTest, WithoutTensors) {
  const auto schema = *Schema::Create({});
  const ParameterVector vector(schema);
  EXPECT_EQ(schema->size(), 0);
  EXPECT_TRUE(ParameterVector::Parse(schema, vector.Serialize()).ok());
}

}  // namespace
}  // namespace tacit
