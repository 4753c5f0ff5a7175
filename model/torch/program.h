#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/model_artifact.h"
#include "core/parameter_vector.h"
#include "model/api/batch.h"
#include "model/api/loss.h"
#include "model/torch/graph/compiled_graph.h"

namespace tacit::torch_backend {

// A model artifact ready to run: its graph and its loss compiled, its frozen tensors and buffers as LibTorch's. What
// the model and every gradient backend share. Immutable once loaded: threads may share one.
class Program {
 public:
  // DataLoss as model::LoadTorchModel.
  static absl::StatusOr<std::shared_ptr<const Program>> Load(const ModelArtifact& artifact);

  const std::shared_ptr<const Schema>& schema() const { return schema_; }
  const std::vector<InputSpec>& inputs() const { return inputs_; }
  const model::LossInfo& loss() const { return loss_; }
  // What the model gives for one example.
  const Shape& prediction_shape() const { return prediction_shape_; }

  // Examples of zeros, with targets that fit.
  absl::StatusOr<model::Batch> ZeroBatch(int64_t examples) const;

  // InvalidArgument says what doesn't fit: the schema, an input's type or shape, a label, a weight.
  absl::Status CheckParameters(const ParameterVector& parameters) const;
  absl::Status CheckInputs(const std::vector<HostTensor>& inputs) const;
  absl::Status CheckBatch(const model::Batch& batch) const;

  // `parameters` in schema order, `inputs` in inputs() order with the batch dimension first; the prediction, the same.
  // Throws BackendError.
  at::Tensor Predict(const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& inputs, Mode mode,
                     const DropoutMasks* masks) const;
  // One loss an example, [B]. Throws BackendError.
  at::Tensor Losses(const at::Tensor& prediction, const at::Tensor& target) const;

 private:
  // Where the graph's inputs come from.
  struct Source {
    enum class Kind { kParameter, kConstant, kBatch } kind;
    size_t index;
  };

  Program(CompiledGraph graph, CompiledGraph loss_graph)
      : graph_(std::move(graph)), loss_graph_(std::move(loss_graph)) {}
  void BindInputs(const ModelArtifact& artifact);
  // Runs everything once on two examples of zeros.
  absl::Status TryOut(const ModelArtifact& artifact);

  CompiledGraph graph_;
  CompiledGraph loss_graph_;
  model::LossInfo loss_;
  std::shared_ptr<const Schema> schema_;
  std::vector<InputSpec> inputs_;
  std::vector<Source> sources_;
  std::vector<at::Tensor> constants_;
  Shape prediction_shape_;
};

}  // namespace tacit::torch_backend
