#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/host_tensor.h"
#include "model/api/graph.h"

namespace tacit::model {

enum class LossKind {
  kCrossEntropy,        // "cross-entropy": logits [B, C], target int64 [B] in [0, C)
  kBinaryCrossEntropy,  // "binary-cross-entropy": logits [B, 1], target float32 [B] or [B, 1] in [0, 1]
  kMeanSquaredError,    // "mean-squared-error": prediction [B, k], target float32 [B, k], or [B] for k = 1; mean over k
};

struct LossInfo {
  LossKind kind = LossKind::kCrossEntropy;
  std::string name;
  bool classification = true;
  DType target_dtype = DType::kInt64;
};

// InvalidArgument names the known losses.
absl::StatusOr<LossInfo> FindLoss(absl::string_view name);
const std::vector<LossInfo>& KnownLosses();

// The loss as a graph from the batch inputs "prediction" and "target" to one loss an example, [B], made of operators
// that vmap has rules for on every supported LibTorch.
Graph BuildLossGraph(const LossInfo& loss);

// InvalidArgument unless a model whose output for one example has this shape can be trained with the loss.
absl::Status CheckPredictionShape(const LossInfo& loss, const Shape& example_shape);

// InvalidArgument unless `target` fits `examples` predictions of that shape: its type, its shape, and for classes and
// probabilities every value's range. Names the row, the label and the number of classes.
absl::Status CheckTarget(const LossInfo& loss, const Shape& prediction_example_shape, const HostTensor& target,
                         int64_t examples);

}  // namespace tacit::model
