#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/digest.h"
#include "core/host_tensor.h"

namespace tacit {

struct TensorSpec {
  std::string name;
  Shape shape;
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

// The names and shapes of a model's trainable tensors, in manifest order, and where each lies in one contiguous buffer.
// Immutable; safe to share between threads.
class Schema {
 public:
  // InvalidArgument: an empty or repeated name, a bad shape, or more than 2^31 elements in all.
  static absl::StatusOr<std::shared_ptr<const Schema>> Create(std::vector<TensorSpec> specs);

  const std::vector<TensorSpec>& specs() const { return specs_; }
  // Elements in all tensors together.
  int64_t size() const { return offsets_.back(); }
  // First element of tensor `index`; offset(specs().size()) == size().
  int64_t offset(size_t index) const { return offsets_[index]; }
  // SHA-256 over names and shapes: two vectors can be added exactly when their schemas' hashes agree.
  const Digest& hash() const { return hash_; }

 private:
  Schema() = default;
  std::vector<TensorSpec> specs_;
  std::vector<int64_t> offsets_;
  Digest hash_;
};

// Named, shaped float32 tensors in one contiguous buffer: model parameters, or a change of them.
class ParameterVector {
 public:
  // All zeros.
  explicit ParameterVector(std::shared_ptr<const Schema> schema);
  // InvalidArgument when values.size() != schema->size().
  static absl::StatusOr<ParameterVector> Create(std::shared_ptr<const Schema> schema, std::vector<float> values);

  const Schema& schema() const { return *schema_; }
  const std::shared_ptr<const Schema>& shared_schema() const { return schema_; }
  std::span<const float> values() const { return values_; }
  std::span<float> mutable_values() { return values_; }
  std::span<const float> tensor(size_t index) const;
  std::span<float> mutable_tensor(size_t index);

  bool AllFinite() const;
  double L2Norm() const;

  // Little-endian: "TACITPV1", the schema's hash (32 bytes), the values.
  std::string Serialize() const;
  // DataLoss: another magic, size or schema.
  static absl::StatusOr<ParameterVector> Parse(std::shared_ptr<const Schema> schema, absl::string_view bytes);
  static size_t SerializedSize(const Schema& schema);

 private:
  std::shared_ptr<const Schema> schema_;
  std::vector<float> values_;
};

}  // namespace tacit
