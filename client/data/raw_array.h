#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "core/host_tensor.h"

namespace tacit::data {

enum class ElementType { kBool, kInt8, kInt16, kInt32, kInt64, kUInt8, kUInt16, kUInt32, kFloat32, kFloat64 };

size_t ItemSize(ElementType type);

// What the header of an array file says about the bytes after it.
struct ArrayHeader {
  ElementType type = ElementType::kFloat32;
  bool big_endian = false;
  Shape shape;
  size_t offset = 0;  // where the elements begin
};

// The size that a file with this header has. DataLoss for a scalar or an array without elements, too many dimensions or
// elements; OutOfRange past kMaxDataBytes.
absl::StatusOr<uint64_t> FileSize(const ArrayHeader& header);

// An array as it lies in a file, not yet converted: `bytes` has exactly FileSize(header) bytes. Row-major; the first
// dimension is the example.
struct RawArray {
  ArrayHeader header;
  std::string bytes;

  int64_t rows() const { return header.shape.front(); }
  // The examples `rows` (each in 0 .. rows()-1) as float32 of shape [rows.size(), rest of the shape]. DataLoss, naming
  // the example, for a value that is not finite in float32.
  absl::StatusOr<HostTensor> ToFloats(std::span<const int64_t> rows) const;
  // The same as class indices, int64 [rows.size()], of an array [N] or [N, 1]. DataLoss for another shape or a value
  // that is not a whole number from 0 to 2^31 - 1.
  absl::StatusOr<HostTensor> ToClasses(std::span<const int64_t> rows) const;
};

}  // namespace tacit::data
