#include "model/torch/gradient/differentiate.h"

#include <torch/csrc/autograd/autograd.h>

#include "model/torch/guard.h"

namespace tacit::torch_backend {

std::vector<at::Tensor> Differentiate(const at::Tensor& loss, const std::vector<at::Tensor>& variables) {
  // Autograd refuses a loss that depends on no variable at all.
  if (variables.empty() || !loss.requires_grad()) return std::vector<at::Tensor>(variables.size());
  try {
    return torch::autograd::grad({loss}, variables, /*grad_outputs=*/{}, /*retain_graph=*/false,
                                 /*create_graph=*/false, /*allow_unused=*/true);
  } catch (...) {
    throw BackendError("backward pass: " + DescribeCurrentException());
  }
}

}  // namespace tacit::torch_backend
