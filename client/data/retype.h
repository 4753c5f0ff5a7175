#pragma once

#include "absl/status/statusor.h"
#include "core/host_tensor.h"

namespace tacit::data {

// The elements of `tensor` as `dtype` in `shape`, which has as many. DataLoss for an element that the type cannot hold:
// integers take whole numbers in their range, booleans 0 and 1, floats any number, rounded.
absl::StatusOr<HostTensor> Retyped(const HostTensor& tensor, DType dtype, Shape shape);

}  // namespace tacit::data
