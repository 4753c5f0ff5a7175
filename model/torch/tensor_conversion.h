#pragma once

#include <ATen/core/Tensor.h>

#include "absl/status/statusor.h"
#include "core/host_tensor.h"
#include "core/parameter_vector.h"

namespace tacit::torch_backend {

at::ScalarType ToScalarType(DType dtype);

// A view of `tensor`'s memory, which must outlive every use of the result and not be written through it.
at::Tensor Borrow(const HostTensor& tensor);
std::vector<at::Tensor> Borrow(const std::vector<HostTensor>& tensors);

// Views of the tensors of `parameters`, in schema order, under the same condition.
std::vector<at::Tensor> Borrow(const ParameterVector& parameters);

// A copy with its own memory.
at::Tensor Copy(const HostTensor& tensor);

// Writes `tensor` (float32, any strides) to `values` in row-major order; the sizes must agree.
void CopyValues(const at::Tensor& tensor, std::span<float> values);

// A float32 copy of `tensor`. Internal for a shape that HostTensor refuses.
absl::StatusOr<HostTensor> ToHostTensor(const at::Tensor& tensor);

// The elements of a float tensor, as doubles.
std::vector<double> ToDoubles(const at::Tensor& tensor);

}  // namespace tacit::torch_backend
