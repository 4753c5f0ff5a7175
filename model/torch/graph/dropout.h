#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace tacit::torch_backend {

// The random masks of dropout, drawn by us instead of LibTorch: a sample's mask depends on the seed, the node and the
// sample's place in the batch alone. So it is the same in every backend, for every microbatch size, thread and
// LibTorch, and needs no shared generator.
class DropoutMasks {
 public:
  using Lift = std::function<at::Tensor(const at::Tensor&)>;

  // Masks for the samples [first_sample, first_sample + samples). With `lift` the graph sees one sample at a time, and
  // `lift` turns one mask a sample, [samples, sizes...], into what it sees; without, it sees the whole batch.
  DropoutMasks(uint64_t seed, int64_t first_sample, int64_t samples, Lift lift = nullptr)
      : seed_(seed), first_sample_(first_sample), samples_(samples), lift_(std::move(lift)) {}

  // For a tensor of `sizes` at node `node`: 1/keep with probability `keep`, otherwise 0. 0 <= keep <= 1.
  at::Tensor Draw(int64_t node, at::IntArrayRef sizes, double keep) const;

 private:
  uint64_t seed_;
  int64_t first_sample_;
  int64_t samples_;
  Lift lift_;
};

}  // namespace tacit::torch_backend
