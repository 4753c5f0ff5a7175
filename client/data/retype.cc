#include "client/data/retype.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <span>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/status.h"

namespace tacit::data {
namespace {

// Marks booleans, which lie in memory as single bytes.
enum class Flag : uint8_t {};

template <typename T>
std::span<const T> Elements(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

template <typename Visitor>
auto WithType(DType dtype, Visitor visit) {
  switch (dtype) {
    case DType::kFloat32:
      return visit(float{});
    case DType::kFloat64:
      return visit(double{});
    case DType::kInt64:
      return visit(int64_t{});
    case DType::kInt32:
      return visit(int32_t{});
    case DType::kUInt8:
      return visit(uint8_t{});
    case DType::kBool:
      break;
  }
  return visit(Flag{});
}

template <typename From, typename To>
bool Convert(From from, To& to) {
  if constexpr (std::is_same_v<From, Flag>) {
    return Convert(static_cast<uint8_t>(from), to);
  } else if constexpr (std::is_same_v<To, Flag>) {
    to = static_cast<Flag>(from != 0);
    return from == 0 || from == 1;
  } else if constexpr (std::is_floating_point_v<To>) {
    to = static_cast<To>(from);
    return true;
  } else if constexpr (std::is_floating_point_v<From>) {
    // max() + 1 is a power of two, so both bounds are exact; NaN fails them.
    constexpr double kEnd = 2.0 * (std::numeric_limits<To>::max() / 2 + 1);
    if (!(from >= static_cast<double>(std::numeric_limits<To>::min()) && from < kEnd)) return false;
    to = static_cast<To>(from);
    return from == std::floor(from);
  } else {
    to = static_cast<To>(from);
    return std::in_range<To>(from);
  }
}

}  // namespace

absl::StatusOr<HostTensor> Retyped(const HostTensor& tensor, DType dtype, Shape shape) {
  TACIT_ASSIGN_OR_RETURN(HostTensor result, HostTensor::Zeros(dtype, std::move(shape)));
  if (result.num_elements() != tensor.num_elements()) {
    return absl::InvalidArgumentError("the shapes have different numbers of elements");
  }
  const std::span<std::byte> out = result.mutable_bytes();
  if (dtype == tensor.dtype()) {
    if (!out.empty()) std::memcpy(out.data(), tensor.bytes().data(), out.size());
    return result;
  }
  TACIT_RETURN_IF_ERROR(WithType(tensor.dtype(), [&]<typename From>(From) {
    return WithType(dtype, [&]<typename To>(To) -> absl::Status {
      const std::span<const From> in = Elements<From>(tensor.bytes());
      To* const to = reinterpret_cast<To*>(out.data());
      for (size_t i = 0; i < in.size(); ++i) {
        if (Convert(in[i], to[i])) continue;
        return absl::DataLossError(absl::StrCat("element ", i, " (from 0), ", static_cast<double>(in[i]),
                                                ", is not a value of type ", DTypeName(dtype)));
      }
      return absl::OkStatus();
    });
  }));
  return result;
}

}  // namespace tacit::data
