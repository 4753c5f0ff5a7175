#pragma once

#include <ATen/core/function_schema.h>
#include <ATen/core/ivalue.h>

#include <vector>

#include "absl/status/statusor.h"
#include "model/api/graph.h"

namespace tacit::torch_backend {

// What stands in one place of an operator's argument list.
struct Slot {
  enum class Kind {
    kConstant,      // `constant`
    kValue,         // the tensor ids[0]
    kList,          // the tensors ids
    kOptionalList,  // the tensors ids, where kUnused is no tensor
  };
  Kind kind = Kind::kConstant;
  c10::IValue constant;
  std::vector<model::ValueId> ids;
};

// `actual` as the type that `formal` asks for: integers become floats, a number a list of a fixed length, an empty list
// one of the right type. InvalidArgument when it doesn't fit, or is a number that the operator must not see (no groups,
// an unknown tensor type, training mode of an operator other than dropout).
absl::StatusOr<Slot> Coerce(const c10::Argument& formal, const model::Argument& actual);

}  // namespace tacit::torch_backend
