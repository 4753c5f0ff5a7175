#include "model/torch/graph/dropout.h"

#include <ATen/core/PhiloxRNGEngine.h>
#include <ATen/ops/from_blob.h>
#include <c10/util/accumulate.h>

#include <vector>

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
  const int64_t size = c10::multiply_integers(shape);
  // Our own memory: inside a vmap at::empty gives a tensor of the vmap, which has none.
  auto* mask = new std::vector<float>(static_cast<size_t>(size));
  const at::Tensor tensor = at::from_blob(
      mask->data(), shape, [mask](void*) { delete mask; }, at::TensorOptions().dtype(at::kFloat));
  // Without a lift the samples lie one after the other, unless the tensor doesn't belong to the batch at all.
  const int64_t samples = samples_ > 0 && size % samples_ == 0 ? samples_ : 1;
  const int64_t stride = size / samples;
  for (int64_t i = 0; i < samples; ++i) {
    FillMask(seed_, node, first_sample_ + i, keep, mask->data() + i * stride, stride);
  }
  return lift_ ? lift_(tensor) : tensor;
}

}  // namespace tacit::torch_backend
