#include "core/model_artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <string>

namespace tacit {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

HostTensor Floats(Shape shape, std::vector<float> values) {
  return *HostTensor::From<float>(std::move(shape), std::span<const float>(values));
}

ModelArtifact SmallArtifact() {
  ModelArtifact artifact;
  artifact.tensors.push_back({"w", TensorRole::kTrainable, BufferPolicy::kLocal, Floats({2, 1}, {1.5F, -2})});
  artifact.tensors.push_back({"a.frozen", TensorRole::kFrozen, BufferPolicy::kLocal, Floats({1}, {3})});
  artifact.tensors.push_back(
      {"steps", TensorRole::kBuffer, BufferPolicy::kServer, *HostTensor::From<int64_t>({}, std::vector<int64_t>{7})});
  artifact.inputs.push_back({"input", DType::kFloat32, {2}});
  artifact.graph_json = R"({"inputs":[]})";
  artifact.loss = "cross-entropy";
  return artifact;
}

std::string Container(const std::string& header, const std::string& data = "") {
  const uint64_t length = header.size();
  std::string bytes(sizeof(length), '\0');
  std::memcpy(bytes.data(), &length, sizeof(length));
  return bytes + header + data;
}

// A header with one tensor "w" and a manifest that agrees.
std::string OneTensor(
    const std::string& entry, const std::string& data,
    const std::string& manifest = R"({\"inputs\":[],\"tensors\":[{\"name\":\"w\",\"role\":\"trainable\"}]})") {
  return Container(R"({"__metadata__":{"tacit.format":"1","tacit.graph":"{}","tacit.loss":"l","tacit.manifest":")" +
                       manifest + R"("},"w":)" + entry + "}",
                   data);
}

void ExpectDataLoss(const std::string& bytes, const std::string& text) {
  const absl::StatusOr<ModelArtifact> parsed = ParseArtifact(bytes);
  ASSERT_FALSE(parsed.ok()) << "accepted, though: " << text;
  EXPECT_EQ(parsed.status().code(), absl::StatusCode::kDataLoss);
  const std::string message(parsed.status().message());
  EXPECT_THAT(message, HasSubstr(text));
  EXPECT_THAT(message, Not(HasSubstr("\n")));
}

TEST(ModelArtifact, RoundTripIsByteIdentical) {
  const absl::StatusOr<std::string> bytes = SerializeArtifact(SmallArtifact());
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  const absl::StatusOr<ModelArtifact> parsed = ParseArtifact(*bytes);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*SerializeArtifact(*parsed), *bytes);
  ASSERT_EQ(parsed->tensors.size(), 3);
  EXPECT_EQ(parsed->tensors[0].value, SmallArtifact().tensors[0].value);
  EXPECT_EQ(parsed->tensors[2].policy, BufferPolicy::kServer);
  EXPECT_EQ(parsed->inputs[0].example_shape, Shape{2});
  EXPECT_EQ(parsed->loss, "cross-entropy");
}

// docs/artifact_format.md prints these bytes.
TEST(ModelArtifact, BytesAreAsDocumented) {
  ModelArtifact artifact;
  artifact.tensors.push_back({"w", TensorRole::kTrainable, BufferPolicy::kLocal, Floats({2}, {1, -2})});
  artifact.inputs.push_back({"x", DType::kFloat32, {2}});
  artifact.graph_json = "{}";
  artifact.loss = "mean-squared-error";
  const std::string header =
      R"({"__metadata__":{"tacit.format":"1","tacit.graph":"{}","tacit.loss":"mean-squared-error",)"
      R"("tacit.manifest":"{\"inputs\":[{\"dtype\":\"F32\",\"name\":\"x\",\"shape\":[2]}],)"
      R"(\"tensors\":[{\"name\":\"w\",\"role\":\"trainable\"}]}"},)"
      R"("w":{"data_offsets":[0,8],"dtype":"F32","shape":[2]}})";
  const std::string padded = header + std::string((8 - header.size() % 8) % 8, ' ');
  EXPECT_EQ(*SerializeArtifact(artifact), Container(padded, std::string("\0\0\x80\x3f\0\0\0\xc0", 8)));
}

TEST(ModelArtifact, TrainableParametersComeInManifestOrder) {
  ModelArtifact artifact = SmallArtifact();
  absl::StatusOr<ParameterVector> parameters = artifact.TrainableParameters();
  ASSERT_TRUE(parameters.ok());
  ASSERT_EQ(parameters->values().size(), 2);
  EXPECT_EQ(parameters->values()[1], -2);
  parameters->mutable_values()[1] = 9;
  ASSERT_TRUE(artifact.SetTrainableParameters(*parameters).ok());
  EXPECT_EQ(artifact.tensors[0].value.values<float>()[1], 9);
  const ParameterVector other(*Schema::Create({{"v", {2, 1}}}));
  EXPECT_EQ(artifact.SetTrainableParameters(other).code(), absl::StatusCode::kInvalidArgument);
}

TEST(ModelArtifact, RefusesToWriteWhatItWouldNotRead) {
  ModelArtifact artifact = SmallArtifact();
  artifact.tensors[0].value.mutable_values<float>()[0] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_THAT(std::string(SerializeArtifact(artifact).status().message()),
              HasSubstr("'w' holds a value that is not finite"));
  artifact = SmallArtifact();
  artifact.tensors[1].name = "w";
  EXPECT_THAT(std::string(SerializeArtifact(artifact).status().message()), HasSubstr("two tensors are named 'w'"));
  artifact = SmallArtifact();
  artifact.tensors[2].role = TensorRole::kTrainable;
  EXPECT_THAT(std::string(SerializeArtifact(artifact).status().message()), HasSubstr("instead of F32"));
  artifact = SmallArtifact();
  artifact.tensors[0].name = "two\nlines";
  EXPECT_EQ(SerializeArtifact(artifact).status().code(), absl::StatusCode::kInvalidArgument);
  artifact = SmallArtifact();
  artifact.graph_json = "\xff";
  EXPECT_EQ(SerializeArtifact(artifact).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ModelArtifact, HostileContainers) {
  ExpectDataLoss("", "shorter than 8 bytes");
  ExpectDataLoss(std::string(8, '\xff'), "a header of 18446744073709551615 bytes");
  ExpectDataLoss(Container("[]"), "not a JSON object");
  ExpectDataLoss(Container("{"), "not valid JSON");
  ExpectDataLoss(Container("{}"), "no metadata");
  ExpectDataLoss(Container("{\"\xff\":1}"), "not valid JSON");
  ExpectDataLoss(Container(R"({"a":1,"a":2})"), "repeats the key 'a'");
  ExpectDataLoss(Container("{\"a\":" + std::string(1'000'000, '[')), "nested more than");
  ExpectDataLoss(Container(R"({"__metadata__":{"tacit.format":"2"}})"), "format version '2'");
  ExpectDataLoss(Container(R"({"__metadata__":{"tacit.format":1}})"), "wrong type");
  ExpectDataLoss(Container(R"({"__metadata__":{"other":"1"}})"), "unknown key 'other'");
}

TEST(ModelArtifact, HostileTensors) {
  const std::string data(8, '\0');
  EXPECT_TRUE(ParseArtifact(OneTensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})", data)).ok());
  // 100 GB in a file of a few hundred bytes.
  ExpectDataLoss(OneTensor(R"({"dtype":"F32","shape":[25000000000],"data_offsets":[0,100000000000]})", data),
                 "ends at byte 100000000000 of 8 bytes");
  ExpectDataLoss(OneTensor(R"({"dtype":"F32","shape":[25000000000],"data_offsets":[0,8]})", data),
                 "a shape of 25000000000 elements of type F32 and 8 bytes");
  ExpectDataLoss(OneTensor(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})", data),
                 "too many elements");
  ExpectDataLoss(OneTensor(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})", data), "not a whole number");
  ExpectDataLoss(OneTensor(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})", data), "not a whole number");
  ExpectDataLoss(OneTensor(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})", data), "not a begin and an end");
  ExpectDataLoss(OneTensor(R"({"dtype":"F32","shape":[1],"data_offsets":[4,8]})", data), "overlap or leave a gap");
  ExpectDataLoss(OneTensor(R"({"dtype":"F32","shape":[1],"data_offsets":[0,4]})", data), "4 bytes follow");
  ExpectDataLoss(OneTensor(R"({"dtype":"F16","shape":[4],"data_offsets":[0,8]})", data), "unknown type 'F16'");
  ExpectDataLoss(OneTensor(R"({"dtype":"I32","shape":[2],"data_offsets":[0,8]})", data), "of type I32 instead of F32");
  ExpectDataLoss(OneTensor(R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2],"data_offsets":[0,8]})", data),
                 "more than 16 dimensions");
  ExpectDataLoss(
      OneTensor(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})", std::string("\0\0\xc0\x7f\0\0\0\0", 8)),
      "'w' holds a value that is not finite");
}

TEST(ModelArtifact, HostileManifests) {
  const std::string entry = R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})";
  const std::string data(8, '\0');
  ExpectDataLoss(OneTensor(entry, data, "no JSON"), "the manifest: JSON text is not valid JSON");
  ExpectDataLoss(OneTensor(entry, data, R"({\"inputs\":[],\"tensors\":[]})"), "lists 0 tensors, the header 1");
  ExpectDataLoss(OneTensor(entry, data, R"({\"inputs\":[],\"tensors\":[{\"name\":\"v\",\"role\":\"frozen\"}]})"),
                 "lists tensor 'v', the header doesn't");
  ExpectDataLoss(OneTensor(entry, data, R"({\"inputs\":[],\"tensors\":[{\"name\":\"w\",\"role\":\"owner\"}]})"),
                 "unknown role of tensor 'w' 'owner'");
  ExpectDataLoss(OneTensor(entry, data, R"({\"inputs\":[],\"tensors\":[{\"name\":\"w\",\"role\":\"buffer\"}]})"),
                 "has no 'policy'");
  ExpectDataLoss(
      OneTensor(entry, data,
                R"({\"inputs\":[],\"tensors\":[{\"name\":\"w\",\"role\":\"frozen\",\"policy\":\"local\"}]})"),
      "has a policy and is no buffer");
  ExpectDataLoss(OneTensor(entry, data, R"({\"inputs\":[3],\"tensors\":[{\"name\":\"w\",\"role\":\"frozen\"}]})"),
                 "is not an object");
}

TEST(ModelArtifact, EveryTruncationIsRefused) {
  const std::string bytes = *SerializeArtifact(SmallArtifact());
  for (size_t size = 0; size < bytes.size(); ++size) {
    const absl::StatusOr<ModelArtifact> parsed = ParseArtifact(bytes.substr(0, size));
    ASSERT_FALSE(parsed.ok()) << size;
    EXPECT_EQ(parsed.status().code(), absl::StatusCode::kDataLoss);
  }
}

TEST(ModelArtifact, NoChangedByteCrashes) {
  const std::string bytes = *SerializeArtifact(SmallArtifact());
  for (size_t at = 0; at < bytes.size(); ++at) {
    for (const int flip : {0x01, 0x20, 0x80, 0xff}) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      const absl::StatusOr<ModelArtifact> parsed = ParseArtifact(changed);
      if (!parsed.ok()) {
        EXPECT_THAT(std::string(parsed.status().message()), Not(HasSubstr("\n")));
      }
    }
  }
}

TEST(CheckStrictJson, Depth) {
  EXPECT_TRUE(CheckStrictJson("1", 0).ok());
  EXPECT_FALSE(CheckStrictJson("[]", 0).ok());
  EXPECT_TRUE(CheckStrictJson(R"({"a":[1]})", 2).ok());
  EXPECT_FALSE(CheckStrictJson(R"({"a":[[1]]})", 2).ok());
  EXPECT_FALSE(CheckStrictJson("1 2", 2).ok());
  EXPECT_FALSE(CheckStrictJson("", 2).ok());
}

}  // namespace
}  // namespace tacit
