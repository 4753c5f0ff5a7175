#include "model/torch/graph/coercion.h"

#include <ATen/core/jit_type.h>

#include <algorithm>
#include <array>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/status.h"

namespace tacit::torch_backend {
namespace {

using c10::IValue;
using c10::TypeKind;
using model::Argument;
using model::None;
using model::ValueRef;

struct TypeName {
  const char* operator()(const None&) const { return "nothing"; }
  const char* operator()(bool) const { return "a bool"; }
  const char* operator()(int64_t) const { return "an integer"; }
  const char* operator()(double) const { return "a float"; }
  const char* operator()(const std::string&) const { return "a string"; }
  const char* operator()(const ValueRef&) const { return "a value"; }
  const char* operator()(const std::vector<int64_t>&) const { return "a list of integers"; }
  const char* operator()(const std::vector<double>&) const { return "a list of floats"; }
  const char* operator()(const std::vector<bool>&) const { return "a list of bools"; }
  const char* operator()(const std::vector<std::optional<ValueRef>>&) const { return "a list of values"; }
};

absl::Status Mismatch(const c10::Argument& formal, const Argument& actual) {
  return absl::InvalidArgumentError(absl::StrCat("argument '", formal.name(), "' is ", std::visit(TypeName{}, actual),
                                                 " where the operator takes ", formal.real_type()->str()));
}

Slot Constant(IValue value) { return {Slot::Kind::kConstant, std::move(value), {}}; }

// Some kernels divide by these without a look, or by their square.
constexpr int64_t kMaxDivisor = int64_t{1} << 20;
bool IsDivisor(const std::string& name) {
  static constexpr std::array<const char*, 6> kNames{"groups",     "num_groups",       "chunks",
                                                     "split_size", "downscale_factor", "upscale_factor"};
  return std::find(kNames.begin(), kNames.end(), name) != kNames.end();
}

// Enumerations travel as integers, and LibTorch trusts them.
bool IsKnownEnumerator(TypeKind kind, int64_t value) {
  switch (kind) {
    case TypeKind::ScalarTypeType: {
      constexpr std::array kTypes{at::kFloat, at::kDouble, at::kLong, at::kInt, at::kByte, at::kBool};
      return std::find(kTypes.begin(), kTypes.end(), static_cast<at::ScalarType>(value)) != kTypes.end() &&
             value >= 0 && value <= std::numeric_limits<int8_t>::max();
    }
    case TypeKind::LayoutType:
      return value == static_cast<int64_t>(at::kStrided);
    case TypeKind::MemoryFormatType:
      return value == static_cast<int64_t>(at::MemoryFormat::Contiguous) ||
             value == static_cast<int64_t>(at::MemoryFormat::Preserve);
    default:
      return true;
  }
}

c10::TypePtr StripOptional(const c10::TypePtr& type) {
  return type->kind() == TypeKind::OptionalType ? type->expectRef<c10::OptionalType>().getElementType() : type;
}

absl::StatusOr<Slot> CoerceInteger(const c10::Argument& formal, int64_t value) {
  if (!IsKnownEnumerator(StripOptional(formal.real_type())->kind(), value)) {
    return absl::InvalidArgumentError(absl::StrCat("argument '", formal.name(), "': ", value, " is no known ",
                                                   StripOptional(formal.real_type())->str()));
  }
  if (IsDivisor(formal.name()) && (value < 1 || value > kMaxDivisor)) {
    return absl::InvalidArgumentError(
        absl::StrCat("argument '", formal.name(), "': ", value, " is not between 1 and ", kMaxDivisor));
  }
  return Constant(value);
}

absl::StatusOr<Slot> CoerceBool(const c10::Argument& formal, bool value) {
  if (value && (formal.name() == "training" || formal.name() == "use_input_stats")) {
    return absl::InvalidArgumentError(
        absl::StrCat("argument '", formal.name(),
                     "' is true: normalisation over the batch mixes examples and has no per-sample gradient"));
  }
  return Constant(value);
}

absl::StatusOr<Slot> CoerceReferences(const c10::Argument& formal, const Argument& actual, bool optional) {
  Slot slot{optional ? Slot::Kind::kOptionalList : Slot::Kind::kList, {}, {}};
  for (const std::optional<ValueRef>& value : std::get<std::vector<std::optional<ValueRef>>>(actual)) {
    if (!value && !optional) return Mismatch(formal, actual);
    slot.ids.push_back(value ? value->id : model::kUnused);
  }
  return slot;
}

// A single number stands for a list of it where the operator asks for a fixed number of them.
template <typename Element>
std::vector<Element> Repeated(const c10::Argument& formal, Element value) {
  return std::vector<Element>(formal.N() ? static_cast<size_t>(*formal.N()) : 1, value);
}

c10::List<bool> BoolList(const std::vector<bool>& values) {
  c10::List<bool> list;
  for (const bool value : values) list.push_back(value);
  return list;
}

absl::StatusOr<Slot> CoerceList(const c10::Argument& formal, TypeKind element, const Argument& actual) {
  const auto* integers = std::get_if<std::vector<int64_t>>(&actual);
  const bool empty = integers != nullptr && integers->empty();
  switch (element) {
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      if (integers != nullptr) return Constant(c10::List<int64_t>(*integers));
      if (const auto* one = std::get_if<int64_t>(&actual); one != nullptr && formal.N()) {
        return Constant(c10::List<int64_t>(Repeated(formal, *one)));
      }
      break;
    case TypeKind::FloatType:
      if (const auto* list = std::get_if<std::vector<double>>(&actual)) return Constant(c10::List<double>(*list));
      if (integers != nullptr) {
        return Constant(c10::List<double>(std::vector<double>(integers->begin(), integers->end())));
      }
      break;
    case TypeKind::BoolType:
      if (empty) return Constant(c10::List<bool>());
      if (const auto* list = std::get_if<std::vector<bool>>(&actual)) return Constant(BoolList(*list));
      break;
    case TypeKind::TensorType:
    case TypeKind::OptionalType: {
      const bool optional = element == TypeKind::OptionalType;
      if (empty) return Slot{optional ? Slot::Kind::kOptionalList : Slot::Kind::kList, {}, {}};
      if (std::holds_alternative<std::vector<std::optional<ValueRef>>>(actual)) {
        return CoerceReferences(formal, actual, optional);
      }
      break;
    }
    default:
      break;
  }
  return Mismatch(formal, actual);
}

absl::StatusOr<Slot> CoerceTo(const c10::Argument& formal, const c10::TypePtr& type, const Argument& actual) {
  const auto* integer = std::get_if<int64_t>(&actual);
  const auto* real = std::get_if<double>(&actual);
  switch (type->kind()) {
    case TypeKind::OptionalType:
      if (std::holds_alternative<None>(actual)) return Constant(IValue());
      return CoerceTo(formal, type->expectRef<c10::OptionalType>().getElementType(), actual);
    case TypeKind::TensorType:
      if (const auto* value = std::get_if<ValueRef>(&actual)) return Slot{Slot::Kind::kValue, {}, {value->id}};
      break;
    case TypeKind::IntType:
    case TypeKind::SymIntType:
      if (integer != nullptr) return CoerceInteger(formal, *integer);
      break;
    case TypeKind::FloatType:
    case TypeKind::NumberType:
      if (real != nullptr) return Constant(*real);
      if (integer != nullptr) {
        return type->kind() == TypeKind::FloatType ? Constant(static_cast<double>(*integer)) : Constant(*integer);
      }
      break;
    case TypeKind::BoolType:
      if (const auto* value = std::get_if<bool>(&actual)) return CoerceBool(formal, *value);
      break;
    case TypeKind::StringType:
      if (const auto* text = std::get_if<std::string>(&actual)) return Constant(*text);
      break;
    case TypeKind::ListType:
      return CoerceList(formal, type->expectRef<c10::ListType>().getElementType()->kind(), actual);
    default:
      break;  // devices, generators: only left out
  }
  return Mismatch(formal, actual);
}

}  // namespace

absl::StatusOr<Slot> Coerce(const c10::Argument& formal, const Argument& actual) {
  return CoerceTo(formal, formal.type(), actual);
}

}  // namespace tacit::torch_backend
