// LibTorch 1.13: the first with functorch inside.
#include <ATen/functorch/BatchedFallback.h>
#include <ATen/functorch/BatchedTensorImpl.h>
#include <ATen/functorch/DynamicLayer.h>
#include <ATen/functorch/TensorWrapper.h>

#include "model/torch/gradient/functorch_compat.h"

namespace tacit::torch_backend {
namespace {

namespace ft = at::functorch;

// The life handles of the layers are one unguarded map of the process, so only one thread may have layers.
std::mutex& LayerMutex() {
  static std::mutex& mutex = *new std::mutex;
  return mutex;
}

}  // namespace

VmapLayer::VmapLayer(int64_t batch_size)
    : lock_(LayerMutex()),
      level_(ft::initAndPushDynamicLayer(ft::TransformType::Vmap, batch_size, ft::RandomnessType::Error)) {}

VmapLayer::~VmapLayer() { ft::popDynamicLayerAndDeleteMetadata(); }

GradLayer::GradLayer()
    : level_(ft::initAndPushDynamicLayer(ft::TransformType::Grad, c10::nullopt, c10::nullopt,
                                         c10::GradMode::is_enabled())),
      grad_mode_(true) {}

GradLayer::~GradLayer() { ft::popDynamicLayerAndDeleteMetadata(); }

at::Tensor MakeBatched(const at::Tensor& tensor, int64_t level) { return ft::makeBatched(tensor, 0, level); }

at::Tensor Unbatch(const at::Tensor& tensor, int64_t batch_size) {
  if (const auto* batched = ft::maybeGetBatchedImpl(tensor)) return batched->value().movedim(batched->bdim(), 0);
  std::vector<int64_t> sizes = tensor.sizes().vec();
  sizes.insert(sizes.begin(), batch_size);
  return tensor.unsqueeze(0).expand(sizes);
}

at::Tensor WrapConstant(const at::Tensor& tensor, int64_t level) { return ft::makeTensorWrapper(tensor, level); }

at::Tensor WrapVariable(const at::Tensor& tensor, int64_t level) {
  at::Tensor wrapped = ft::makeTensorWrapper(tensor, level);
  ft::setInplaceRequiresGradAllowed(true);
  wrapped.requires_grad_(true);
  ft::setInplaceRequiresGradAllowed(false);
  return wrapped;
}

at::Tensor Unwrap(const at::Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  const auto* wrapper = ft::maybeGetTensorWrapper(tensor);
  return wrapper != nullptr ? wrapper->value() : tensor;
}

void SetSlowOperatorsAllowed(bool allowed) {
  ft::setVmapFallbackEnabled(allowed);
  ft::setVmapFallbackWarningEnabled(false);  // one a call otherwise; we warn once, at loading
}

bool InsideLayer() { return ft::maybeCurrentDynamicLayer().has_value(); }

}  // namespace tacit::torch_backend
