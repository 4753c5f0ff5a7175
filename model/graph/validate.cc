#include <set>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "model/api/allowed_operators.h"
#include "model/api/graph.h"

namespace tacit::model {
namespace {

absl::Status Invalid(const std::string& message) { return absl::InvalidArgumentError(message); }

bool IsPrintable(absl::string_view text) {
  for (const char c : text) {
    if (c < 0x20 || c > 0x7e) return false;
  }
  return true;
}

// The beginning of a text that is perhaps not yet found to be printable.
std::string Shown(absl::string_view text) {
  text = text.substr(0, 128);
  return IsPrintable(text) ? std::string(text) : absl::CHexEscape(text);
}

// Which values exist so far.
class Assignments {
 public:
  absl::Status Assign(ValueId id) {
    if (id < 0 || id >= GraphLimits::kValues) return Invalid(absl::StrCat("value ", id, " is out of range"));
    if (Contains(id)) return Invalid(absl::StrCat("value ", id, " is assigned twice"));
    if (static_cast<size_t>(id) >= assigned_.size()) assigned_.resize(id + 1);
    assigned_[id] = true;
    return absl::OkStatus();
  }
  absl::Status Use(ValueId id) const {
    if (Contains(id)) return absl::OkStatus();
    return Invalid(absl::StrCat("value ", id, " is used before it is assigned"));
  }

 private:
  bool Contains(ValueId id) const {
    return id >= 0 && static_cast<size_t>(id) < assigned_.size() && assigned_[static_cast<size_t>(id)];
  }
  std::vector<bool> assigned_;
};

template <typename Element>
absl::Status CheckLength(const std::vector<Element>& list) {
  if (list.size() <= GraphLimits::kListElements) return absl::OkStatus();
  return Invalid(absl::StrCat("a list has more than ", GraphLimits::kListElements, " elements"));
}

struct ArgumentCheck {
  const Assignments& values;
  absl::Status operator()(const ValueRef& value) const { return values.Use(value.id); }
  absl::Status operator()(const std::string& text) const {
    if (text.size() <= GraphLimits::kNameBytes && IsPrintable(text)) return absl::OkStatus();
    return Invalid("a string is too long or holds more than printable ASCII");
  }
  absl::Status operator()(const std::vector<std::optional<ValueRef>>& list) const {
    TACIT_RETURN_IF_ERROR(CheckLength(list));
    for (const std::optional<ValueRef>& value : list) {
      if (value.has_value()) TACIT_RETURN_IF_ERROR(values.Use(value->id));
    }
    return absl::OkStatus();
  }
  template <typename Element>
  absl::Status operator()(const std::vector<Element>& list) const {
    return CheckLength(list);
  }
  absl::Status operator()(const None&) const { return absl::OkStatus(); }
  absl::Status operator()(bool) const { return absl::OkStatus(); }
  absl::Status operator()(int64_t) const { return absl::OkStatus(); }
  absl::Status operator()(double) const { return absl::OkStatus(); }
};

absl::Status CheckNode(const Node& node, Assignments& values) {
  if (node.op.empty()) return Invalid("no operator");
  if (node.op.size() > GraphLimits::kNameBytes || node.overload.size() > GraphLimits::kNameBytes ||
      !IsPrintable(node.op) || !IsPrintable(node.overload)) {
    return Invalid("the operator's name is too long or holds more than printable ASCII");
  }
  if (node.source.size() > GraphLimits::kSourceBytes || !IsPrintable(node.source)) {
    return Invalid("the source is too long or holds more than printable ASCII");
  }
  if (node.arguments.size() > GraphLimits::kArguments) {
    return Invalid(absl::StrCat("more than ", GraphLimits::kArguments, " arguments"));
  }
  if (node.outputs.empty() || node.outputs.size() > GraphLimits::kNodeOutputs) {
    return Invalid(absl::StrCat("not between 1 and ", GraphLimits::kNodeOutputs, " outputs"));
  }
  for (size_t i = 0; i < node.arguments.size(); ++i) {
    TACIT_RETURN_IF_ERROR(Annotate(std::visit(ArgumentCheck{values}, node.arguments[i]), absl::StrCat("argument ", i)));
  }
  for (const ValueId id : node.outputs) {
    if (id != kUnused) TACIT_RETURN_IF_ERROR(values.Assign(id));
  }
  return absl::OkStatus();
}

absl::Status CheckInputs(const Graph& graph, Assignments& values) {
  std::set<std::pair<GraphInput::Kind, absl::string_view>> names;
  for (size_t i = 0; i < graph.inputs.size(); ++i) {
    const GraphInput& input = graph.inputs[i];
    if (input.name.empty() || input.name.size() > GraphLimits::kNameBytes || !IsPrintable(input.name)) {
      return Invalid(absl::StrCat("graph input ", i, ": its name is empty, too long or not printable ASCII"));
    }
    if (!names.insert({input.kind, input.name}).second) {
      return Invalid(absl::StrCat("graph input '", input.name, "' appears twice"));
    }
    TACIT_RETURN_IF_ERROR(Annotate(values.Assign(input.value), absl::StrCat("graph input '", input.name, "'")));
  }
  return absl::OkStatus();
}

}  // namespace

std::string DescribeNode(const Graph& graph, size_t index) {
  const Node& node = graph.nodes[index];
  std::string text = absl::StrCat("node ", index, " (", Shown(OperatorName(node)));
  if (!node.source.empty()) absl::StrAppend(&text, " at ", Shown(node.source));
  return text + ")";
}

absl::Status ValidateGraph(const Graph& graph) {
  if (graph.inputs.size() > GraphLimits::kInputs) return Invalid("the graph has too many inputs");
  if (graph.nodes.size() > GraphLimits::kNodes) return Invalid("the graph has too many nodes");
  if (graph.outputs.empty()) return Invalid("the graph has no output");
  if (graph.outputs.size() > GraphLimits::kOutputs) return Invalid("the graph has too many outputs");
  Assignments values;
  TACIT_RETURN_IF_ERROR(CheckInputs(graph, values));
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    const absl::Status status = CheckNode(graph.nodes[i], values);
    if (!status.ok()) return Annotate(status, DescribeNode(graph, i));
  }
  for (const ValueId id : graph.outputs) TACIT_RETURN_IF_ERROR(Annotate(values.Use(id), "graph output"));
  return absl::OkStatus();
}

absl::Status CheckGraphAgainst(const ModelArtifact& artifact, const Graph& graph) {
  std::set<absl::string_view> tensors, inputs;
  for (const ArtifactTensor& tensor : artifact.tensors) tensors.insert(tensor.name);
  for (const InputSpec& input : artifact.inputs) inputs.insert(input.name);
  for (const GraphInput& input : graph.inputs) {
    const bool is_tensor = input.kind == GraphInput::Kind::kTensor;
    if (!(is_tensor ? tensors : inputs).contains(input.name)) {
      return Invalid(absl::StrCat("the graph uses the ", is_tensor ? "tensor" : "input", " '", input.name,
                                  "', which isn't there"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Graph> ParseModelGraph(const ModelArtifact& artifact) {
  TACIT_ASSIGN_OR_RETURN(Graph graph, ParseGraph(artifact.graph_json));
  absl::Status status = CheckGraphAgainst(artifact, graph);
  if (status.ok()) status = CheckOperatorsAllowed(graph);
  if (!status.ok()) return absl::DataLossError(status.message());
  return graph;
}

}  // namespace tacit::model
