#pragma once

#include <memory>

#include "model/api/per_sample_gradients.h"
#include "model/torch/gradient/clipped_accumulator.h"
#include "model/torch/program.h"

namespace tacit::torch_backend {

// Per-sample gradients by one ordinary backward pass a sample: the oracle of the other backends, and the last resort
// for models that vmap cannot run.
class LoopGradients final : public model::PerSampleGradients {
 public:
  explicit LoopGradients(std::shared_ptr<const Program> program);
  absl::Status Check(const model::Batch& batch) const override { return program_->CheckBatch(batch); }
  absl::StatusOr<model::ClippedGradients> Compute(const ParameterVector& parameters, const model::Batch& batch,
                                                  double clip_norm, uint64_t seed) override;

 private:
  void AddSample(const std::vector<at::Tensor>& parameters, const model::Batch& batch, int64_t row, uint64_t seed);

  std::shared_ptr<const Program> program_;
  ClippedAccumulator accumulator_;
};

}  // namespace tacit::torch_backend
