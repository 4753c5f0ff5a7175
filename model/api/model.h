#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model_artifact.h"
#include "core/parameter_vector.h"
#include "model/api/batch.h"

namespace tacit::model {

struct MeanGradient {
  ParameterVector gradient;  // of (1/B) sum_i weight_i loss_i; zeros for an empty batch
  double mean_loss = 0;      // (1/B) sum_i weight_i loss_i; 0 for an empty batch
};

struct Evaluation {
  HostTensor outputs;          // float32 [B, ...]: the graph's output (logits for classifiers)
  std::vector<double> losses;  // B, not weighted
};

// A model ready to compute: a graph, its frozen tensors and buffers. The trainable parameters are an argument of every
// call. One object is used by one thread at a time. Errors: InvalidArgument for parameters of another schema and for
// batches whose types or shapes don't fit the model's inputs, or a class label out of range; Internal for what the
// backend reports.
class Model {
 public:
  virtual ~Model() = default;
  virtual const std::shared_ptr<const Schema>& schema() const = 0;
  virtual const std::vector<InputSpec>& inputs() const = 0;
  // Whether a batch fits the model, without computing anything: InvalidArgument as above.
  virtual absl::Status Check(const Batch& batch) const = 0;
  // The ordinary gradient of the mean loss, in training mode; `seed` decides random operators (dropout).
  virtual absl::StatusOr<MeanGradient> ComputeMeanGradient(const ParameterVector& parameters, const Batch& batch,
                                                           uint64_t seed) = 0;
  // Outputs and losses in evaluation mode, without autograd.
  virtual absl::StatusOr<Evaluation> Evaluate(const ParameterVector& parameters, const Batch& batch) = 0;
  // Outputs in evaluation mode.
  virtual absl::StatusOr<HostTensor> Predict(const ParameterVector& parameters,
                                             const std::vector<HostTensor>& inputs) = 0;
};

}  // namespace tacit::model
