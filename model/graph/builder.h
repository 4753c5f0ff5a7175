#pragma once

#include <string>
#include <utility>
#include <vector>

#include "model/api/graph.h"

namespace tacit::model {

// Writes a graph node by node, numbering the values. Not thread-safe.
class GraphBuilder {
 public:
  ValueRef Tensor(std::string name) { return Input(GraphInput::Kind::kTensor, std::move(name)); }
  ValueRef Batch(std::string name) { return Input(GraphInput::Kind::kBatch, std::move(name)); }

  // A node with one output. `op` is "aten::relu" or, with its overload, "aten::softmax.int".
  ValueRef Call(const std::string& op, std::vector<Argument> arguments, std::string source = "") {
    const size_t dot = op.find('.');
    const ValueRef result{next_++};
    graph_.nodes.push_back({op.substr(0, dot),
                            dot == std::string::npos ? "" : op.substr(dot + 1),
                            std::move(arguments),
                            {result.id},
                            std::move(source)});
    return result;
  }

  Graph Build(ValueRef output) && {
    graph_.outputs = {output.id};
    return std::move(graph_);
  }

 private:
  ValueRef Input(GraphInput::Kind kind, std::string name) {
    graph_.inputs.push_back({kind, std::move(name), next_});
    return ValueRef{next_++};
  }

  Graph graph_;
  ValueId next_ = 0;
};

}  // namespace tacit::model
