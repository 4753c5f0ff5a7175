#pragma once

#include <cstdint>
#include <optional>

#include "absl/status/statusor.h"
#include "core/host_tensor.h"
#include "model/api/loss.h"

namespace tacit::model {

// What a model got right on some examples, as sums: those of two batches add up to those of both. Private, like the
// data they are computed from.
struct MetricSums {
  int64_t examples = 0;
  int64_t correct = 0;        // classification only
  int64_t values = 0;         // regression only: predicted numbers, examples times outputs
  double squared_error = 0;   // regression only, over all values
  double absolute_error = 0;  // regression only, over all values

  void Add(const MetricSums& other);
  // Nothing where there is nothing to divide by.
  std::optional<double> Accuracy() const;
  std::optional<double> MeanSquaredError() const;
  std::optional<double> MeanAbsoluteError() const;
};

// `outputs` as a model gives them, float32 [B, k], `target` as the loss takes it. Cross-entropy: the largest output is
// the predicted class, the first of equals; a row that holds NaN is wrong. Binary: a logit above 0 is class 1, a target
// of at least 0.5 is. Mean squared error: errors. InvalidArgument as CheckTarget.
absl::StatusOr<MetricSums> ComputeMetrics(const LossInfo& loss, const HostTensor& outputs, const HostTensor& target);

}  // namespace tacit::model
