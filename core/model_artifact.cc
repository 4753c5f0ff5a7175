#include "core/model_artifact.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "core/status.h"

namespace tacit {
namespace {

using Json = nlohmann::json;

static_assert(std::endian::native == std::endian::little, "tensors on disk are the memory of a little-endian machine");
constexpr absl::string_view kFormat = "1";
constexpr absl::string_view kMetadata = "__metadata__";
constexpr size_t kLengthBytes = 8;
constexpr size_t kAlignment = 8;
constexpr int kHeaderDepth = 3;    // header > tensor > shape
constexpr int kManifestDepth = 4;  // manifest > inputs > input > shape

constexpr std::pair<TensorRole, absl::string_view> kRoles[] = {
    {TensorRole::kTrainable, "trainable"}, {TensorRole::kFrozen, "frozen"}, {TensorRole::kBuffer, "buffer"}};
constexpr std::pair<BufferPolicy, absl::string_view> kPolicies[] = {
    {BufferPolicy::kLocal, "local"}, {BufferPolicy::kAverage, "average"}, {BufferPolicy::kServer, "server"}};

template <typename Enum, size_t N>
absl::string_view NameOf(const std::pair<Enum, absl::string_view> (&table)[N], Enum value) {
  for (const auto& [known, name] : table) {
    if (known == value) return name;
  }
  return "";
}

template <typename Enum, size_t N>
absl::StatusOr<Enum> FromName(const std::pair<Enum, absl::string_view> (&table)[N], absl::string_view name,
                              absl::string_view what) {
  for (const auto& [value, known] : table) {
    if (known == name) return value;
  }
  return absl::DataLossError(absl::StrCat("unknown ", what, " '", absl::CHexEscape(name.substr(0, 64)), "'"));
}

// Names appear in error lines and reports, so nothing in them may break a line.
absl::Status CheckName(absl::string_view name, absl::string_view what) {
  if (name.empty()) return absl::DataLossError(absl::StrCat("a ", what, " has no name"));
  if (name.size() > kMaxArtifactNameBytes) {
    return absl::DataLossError(
        absl::StrCat("the name of a ", what, " is longer than ", kMaxArtifactNameBytes, " bytes"));
  }
  for (const char c : name) {
    if (c < 0x21 || c > 0x7e) {
      return absl::DataLossError(
          absl::StrCat("the ", what, " name '", absl::CHexEscape(name), "' holds more than printable ASCII"));
    }
  }
  if (name == kMetadata) return absl::DataLossError(absl::StrCat("a ", what, " is named '", kMetadata, "'"));
  return absl::OkStatus();
}

template <typename Element>
bool AllFinite(std::span<const Element> values) {
  for (const Element value : values) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

// What must hold for the tensor whether it comes from a file or goes into one.
absl::Status CheckTensor(const ArtifactTensor& tensor) {
  const DType dtype = tensor.value.dtype();
  if (tensor.role == TensorRole::kTrainable && dtype != DType::kFloat32) {
    return absl::DataLossError(
        absl::StrCat("tensor '", tensor.name, "' is trainable and of type ", DTypeName(dtype), " instead of F32"));
  }
  if (tensor.role != TensorRole::kBuffer) {
    const bool finite = dtype == DType::kFloat32   ? AllFinite(tensor.value.values<float>())
                        : dtype == DType::kFloat64 ? AllFinite(tensor.value.values<double>())
                                                   : true;
    if (!finite)
      return absl::DataLossError(absl::StrCat("tensor '", tensor.name, "' holds a value that is not finite"));
  }
  if (dtype == DType::kBool) {
    for (const std::byte byte : tensor.value.bytes()) {
      if (byte > std::byte{1}) {
        return absl::DataLossError(
            absl::StrCat("tensor '", tensor.name, "' is BOOL and holds a byte that is not 0 or 1"));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CheckArtifact(const ModelArtifact& artifact) {
  std::set<absl::string_view> names;
  for (const ArtifactTensor& tensor : artifact.tensors) {
    TACIT_RETURN_IF_ERROR(CheckName(tensor.name, "tensor"));
    if (!names.insert(tensor.name).second) {
      return absl::DataLossError(absl::StrCat("two tensors are named '", tensor.name, "'"));
    }
    if (tensor.value.shape().size() > kMaxArtifactRank) {
      return absl::DataLossError(
          absl::StrCat("tensor '", tensor.name, "' has more than ", kMaxArtifactRank, " dimensions"));
    }
    TACIT_RETURN_IF_ERROR(CheckTensor(tensor));
  }
  names.clear();
  for (const InputSpec& input : artifact.inputs) {
    TACIT_RETURN_IF_ERROR(CheckName(input.name, "input"));
    if (!names.insert(input.name).second) {
      return absl::DataLossError(absl::StrCat("two inputs are named '", input.name, "'"));
    }
    if (input.example_shape.size() > kMaxArtifactRank) {
      return absl::DataLossError(
          absl::StrCat("input '", input.name, "' has more than ", kMaxArtifactRank, " dimensions"));
    }
    if (const auto count = NumElements(input.example_shape); !count.ok()) {
      return absl::DataLossError(absl::StrCat("input '", input.name, "': ", count.status().message()));
    }
  }
  return absl::OkStatus();
}

std::string ManifestOf(const ModelArtifact& artifact) {
  Json manifest{{"inputs", Json::array()}, {"tensors", Json::array()}};
  for (const InputSpec& input : artifact.inputs) {
    manifest["inputs"].push_back(
        {{"name", input.name}, {"dtype", DTypeName(input.dtype)}, {"shape", input.example_shape}});
  }
  for (const ArtifactTensor& tensor : artifact.tensors) {
    Json entry{{"name", tensor.name}, {"role", NameOf(kRoles, tensor.role)}};
    if (tensor.role == TensorRole::kBuffer) entry["policy"] = NameOf(kPolicies, tensor.policy);
    manifest["tensors"].push_back(std::move(entry));
  }
  return manifest.dump();
}

// A member of `object` that must be there and be a `Type`: DataLoss instead of nlohmann's exceptions.
template <typename Type>
absl::StatusOr<Type> Member(const Json& object, const char* key, absl::string_view where) {
  const auto found = object.find(key);
  if (found == object.end()) return absl::DataLossError(absl::StrCat(where, " has no '", key, "'"));
  const bool fits = std::is_same_v<Type, std::string> ? found->is_string() : found->is_array();
  if (!fits) return absl::DataLossError(absl::StrCat("'", key, "' of ", where, " has the wrong type"));
  return found->get<Type>();
}

absl::Status CheckKeys(const Json& object, std::initializer_list<absl::string_view> known, absl::string_view where) {
  if (!object.is_object()) return absl::DataLossError(absl::StrCat(where, " is not an object"));
  for (const auto& item : object.items()) {
    if (std::find(known.begin(), known.end(), item.key()) == known.end()) {
      return absl::DataLossError(
          absl::StrCat(where, " has an unknown key '", absl::CHexEscape(item.key().substr(0, 64)), "'"));
    }
  }
  return absl::OkStatus();
}

// A list of integers in [0, 2^63).
absl::StatusOr<Shape> ParseSizes(const Json& array, absl::string_view where) {
  if (array.size() > kMaxArtifactRank) {
    return absl::DataLossError(absl::StrCat(where, " has more than ", kMaxArtifactRank, " dimensions"));
  }
  Shape sizes;
  for (const Json& element : array) {
    if (!element.is_number_unsigned() || element.get<uint64_t>() > uint64_t{INT64_MAX}) {
      return absl::DataLossError(absl::StrCat(where, " has a size that is not a whole number of at least 0"));
    }
    sizes.push_back(element.get<int64_t>());
  }
  return sizes;
}

absl::StatusOr<DType> ParseType(const Json& entry, absl::string_view where) {
  TACIT_ASSIGN_OR_RETURN(const std::string name, Member<std::string>(entry, "dtype", where));
  if (absl::StatusOr<DType> dtype = DTypeFromName(name); dtype.ok()) return dtype;
  return absl::DataLossError(absl::StrCat(where, " has the unknown type '", absl::CHexEscape(name.substr(0, 64)), "'"));
}

absl::StatusOr<Shape> ParseShape(const Json& entry, absl::string_view where) {
  TACIT_ASSIGN_OR_RETURN(const Json array, Member<Json>(entry, "shape", where));
  return ParseSizes(array, where);
}

// The tensor's bytes are `data[begin, begin + size)`; returns its end, which is the next one's begin.
absl::StatusOr<size_t> ReadTensor(const Json& entry, absl::string_view data, size_t begin, ArtifactTensor& tensor) {
  const std::string where = absl::StrCat("tensor '", tensor.name, "'");
  TACIT_RETURN_IF_ERROR(CheckKeys(entry, {"dtype", "shape", "data_offsets"}, where));
  TACIT_ASSIGN_OR_RETURN(const DType dtype, ParseType(entry, where));
  TACIT_ASSIGN_OR_RETURN(Shape shape, ParseShape(entry, where));
  TACIT_ASSIGN_OR_RETURN(const Json offset_array, Member<Json>(entry, "data_offsets", where));
  TACIT_ASSIGN_OR_RETURN(const Shape offsets, ParseSizes(offset_array, where));
  if (offsets.size() != 2 || offsets[1] < offsets[0]) {
    return absl::DataLossError(absl::StrCat(where, " has offsets that are not a begin and an end"));
  }
  if (static_cast<uint64_t>(offsets[1]) > data.size()) {
    return absl::DataLossError(
        absl::StrCat(where, " ends at byte ", offsets[1], " of ", data.size(), " bytes of tensor data"));
  }
  if (static_cast<size_t>(offsets[0]) != begin) {
    return absl::DataLossError(absl::StrCat(where, " begins at byte ", offsets[0], " where ", begin,
                                            " is due: tensors overlap or leave a gap"));
  }
  const absl::StatusOr<int64_t> count = NumElements(shape);
  if (!count.ok()) return absl::DataLossError(absl::StrCat(where, ": ", count.status().message()));
  const size_t size = static_cast<size_t>(offsets[1]) - begin;
  if (static_cast<uint64_t>(*count) * ItemSize(dtype) != size) {
    return absl::DataLossError(absl::StrCat(where, " has a shape of ", *count, " elements of type ", DTypeName(dtype),
                                            " and ", size, " bytes"));
  }
  TACIT_ASSIGN_OR_RETURN(tensor.value, HostTensor::Zeros(dtype, std::move(shape)));
  if (size > 0) std::memcpy(tensor.value.mutable_bytes().data(), data.data() + begin, size);
  return begin + size;
}

absl::StatusOr<InputSpec> ParseInput(const Json& entry) {
  InputSpec input;
  TACIT_RETURN_IF_ERROR(CheckKeys(entry, {"name", "dtype", "shape"}, "an input of the manifest"));
  TACIT_ASSIGN_OR_RETURN(input.name, Member<std::string>(entry, "name", "an input of the manifest"));
  TACIT_RETURN_IF_ERROR(CheckName(input.name, "input"));
  const std::string where = absl::StrCat("input '", input.name, "'");
  TACIT_ASSIGN_OR_RETURN(input.dtype, ParseType(entry, where));
  TACIT_ASSIGN_OR_RETURN(input.example_shape, ParseShape(entry, where));
  return input;
}

// Name, role and policy; the value comes from the header's own entry.
absl::StatusOr<ArtifactTensor> ParseRole(const Json& entry) {
  ArtifactTensor tensor;
  TACIT_RETURN_IF_ERROR(CheckKeys(entry, {"name", "role", "policy"}, "a tensor of the manifest"));
  TACIT_ASSIGN_OR_RETURN(tensor.name, Member<std::string>(entry, "name", "a tensor of the manifest"));
  TACIT_RETURN_IF_ERROR(CheckName(tensor.name, "tensor"));
  const std::string where = absl::StrCat("tensor '", tensor.name, "'");
  TACIT_ASSIGN_OR_RETURN(const std::string role, Member<std::string>(entry, "role", where));
  TACIT_ASSIGN_OR_RETURN(tensor.role, FromName(kRoles, role, absl::StrCat("role of ", where)));
  if (tensor.role != TensorRole::kBuffer) {
    if (entry.contains("policy")) return absl::DataLossError(absl::StrCat(where, " has a policy and is no buffer"));
    return tensor;
  }
  TACIT_ASSIGN_OR_RETURN(const std::string policy, Member<std::string>(entry, "policy", where));
  TACIT_ASSIGN_OR_RETURN(tensor.policy, FromName(kPolicies, policy, absl::StrCat("policy of ", where)));
  return tensor;
}

absl::Status ParseManifest(const std::string& text, ModelArtifact& artifact) {
  TACIT_RETURN_IF_ERROR(Annotate(CheckStrictJson(text, kManifestDepth), "the manifest"));
  const Json manifest = Json::parse(text);
  TACIT_RETURN_IF_ERROR(CheckKeys(manifest, {"inputs", "tensors"}, "the manifest"));
  TACIT_ASSIGN_OR_RETURN(const Json inputs, Member<Json>(manifest, "inputs", "the manifest"));
  TACIT_ASSIGN_OR_RETURN(const Json tensors, Member<Json>(manifest, "tensors", "the manifest"));
  for (const Json& entry : inputs) {
    TACIT_ASSIGN_OR_RETURN(InputSpec input, ParseInput(entry));
    artifact.inputs.push_back(std::move(input));
  }
  for (const Json& entry : tensors) {
    TACIT_ASSIGN_OR_RETURN(ArtifactTensor tensor, ParseRole(entry));
    artifact.tensors.push_back(std::move(tensor));
  }
  return absl::OkStatus();
}

absl::Status ReadTensors(const Json& header, absl::string_view data, ModelArtifact& artifact) {
  if (artifact.tensors.size() + 1 != header.size()) {
    return absl::DataLossError(
        absl::StrCat("the manifest lists ", artifact.tensors.size(), " tensors, the header ", header.size() - 1));
  }
  size_t end = 0;
  for (ArtifactTensor& tensor : artifact.tensors) {
    const auto entry = header.find(tensor.name);
    if (entry == header.end()) {
      return absl::DataLossError(absl::StrCat("the manifest lists tensor '", tensor.name, "', the header doesn't"));
    }
    TACIT_ASSIGN_OR_RETURN(end, ReadTensor(*entry, data, end, tensor));
  }
  if (end != data.size()) {
    return absl::DataLossError(absl::StrCat(data.size() - end, " bytes follow the last tensor"));
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> ParseHeader(absl::string_view bytes, size_t& data_begin) {
  if (bytes.size() < kLengthBytes) return absl::DataLossError("not a model artifact: shorter than 8 bytes");
  if (bytes.size() > kMaxArtifactBytes) return absl::DataLossError("a model artifact may have 16 GiB at most");
  uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxArtifactHeaderBytes || length > bytes.size() - kLengthBytes) {
    return absl::DataLossError(
        absl::StrCat("not a model artifact: a header of ", length, " bytes in a file of ", bytes.size(), " bytes"));
  }
  const absl::string_view text = bytes.substr(kLengthBytes, length);
  if (text.empty() || text.front() != '{')
    return absl::DataLossError("not a model artifact: its header is not a JSON object");
  TACIT_RETURN_IF_ERROR(Annotate(CheckStrictJson(text, kHeaderDepth), "the header"));
  data_begin = kLengthBytes + length;
  return Json::parse(text);
}

absl::StatusOr<ModelArtifact> Parse(absl::string_view bytes) {
  size_t data_begin = 0;
  TACIT_ASSIGN_OR_RETURN(const Json header, ParseHeader(bytes, data_begin));
  const auto metadata = header.find(kMetadata);
  if (metadata == header.end()) return absl::DataLossError("a safetensors file, but not a model artifact: no metadata");
  TACIT_RETURN_IF_ERROR(
      CheckKeys(*metadata, {"tacit.format", "tacit.graph", "tacit.loss", "tacit.manifest"}, "the metadata"));
  TACIT_ASSIGN_OR_RETURN(const std::string format, Member<std::string>(*metadata, "tacit.format", "the metadata"));
  if (format != kFormat) {
    return absl::DataLossError(absl::StrCat("format version '", absl::CHexEscape(format.substr(0, 64)),
                                            "' of a model artifact; this program reads version ", kFormat));
  }
  ModelArtifact artifact;
  TACIT_ASSIGN_OR_RETURN(artifact.graph_json, Member<std::string>(*metadata, "tacit.graph", "the metadata"));
  TACIT_ASSIGN_OR_RETURN(artifact.loss, Member<std::string>(*metadata, "tacit.loss", "the metadata"));
  TACIT_ASSIGN_OR_RETURN(const std::string manifest, Member<std::string>(*metadata, "tacit.manifest", "the metadata"));
  TACIT_RETURN_IF_ERROR(ParseManifest(manifest, artifact));
  TACIT_RETURN_IF_ERROR(ReadTensors(header, bytes.substr(data_begin), artifact));
  TACIT_RETURN_IF_ERROR(CheckArtifact(artifact));
  return artifact;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Schema>> ModelArtifact::TrainableSchema() const {
  std::vector<TensorSpec> specs;
  for (const ArtifactTensor& tensor : tensors) {
    if (tensor.role == TensorRole::kTrainable) specs.push_back({tensor.name, tensor.value.shape()});
  }
  return Schema::Create(std::move(specs));
}

absl::StatusOr<ParameterVector> ModelArtifact::TrainableParameters() const {
  TACIT_ASSIGN_OR_RETURN(std::shared_ptr<const Schema> schema, TrainableSchema());
  ParameterVector parameters(std::move(schema));
  size_t index = 0;
  for (const ArtifactTensor& tensor : tensors) {
    if (tensor.role != TensorRole::kTrainable) continue;
    if (tensor.value.dtype() != DType::kFloat32) {
      return absl::InvalidArgumentError(absl::StrCat("tensor '", tensor.name, "' is trainable and not F32"));
    }
    const std::span<const float> values = tensor.value.values<float>();
    std::copy(values.begin(), values.end(), parameters.mutable_tensor(index++).begin());
  }
  return parameters;
}

absl::Status ModelArtifact::SetTrainableParameters(const ParameterVector& parameters) {
  TACIT_ASSIGN_OR_RETURN(const std::shared_ptr<const Schema> schema, TrainableSchema());
  if (schema->hash() != parameters.schema().hash()) {
    return absl::InvalidArgumentError("parameters of another model (their schema differs from the artifact's)");
  }
  size_t index = 0;
  for (ArtifactTensor& tensor : tensors) {
    if (tensor.role != TensorRole::kTrainable) continue;
    const std::span<const float> values = parameters.tensor(index++);
    std::copy(values.begin(), values.end(), tensor.value.mutable_values<float>().begin());
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> SerializeArtifact(const ModelArtifact& artifact) {
  if (const absl::Status status = CheckArtifact(artifact); !status.ok()) {
    return absl::InvalidArgumentError(status.message());
  }
  Json header = Json::object();
  size_t end = 0;
  for (const ArtifactTensor& tensor : artifact.tensors) {
    const size_t begin = end;
    end += tensor.value.bytes().size();
    header[tensor.name] = {
        {"dtype", DTypeName(tensor.value.dtype())}, {"shape", tensor.value.shape()}, {"data_offsets", {begin, end}}};
  }
  header[kMetadata] = {{"tacit.format", kFormat},
                       {"tacit.graph", artifact.graph_json},
                       {"tacit.loss", artifact.loss},
                       {"tacit.manifest", ManifestOf(artifact)}};
  std::string text;
  try {
    text = header.dump();
  } catch (const Json::exception&) {
    return absl::InvalidArgumentError("the graph or the loss of the artifact is not UTF-8");
  }
  while (text.size() % kAlignment != 0) text += ' ';
  if (text.size() > kMaxArtifactHeaderBytes || kLengthBytes + text.size() + end > kMaxArtifactBytes) {
    return absl::InvalidArgumentError("the artifact is larger than the format allows");
  }
  const uint64_t length = text.size();
  std::string bytes(reinterpret_cast<const char*>(&length), kLengthBytes);
  bytes.reserve(kLengthBytes + text.size() + end);
  bytes += text;
  for (const ArtifactTensor& tensor : artifact.tensors) {
    const std::span<const std::byte> value = tensor.value.bytes();
    bytes.append(reinterpret_cast<const char*>(value.data()), value.size());
  }
  return bytes;
}

absl::StatusOr<ModelArtifact> ParseArtifact(absl::string_view bytes) { return Parse(bytes); }

namespace {

// Walks JSON text without building it.
class StrictJsonChecker final : public nlohmann::json_sax<Json> {
 public:
  explicit StrictJsonChecker(int max_depth) : max_depth_(max_depth) {}
  const std::string& problem() const { return problem_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return Enter(); }
  bool start_array(size_t) override { return Enter(); }
  bool end_object() override { return Leave(); }
  bool end_array() override { return Leave(); }
  bool key(string_t& name) override {
    if (keys_.back().insert(name).second) return true;
    problem_ = absl::StrCat("repeats the key '", absl::CHexEscape(name.substr(0, 64)), "'");
    return false;
  }
  bool parse_error(size_t position, const std::string&, const nlohmann::detail::exception&) override {
    problem_ = absl::StrCat("is not valid JSON (byte ", position, ")");
    return false;
  }

 private:
  bool Enter() {
    keys_.emplace_back();
    if (keys_.size() <= static_cast<size_t>(max_depth_)) return true;
    problem_ = absl::StrCat("is nested more than ", max_depth_, " deep");
    return false;
  }
  bool Leave() {
    keys_.pop_back();
    return true;
  }

  int max_depth_;
  std::vector<std::set<std::string>> keys_;
  std::string problem_;
};

}  // namespace

absl::Status CheckStrictJson(absl::string_view text, int max_depth) {
  StrictJsonChecker checker(max_depth);
  if (Json::sax_parse(text, &checker)) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("JSON text ", checker.problem()));
}

}  // namespace tacit
