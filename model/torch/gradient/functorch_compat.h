#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>

#include <cstdint>
#include <mutex>

namespace tacit::torch_backend {

// All that Tacit uses of LibTorch's functorch, whose internals change between major versions. compat_torch1.cc and
// compat_torch2.cc implement it; the build compiles the one that fits.

// A vmap over `batch_size` samples, on this thread, for as long as the object lives: tensors of MakeBatched look like
// one sample and operators run on all samples at once. Random operators are errors inside. Layers end in the reverse
// order of their beginning, also when an exception flies. On LibTorch 1.x the constructor waits until no other thread
// is inside.
class VmapLayer {
 public:
  explicit VmapLayer(int64_t batch_size);
  ~VmapLayer();
  VmapLayer(const VmapLayer&) = delete;
  VmapLayer& operator=(const VmapLayer&) = delete;
  int64_t level() const { return level_; }

 private:
  std::unique_lock<std::mutex> lock_;  // empty where threads don't disturb each other
  int64_t level_ = 0;
};

// A reverse-mode differentiation on this thread, for as long as the object lives.
class GradLayer {
 public:
  GradLayer();
  ~GradLayer();
  GradLayer(const GradLayer&) = delete;
  GradLayer& operator=(const GradLayer&) = delete;
  int64_t level() const { return level_; }

 private:
  int64_t level_ = 0;
  at::AutoGradMode grad_mode_;
};

// [samples, sizes...] as what one sample of the vmap at `level` sees, [sizes...].
at::Tensor MakeBatched(const at::Tensor& tensor, int64_t level);

// The reverse: [samples, sizes...]; a tensor that doesn't depend on the sample is expanded.
at::Tensor Unbatch(const at::Tensor& tensor, int64_t batch_size);

// `tensor` as a tensor of the differentiation at `level`: a constant, or one to differentiate by.
at::Tensor WrapConstant(const at::Tensor& tensor, int64_t level);
at::Tensor WrapVariable(const at::Tensor& tensor, int64_t level);

// The tensor below the differentiation. An undefined tensor stays one.
at::Tensor Unwrap(const at::Tensor& tensor);

// Whether vmap may run an operator that it has no rule for sample by sample, silently, instead of throwing. One setting
// for the process: see SlowOperatorScope.
void SetSlowOperatorsAllowed(bool allowed);

// Whether this thread is inside a layer. For tests.
bool InsideLayer();

}  // namespace tacit::torch_backend
