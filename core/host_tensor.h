#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tacit {

enum class DType { kFloat32, kFloat64, kInt64, kInt32, kUInt8, kBool };

size_t ItemSize(DType dtype);
// The names that safetensors uses: F32, F64, I64, I32, U8, BOOL.
absl::string_view DTypeName(DType dtype);
absl::StatusOr<DType> DTypeFromName(absl::string_view name);

using Shape = std::vector<int64_t>;
// The product of the dimensions; 1 for a scalar. InvalidArgument for a negative dimension or a product past 2^47.
absl::StatusOr<int64_t> NumElements(const Shape& shape);

template <typename T>
constexpr DType DTypeOf();
template <>
constexpr DType DTypeOf<float>() {
  return DType::kFloat32;
}
template <>
constexpr DType DTypeOf<double>() {
  return DType::kFloat64;
}
template <>
constexpr DType DTypeOf<int64_t>() {
  return DType::kInt64;
}
template <>
constexpr DType DTypeOf<int32_t>() {
  return DType::kInt32;
}
template <>
constexpr DType DTypeOf<uint8_t>() {
  return DType::kUInt8;
}

// A dense, row-major tensor in main memory, owned. The first dimension is the example where there is one.
class HostTensor {
 public:
  HostTensor() = default;
  // Zero-filled. InvalidArgument as NumElements.
  static absl::StatusOr<HostTensor> Zeros(DType dtype, Shape shape);
  template <typename T>
  static absl::StatusOr<HostTensor> From(Shape shape, std::span<const T> values);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  int64_t num_elements() const { return num_elements_; }
  std::span<const std::byte> bytes() const { return bytes_; }
  std::span<std::byte> mutable_bytes() { return bytes_; }

  // The elements; T must be the tensor's own type.
  template <typename T>
  std::span<const T> values() const {
    CheckType(DTypeOf<T>());
    return {reinterpret_cast<const T*>(bytes_.data()), static_cast<size_t>(num_elements_)};
  }
  template <typename T>
  std::span<T> mutable_values() {
    CheckType(DTypeOf<T>());
    return {reinterpret_cast<T*>(bytes_.data()), static_cast<size_t>(num_elements_)};
  }

  // Rows `rows` along the first dimension, in that order. OutOfRange for a row that isn't there.
  absl::StatusOr<HostTensor> Gather(std::span<const int64_t> rows) const;

  friend bool operator==(const HostTensor&, const HostTensor&) = default;

 private:
  void CheckType(DType wanted) const;
  DType dtype_ = DType::kFloat32;
  Shape shape_{0};
  int64_t num_elements_ = 0;
  std::vector<std::byte> bytes_;
};

template <typename T>
absl::StatusOr<HostTensor> HostTensor::From(Shape shape, std::span<const T> values) {
  absl::StatusOr<HostTensor> tensor = Zeros(DTypeOf<T>(), std::move(shape));
  if (!tensor.ok()) return tensor;
  if (static_cast<size_t>(tensor->num_elements()) != values.size()) {
    return absl::InvalidArgumentError("the number of values does not match the shape");
  }
  std::copy(values.begin(), values.end(), tensor->template mutable_values<T>().begin());
  return tensor;
}

}  // namespace tacit
