#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/model_artifact.h"

namespace tacit::model {

// A value of a graph: an input, or what a node gives. Values are named by small numbers, each assigned once.
using ValueId = int64_t;
// In Node::outputs: the node gives something there that nobody uses.
inline constexpr ValueId kUnused = -1;

struct None {
  friend bool operator==(const None&, const None&) = default;
};

struct ValueRef {
  ValueId id = kUnused;
  friend bool operator==(const ValueRef&, const ValueRef&) = default;
};

// What an operator is called with. An empty list of any type is the empty std::vector<int64_t>: the operator's schema
// says what it is a list of.
using Argument = std::variant<None, bool, int64_t, double, std::string, ValueRef, std::vector<int64_t>,
                              std::vector<double>, std::vector<bool>, std::vector<std::optional<ValueRef>>>;

// One call of an operator. Arguments are positional, in the order of the operator's schema, keyword-only ones included;
// missing ones at the end take the schema's defaults. An operator that returns one list of tensors (aten::chunk) has
// one output for each of them.
struct Node {
  std::string op;        // "aten::conv2d"
  std::string overload;  // "int" of aten::softmax.int; often empty
  std::vector<Argument> arguments;
  std::vector<ValueId> outputs;
  std::string source;  // where in the model's source it comes from, for error texts; may be empty
  friend bool operator==(const Node&, const Node&) = default;
};

struct GraphInput {
  enum class Kind {
    kTensor,  // a tensor of the artifact's manifest
    kBatch,   // an input of the batch (InputSpec), with the batch dimension first
  };
  Kind kind = Kind::kTensor;
  std::string name;
  ValueId value = 0;
  friend bool operator==(const GraphInput&, const GraphInput&) = default;
};

// A flat list of ATen operators in the order in which they run: data, not code. A model's first output is its
// prediction.
struct Graph {
  std::vector<GraphInput> inputs;
  std::vector<Node> nodes;
  std::vector<ValueId> outputs;
  friend bool operator==(const Graph&, const Graph&) = default;
};

struct GraphLimits {
  static constexpr size_t kInputs = 100'000;
  static constexpr size_t kNodes = 100'000;
  static constexpr size_t kOutputs = 64;
  static constexpr size_t kArguments = 64;      // of one node
  static constexpr size_t kNodeOutputs = 4096;  // of one node
  static constexpr size_t kListElements = 65'536;
  static constexpr size_t kNameBytes = 256;
  static constexpr size_t kSourceBytes = 1024;
  static constexpr ValueId kValues = 1'000'000;  // ids are below
};

// InvalidArgument, naming the node ("node 3 (aten::relu at encoder.0)"): a value that is assigned twice, used before
// it is assigned or out of range; an input that appears twice; an empty or overlong name; no output; a size past
// GraphLimits.
absl::Status ValidateGraph(const Graph& graph);

// InvalidArgument when the graph names a tensor or an input that the artifact doesn't have.
absl::Status CheckGraphAgainst(const ModelArtifact& artifact, const Graph& graph);

// "node 3 (aten::relu at encoder.0)"
std::string DescribeNode(const Graph& graph, size_t index);

// The graph as JSON, always the same text for the same graph (docs/artifact_format.md, "The graph"). InvalidArgument as
// ValidateGraph.
absl::StatusOr<std::string> GraphToJson(const Graph& graph);

// The reverse, for text from anywhere. DataLoss for text that isn't a valid graph, on one line.
absl::StatusOr<Graph> ParseGraph(absl::string_view json);

// The artifact's own graph: parsed, checked against its tensors and inputs, and of allowed operators only
// (allowed_operators.h). DataLoss says what is wrong.
absl::StatusOr<Graph> ParseModelGraph(const ModelArtifact& artifact);

}  // namespace tacit::model
