#include "model/torch/graph/dropout.h"

#include <ATen/core/PhiloxRNGEngine.h>
#include <ATen/ops/empty.h>

namespace tacit::torch_backend {
namespace {

void FillMask(uint64_t seed, int64_t node, int64_t sample, double keep, float* mask, int64_t size) {
  // One counter-based stream a sample and node: the sample chooses the subsequence, the node the key.
  at::philox_engine engine(seed + 0x9e3779b97f4a7c15U * static_cast<uint64_t>(node + 1), static_cast<uint64_t>(sample));
  const auto threshold = static_cast<uint64_t>(keep * 0x1p32);
  const float scale = keep > 0 ? static_cast<float>(1 / keep) : 0.0F;
  for (int64_t i = 0; i < size; ++i) mask[i] = engine() < threshold ? scale : 0.0F;
}

}  // namespace

at::Tensor DropoutMasks::Draw(int64_t node, at::IntArrayRef sizes, double keep) const {
  std::vector<int64_t> shape = sizes.vec();
  if (lift_) shape.insert(shape.begin(), samples_);
  const at::Tensor mask = at::empty(shape, at::TensorOptions().dtype(at::kFloat));
  auto* data = mask.data_ptr<float>();
  const int64_t size = mask.numel();
  // Without a lift the samples lie one after the other, unless the tensor doesn't belong to the batch at all.
  const int64_t samples = samples_ > 0 && size % samples_ == 0 ? samples_ : 1;
  const int64_t stride = size / samples;
  for (int64_t i = 0; i < samples; ++i) FillMask(seed_, node, first_sample_ + i, keep, data + i * stride, stride);
  return lift_ ? lift_(mask) : mask;
}

}  // namespace tacit::torch_backend
