#include "core/parameter_vector.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/status.h"

namespace tacit {
namespace {

static_assert(std::endian::native == std::endian::little, "the wire format is the memory of a little-endian machine");
constexpr absl::string_view kMagic = "TACITPV1";
constexpr int64_t kMaxSize = int64_t{1} << 31;

Digest HashOf(const std::vector<TensorSpec>& specs) {
  DigestBuilder builder;
  for (const TensorSpec& spec : specs) {
    std::string line = absl::StrCat(spec.name.size(), ":", spec.name, "[");
    for (const int64_t dimension : spec.shape) absl::StrAppend(&line, dimension, ",");
    builder.Add(absl::StrCat(line, "]"));
  }
  return builder.Finish();
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Schema>> Schema::Create(std::vector<TensorSpec> specs) {
  auto schema = std::shared_ptr<Schema>(new Schema);
  std::set<absl::string_view> names;
  schema->offsets_.push_back(0);
  for (const TensorSpec& spec : specs) {
    if (spec.name.empty()) return absl::InvalidArgumentError("a tensor has no name");
    if (!names.insert(spec.name).second) {
      return absl::InvalidArgumentError(absl::StrCat("two tensors are named '", spec.name, "'"));
    }
    absl::StatusOr<int64_t> count = NumElements(spec.shape);
    if (!count.ok()) return Annotate(count.status(), absl::StrCat("tensor '", spec.name, "'"));
    const int64_t end = schema->offsets_.back() + *count;
    if (end > kMaxSize) return absl::InvalidArgumentError("the tensors have more than 2^31 elements in all");
    schema->offsets_.push_back(end);
  }
  schema->hash_ = HashOf(specs);
  schema->specs_ = std::move(specs);
  return schema;
}

ParameterVector::ParameterVector(std::shared_ptr<const Schema> schema)
    : schema_(std::move(schema)), values_(static_cast<size_t>(schema_->size())) {}

absl::StatusOr<ParameterVector> ParameterVector::Create(std::shared_ptr<const Schema> schema,
                                                        std::vector<float> values) {
  if (static_cast<int64_t>(values.size()) != schema->size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(values.size(), " values for a schema with ", schema->size(), " elements"));
  }
  ParameterVector result(std::move(schema));
  result.values_ = std::move(values);
  return result;
}

std::span<const float> ParameterVector::tensor(size_t index) const {
  const int64_t begin = schema_->offset(index);
  return std::span(values_).subspan(begin, schema_->offset(index + 1) - begin);
}

std::span<float> ParameterVector::mutable_tensor(size_t index) {
  const int64_t begin = schema_->offset(index);
  return std::span(values_).subspan(begin, schema_->offset(index + 1) - begin);
}

bool ParameterVector::AllFinite() const {
  for (const float value : values_) {
    if (!std::isfinite(value)) return false;
  }
  return true;
}

double ParameterVector::L2Norm() const {
  double sum = 0;
  for (const float value : values_) sum += static_cast<double>(value) * value;
  return std::sqrt(sum);
}

size_t ParameterVector::SerializedSize(const Schema& schema) {
  return kMagic.size() + 32 + static_cast<size_t>(schema.size()) * sizeof(float);
}

std::string ParameterVector::Serialize() const {
  std::string bytes;
  bytes.reserve(SerializedSize(*schema_));
  absl::StrAppend(&bytes, kMagic);
  bytes.append(reinterpret_cast<const char*>(schema_->hash().bytes().data()), 32);
  bytes.append(reinterpret_cast<const char*>(values_.data()), values_.size() * sizeof(float));
  return bytes;
}

absl::StatusOr<ParameterVector> ParameterVector::Parse(std::shared_ptr<const Schema> schema, absl::string_view bytes) {
  if (!absl::StartsWith(bytes, kMagic)) return absl::DataLossError("not a parameter vector");
  if (bytes.size() != SerializedSize(*schema)) {
    return absl::DataLossError(
        absl::StrCat("a parameter vector of ", bytes.size(), " bytes where ", SerializedSize(*schema), " are due"));
  }
  if (std::memcmp(bytes.data() + kMagic.size(), schema->hash().bytes().data(), 32) != 0) {
    return absl::DataLossError("a parameter vector of another model (its schema hash differs)");
  }
  ParameterVector result(std::move(schema));
  if (result.values_.empty()) return result;
  std::memcpy(result.values_.data(), bytes.data() + kMagic.size() + 32, result.values_.size() * sizeof(float));
  return result;
}

}  // namespace tacit
