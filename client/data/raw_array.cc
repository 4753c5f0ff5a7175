#include "client/data/raw_array.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/data/limits.h"
#include "core/status.h"

namespace tacit::data {
namespace {

template <typename T>
T Decode(const char* at, bool big_endian) {
  char item[sizeof(T)];
  std::memcpy(item, at, sizeof(T));
  if (big_endian) std::reverse(item, item + sizeof(T));
  T value;
  std::memcpy(&value, item, sizeof(T));
  return value;
}

// Calls `visit` with a zero of the C++ type that `type` stands for.
template <typename Visitor>
auto WithType(ElementType type, Visitor visit) {
  switch (type) {
    case ElementType::kInt8:
      return visit(int8_t{});
    case ElementType::kInt16:
      return visit(int16_t{});
    case ElementType::kInt32:
      return visit(int32_t{});
    case ElementType::kInt64:
      return visit(int64_t{});
    case ElementType::kUInt16:
      return visit(uint16_t{});
    case ElementType::kUInt32:
      return visit(uint32_t{});
    case ElementType::kFloat32:
      return visit(float{});
    case ElementType::kFloat64:
      return visit(double{});
    case ElementType::kBool:
    case ElementType::kUInt8:
      break;
  }
  return visit(uint8_t{});
}

// Runs `convert(value, out element) -> bool` over the chosen rows; the first row where it fails is the error's.
template <typename From, typename To, typename Convert>
absl::Status ConvertRows(const RawArray& array, std::span<const int64_t> rows, std::span<To> out, Convert convert,
                         absl::string_view problem) {
  if (rows.empty()) return absl::OkStatus();
  const size_t width = out.size() / rows.size();
  for (size_t r = 0; r < rows.size(); ++r) {
    const char* from = array.bytes.data() + array.header.offset + static_cast<size_t>(rows[r]) * width * sizeof(From);
    for (size_t i = 0; i < width; ++i) {
      const From value = Decode<From>(from + i * sizeof(From), array.header.big_endian);
      if (!convert(value, out[r * width + i])) {
        return absl::DataLossError(
            absl::StrCat("example ", rows[r], " (from 0): ", static_cast<double>(value), " ", problem));
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace

size_t ItemSize(ElementType type) {
  return WithType(type, [](auto zero) { return sizeof(zero); });
}

absl::StatusOr<uint64_t> FileSize(const ArrayHeader& header) {
  if (header.shape.empty()) return absl::DataLossError("holds a single number, not one for every example");
  if (header.shape.size() > kMaxDimensions) {
    return absl::DataLossError(
        absl::StrCat("has ", header.shape.size(), " dimensions, more than the ", kMaxDimensions, " allowed"));
  }
  const std::string shape = absl::StrCat("[", absl::StrJoin(header.shape, ", "), "]");
  const absl::StatusOr<int64_t> elements = NumElements(header.shape);
  if (!elements.ok()) return absl::DataLossError(absl::StrCat("cannot have the shape ", shape));
  if (*elements == 0) return absl::DataLossError(absl::StrCat("holds no values: its shape is ", shape));
  const uint64_t size = header.offset + static_cast<uint64_t>(*elements) * ItemSize(header.type);
  if (size > kMaxDataBytes) {
    return absl::OutOfRangeError(
        absl::StrCat("is ", size, " bytes by its header, more than the ", kMaxDataBytes, " allowed"));
  }
  return size;
}

absl::StatusOr<HostTensor> RawArray::ToFloats(std::span<const int64_t> rows) const {
  Shape shape = header.shape;
  shape[0] = static_cast<int64_t>(rows.size());
  TACIT_ASSIGN_OR_RETURN(HostTensor result, HostTensor::Zeros(DType::kFloat32, std::move(shape)));
  const bool is_bool = header.type == ElementType::kBool;
  TACIT_RETURN_IF_ERROR(WithType(header.type, [&]<typename From>(From) {
    const auto convert = [&](From value, float& out) {
      out = is_bool ? static_cast<float>(value != 0) : static_cast<float>(value);
      return std::isfinite(out);
    };
    return ConvertRows<From>(*this, rows, result.mutable_values<float>(), convert,
                             "is not a finite 32-bit number; clean the data first");
  }));
  return result;
}

absl::StatusOr<HostTensor> RawArray::ToClasses(std::span<const int64_t> rows) const {
  if (header.shape.size() > 2 || (header.shape.size() == 2 && header.shape[1] != 1)) {
    return absl::DataLossError(absl::StrCat("classes must have the shape [N], not [", absl::StrJoin(header.shape, ", "),
                                            "]; give the index of the class, not one column a class"));
  }
  TACIT_ASSIGN_OR_RETURN(HostTensor result, HostTensor::Zeros(DType::kInt64, {static_cast<int64_t>(rows.size())}));
  TACIT_RETURN_IF_ERROR(WithType(header.type, [&]<typename From>(From) {
    const auto convert = [](From value, int64_t& out) {
      const double number = static_cast<double>(value);
      if (!(number >= 0 && number < 0x1p31 && number == std::floor(number))) return false;
      out = static_cast<int64_t>(value);
      return true;
    };
    return ConvertRows<From>(*this, rows, result.mutable_values<int64_t>(), convert,
                             "is not a class index, a whole number >= 0");
  }));
  return result;
}

}  // namespace tacit::data
