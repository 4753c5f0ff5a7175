#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

namespace tacit::torch_backend {

// The derivatives of `loss`, a tensor of one element, by `variables`: undefined for a variable that it doesn't depend
// on. Throws BackendError that says it was the backward pass.
std::vector<at::Tensor> Differentiate(const at::Tensor& loss, const std::vector<at::Tensor>& variables);

}  // namespace tacit::torch_backend
