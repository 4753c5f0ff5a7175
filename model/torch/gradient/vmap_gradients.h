#pragma once

#include <memory>

#include "model/api/per_sample_gradients.h"
#include "model/torch/gradient/clipped_accumulator.h"
#include "model/torch/program.h"
#include "model/torch/torch_model.h"

namespace tacit::torch_backend {

// Per-sample gradients by vmap over grad, one microbatch after the other.
class VmapGradients final : public model::PerSampleGradients {
 public:
  VmapGradients(std::shared_ptr<const Program> program, const model::GradientOptions& options);
  absl::Status Check(const model::Batch& batch) const override { return program_->CheckBatch(batch); }
  absl::StatusOr<model::ClippedGradients> Compute(const ParameterVector& parameters, const model::Batch& batch,
                                                  double clip_norm, uint64_t seed) override;

 private:
  // Samples [begin, begin + size).
  void AddMicrobatch(const std::vector<at::Tensor>& parameters, const model::Batch& batch, int64_t begin, int64_t size,
                     uint64_t seed);

  std::shared_ptr<const Program> program_;
  model::GradientOptions options_;
  ClippedAccumulator accumulator_;
};

}  // namespace tacit::torch_backend
