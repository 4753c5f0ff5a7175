#include "model/torch/graph/compiled_graph.h"

#include <ATen/core/jit_type.h>
#include <ATen/ops/mul.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "model/api/allowed_operators.h"
#include "model/torch/guard.h"

namespace tacit::torch_backend {
namespace {

using c10::IValue;
using model::kUnused;
using model::ValueId;

// The allow-list holds pure operators only; the schema must agree.
bool IsPure(const c10::FunctionSchema& schema) {
  const auto writes = [](const c10::Argument& argument) {
    return argument.alias_info() != nullptr && argument.alias_info()->isWrite();
  };
  return std::none_of(schema.arguments().begin(), schema.arguments().end(), writes) &&
         std::none_of(schema.returns().begin(), schema.returns().end(), writes);
}

bool IsTensorList(const c10::TypePtr& type) {
  return type->kind() == c10::TypeKind::ListType &&
         type->expectRef<c10::ListType>().getElementType()->kind() == c10::TypeKind::TensorType;
}

absl::Status CheckOutputs(const c10::FunctionSchema& schema, size_t outputs, bool gives_list) {
  if (gives_list) return absl::OkStatus();
  for (const c10::Argument& result : schema.returns()) {
    if (result.type()->kind() != c10::TypeKind::TensorType) {
      return absl::InvalidArgumentError("the operator gives something other than tensors");
    }
  }
  if (outputs > schema.returns().size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(outputs, " outputs of an operator that gives ", schema.returns().size()));
  }
  return absl::OkStatus();
}

// dropout(input, p, train)
absl::Status CheckDropout(const std::vector<Slot>& slots) {
  const double probability = slots[1].constant.toDouble();
  if (probability >= 0 && probability <= 1) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("a dropout probability of ", probability));
}

at::Tensor ValueOf(const std::vector<IValue>& values, ValueId id) {
  return id == kUnused ? at::Tensor() : values[id].toTensor();
}

IValue Materialize(const Slot& slot, const std::vector<IValue>& values) {
  switch (slot.kind) {
    case Slot::Kind::kConstant:
      return slot.constant;
    case Slot::Kind::kValue:
      return values[slot.ids[0]];
    case Slot::Kind::kList: {
      c10::List<at::Tensor> list;
      for (const ValueId id : slot.ids) list.push_back(ValueOf(values, id));
      return list;
    }
    case Slot::Kind::kOptionalList: {
      c10::List<c10::optional<at::Tensor>> list;
      for (const ValueId id : slot.ids) {
        list.push_back(id == kUnused ? c10::optional<at::Tensor>() : ValueOf(values, id));
      }
      return list;
    }
  }
  return {};
}

}  // namespace

CompiledGraph::CompiledGraph(model::Graph graph, std::string label)
    : graph_(std::move(graph)), label_(std::move(label)) {}

absl::StatusOr<CompiledGraph> CompiledGraph::Compile(const model::Graph& graph, std::string label) {
  TACIT_RETURN_IF_ERROR(Annotate(model::ValidateGraph(graph), label));
  TACIT_RETURN_IF_ERROR(Annotate(model::CheckOperatorsAllowed(graph), label));
  CompiledGraph compiled(graph, std::move(label));
  for (size_t i = 0; i < graph.nodes.size(); ++i) {
    absl::StatusOr<Step> step = compiled.CompileNode(graph.nodes[i]);
    if (!step.ok()) {
      return Annotate(step.status(), absl::StrCat(compiled.label_, ": ", model::DescribeNode(graph, i)));
    }
    compiled.steps_.push_back(*std::move(step));
  }
  compiled.FindLastUses();
  return compiled;
}

absl::StatusOr<CompiledGraph::Step> CompiledGraph::CompileNode(const model::Node& node) const {
  const auto op = c10::Dispatcher::singleton().findSchema({node.op, node.overload});
  if (!op.has_value()) return absl::InvalidArgumentError("this LibTorch has no such operator");
  const c10::FunctionSchema& schema = op->schema();
  if (!IsPure(schema)) return absl::InvalidArgumentError("the operator writes into its arguments");
  const std::vector<c10::Argument>& formals = schema.arguments();
  if (node.arguments.size() > formals.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(node.arguments.size(), " arguments for an operator that takes ", formals.size()));
  }
  Step step{*op, {}, node.outputs};
  for (size_t i = 0; i < formals.size(); ++i) {
    if (i < node.arguments.size()) {
      TACIT_ASSIGN_OR_RETURN(step.slots.emplace_back(), Coerce(formals[i], node.arguments[i]));
    } else if (formals[i].default_value().has_value()) {
      step.slots.push_back({Slot::Kind::kConstant, *formals[i].default_value(), {}});
    } else {
      return absl::InvalidArgumentError(absl::StrCat("argument '", formals[i].name(), "' is missing"));
    }
  }
  step.gives_list = schema.returns().size() == 1 && IsTensorList(schema.returns()[0].type());
  TACIT_RETURN_IF_ERROR(CheckOutputs(schema, node.outputs.size(), step.gives_list));
  step.is_dropout = node.op == "aten::dropout";
  if (step.is_dropout) TACIT_RETURN_IF_ERROR(CheckDropout(step.slots));
  return step;
}

void CompiledGraph::FindLastUses() {
  ValueId largest = -1;
  for (const model::GraphInput& input : graph_.inputs) largest = std::max(largest, input.value);
  for (const Step& step : steps_) {
    for (const ValueId id : step.outputs) largest = std::max(largest, id);
  }
  num_values_ = static_cast<size_t>(largest + 1);
  std::vector<bool> needed(num_values_);
  for (const ValueId id : graph_.outputs) needed[id] = true;
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    for (const ValueId id : step->outputs) {
      if (id != kUnused && !needed[id]) step->last_uses.push_back(id);  // nobody ever asks for it
    }
    for (const Slot& slot : step->slots) {
      for (const ValueId id : slot.ids) {
        if (id == kUnused || needed[id]) continue;
        needed[id] = true;
        step->last_uses.push_back(id);
      }
    }
  }
}

std::vector<at::Tensor> CompiledGraph::Run(std::vector<at::Tensor> inputs, Mode mode, const DropoutMasks* masks) const {
  std::vector<IValue> values(num_values_);
  for (size_t i = 0; i < inputs.size(); ++i) values[graph_.inputs[i].value] = std::move(inputs[i]);
  inputs.clear();
  for (size_t i = 0; i < steps_.size(); ++i) {
    try {
      if (steps_[i].is_dropout) {
        RunDropout(i, values, mode, masks);
      } else {
        RunStep(i, values);
      }
    } catch (...) {
      throw BackendError(absl::StrCat(label_, ": ", model::DescribeNode(graph_, i), ": ", DescribeCurrentException()));
    }
    for (const ValueId id : steps_[i].last_uses) values[id] = IValue();
  }
  std::vector<at::Tensor> outputs;
  for (const ValueId id : graph_.outputs) outputs.push_back(values[id].toTensor());
  return outputs;
}

void CompiledGraph::RunStep(size_t index, std::vector<IValue>& values) const {
  const Step& step = steps_[index];
  std::vector<IValue> stack;
  stack.reserve(step.slots.size());
  for (const Slot& slot : step.slots) stack.push_back(Materialize(slot, values));
  step.op.callBoxed(&stack);
  if (!step.gives_list) {
    for (size_t i = 0; i < step.outputs.size(); ++i) {
      if (step.outputs[i] != kUnused) values[step.outputs[i]] = std::move(stack[i]);
    }
    return;
  }
  const std::vector<at::Tensor> list = stack.at(0).toTensorVector();
  if (list.size() != step.outputs.size()) {
    throw BackendError(absl::StrCat("gives ", list.size(), " tensors where ", step.outputs.size(), " are named"));
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (step.outputs[i] != kUnused) values[step.outputs[i]] = list[i];
  }
}

void CompiledGraph::RunDropout(size_t index, std::vector<IValue>& values, Mode mode, const DropoutMasks* masks) const {
  const Step& step = steps_[index];
  if (step.outputs[0] == kUnused) return;
  const at::Tensor input = values[step.slots[0].ids[0]].toTensor();
  const double probability = step.slots[1].constant.toDouble();
  const bool active = step.slots[2].constant.toBool() && mode == Mode::kTraining && probability > 0;
  if (active && masks == nullptr) throw BackendError("no source of dropout masks");
  values[step.outputs[0]] =
      active ? at::mul(input, masks->Draw(static_cast<int64_t>(index), input.sizes(), 1 - probability)) : input;
}

}  // namespace tacit::torch_backend
