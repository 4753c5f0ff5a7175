#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "model/api/graph.h"
#include "model/torch/graph/coercion.h"
#include "model/torch/graph/dropout.h"

namespace tacit::torch_backend {

enum class Mode { kTraining, kEvaluation };

// A graph with its operators looked up and its arguments checked against their schemas. Immutable: one object may run
// in many threads at once. It neither knows nor minds whether the tensors it is given are plain, batched or tracked.
class CompiledGraph {
 public:
  // `label` names the graph in error texts. InvalidArgument, naming the node, for an operator that isn't allowed or
  // that this LibTorch doesn't have, for arguments that its schema doesn't take, and for more outputs than it gives.
  static absl::StatusOr<CompiledGraph> Compile(const model::Graph& graph, std::string label);

  const model::Graph& graph() const { return graph_; }

  // `inputs` in the order of graph().inputs; the result in that of graph().outputs. A value is freed after its last
  // use. In evaluation mode dropout does nothing; `masks` is needed in training mode only. Throws BackendError, which
  // names the node.
  std::vector<at::Tensor> Run(std::vector<at::Tensor> inputs, Mode mode, const DropoutMasks* masks) const;

 private:
  struct Step {
    c10::OperatorHandle op;
    std::vector<Slot> slots;
    std::vector<model::ValueId> outputs;
    bool gives_list = false;                // one list of tensors instead of one tensor an output
    bool is_dropout = false;                // drawn by us, not by LibTorch
    std::vector<model::ValueId> last_uses;  // values that nothing needs afterwards
  };

  CompiledGraph(model::Graph graph, std::string label);
  absl::StatusOr<Step> CompileNode(const model::Node& node) const;
  void FindLastUses();
  void RunStep(size_t index, std::vector<c10::IValue>& values) const;
  void RunDropout(size_t index, std::vector<c10::IValue>& values, Mode mode, const DropoutMasks* masks) const;

  model::Graph graph_;
  std::string label_;
  std::vector<Step> steps_;
  size_t num_values_ = 0;
};

}  // namespace tacit::torch_backend
