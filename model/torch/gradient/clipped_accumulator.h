#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/parameter_vector.h"
#include "model/api/per_sample_gradients.h"
#include "privacy/dp/bounded_sum.h"

namespace tacit::torch_backend {

// The one place where per-sample gradients are weighted, clipped and summed, whatever computed them: rules 1 and 4 of
// docs/privacy.md. Norms and sums are in float64. Buffers are kept from batch to batch. Not thread-safe.
class ClippedAccumulator {
 public:
  explicit ClippedAccumulator(std::shared_ptr<const Schema> schema);

  // Begins a batch. InvalidArgument for a clip norm that isn't positive and finite.
  absl::Status Begin(double clip_norm);

  // Some samples: gradients[k] is [samples, shape of tensor k] float32, or undefined where all are zero; `losses` has
  // one value a sample; `weights` too, or is empty. A sample's gradient is multiplied by its weight, then clipped on
  // its norm over all tensors. One that is not finite leaves no trace in the sum.
  void Add(const std::vector<at::Tensor>& gradients, std::span<const double> losses, std::span<const double> weights);

  // Ends the batch. Internal when the sum breaks its own bound.
  absl::StatusOr<model::ClippedGradients> Finish();

 private:
  void AddSquaredNorms(const at::Tensor& gradient, std::span<double> squares) const;
  void AddScaled(const at::Tensor& gradient, int64_t offset, std::span<const double> factors);
  std::vector<double> FactorsOf(std::span<const double> squares, std::span<const double> weights);

  std::shared_ptr<const Schema> schema_;
  std::optional<dp::ClippedSumBuilder> builder_;
  std::vector<double> sum_;      // schema_->size() elements
  std::vector<double> scratch_;  // the largest tensor's
  std::vector<double> norms_;
  std::vector<double> losses_;
  int64_t non_finite_ = 0;
};

}  // namespace tacit::torch_backend
