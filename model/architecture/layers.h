#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "core/model_artifact.h"
#include "model/architecture/architecture.h"
#include "model/graph/builder.h"

namespace tacit::model {

// The layers of the built-in architectures: each adds its tensors to the artifact and its nodes to the graph.
class LayerStack {
 public:
  // `spec` must outlive the stack.
  explicit LayerStack(const ArchitectureSpec& spec);

  enum class Start { kZero, kUniform };
  // Flattens all but the batch dimension.
  void Flatten();
  // [B, features] to [B, outputs]; tensors "NAME.weight" [outputs, features] and, with a bias, "NAME.bias" [outputs].
  absl::Status Linear(const std::string& name, int64_t outputs, Start start);
  // [B, C, H, W] to [B, channels, H - k + 1, W - k + 1]; "NAME.weight" [channels, C, k, k] and "NAME.bias" [channels].
  absl::Status Convolution(const std::string& name, int64_t channels);
  absl::Status MaxPool(const std::string& name);
  absl::Status Activation(const std::string& source);

  // The shape of one example at this point.
  const Shape& shape() const { return shape_; }
  absl::StatusOr<ModelArtifact> Build() &&;

 private:
  absl::StatusOr<ValueRef> AddTensor(const std::string& name, Shape shape, int64_t fan_in, Start start);
  // The bias, or None.
  absl::StatusOr<Argument> AddBias(const std::string& name, int64_t size, int64_t fan_in, Start start);

  const ArchitectureSpec& spec_;
  ModelArtifact artifact_;
  GraphBuilder graph_;
  ValueRef value_;
  Shape shape_;
};

}  // namespace tacit::model
