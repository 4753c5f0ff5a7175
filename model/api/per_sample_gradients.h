#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/parameter_vector.h"
#include "model/api/batch.h"
#include "privacy/dp/bounded_sum.h"

namespace tacit::model {

struct ClippedGradients {
  dp::BoundedSum sum;          // sum_i min(1, C / |w_i g_i|) w_i g_i, one L2 norm over all trainable tensors
  std::vector<double> norms;   // |w_i g_i| before clipping, float64; B values; not finite where the gradient isn't
  std::vector<double> losses;  // B, not weighted. Private: never leave the trainer
  int64_t non_finite = 0;      // samples whose gradient is not finite; they count as zero in the sum
};

// Clipped per-sample gradients of a model's loss (design: docs/privacy.md, "Clipping"). Frozen tensors have no
// gradient; a parameter that the loss doesn't reach has gradient zero. An empty batch gives a zero sum. One object is
// used by one thread at a time; different objects may be used at once.
class PerSampleGradients {
 public:
  virtual ~PerSampleGradients() = default;
  // As Model::Check.
  virtual absl::Status Check(const Batch& batch) const = 0;
  // `clip_norm` > 0 and finite. `seed` decides random operators; every sample draws its own mask. Errors as Model's;
  // after an error the next call works.
  virtual absl::StatusOr<ClippedGradients> Compute(const ParameterVector& parameters, const Batch& batch,
                                                   double clip_norm, uint64_t seed) = 0;
};

}  // namespace tacit::model
