#include "model/api/loss.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "model/graph/builder.h"

namespace tacit::model {
namespace {

Graph CrossEntropy() {
  GraphBuilder graph;
  const ValueRef prediction = graph.Batch("prediction");
  const ValueRef target = graph.Batch("target");
  // Not nll_loss: on LibTorch 2.x vmap has no rule for it and falls back to a loop.
  const ValueRef log_probabilities = graph.Call("aten::log_softmax.int", {prediction, int64_t{1}, None{}});
  const ValueRef column = graph.Call("aten::unsqueeze", {target, int64_t{1}});
  const ValueRef picked = graph.Call("aten::gather", {log_probabilities, int64_t{1}, column, false});
  const ValueRef negated = graph.Call("aten::neg", {picked});
  return std::move(graph).Build(graph.Call("aten::squeeze.dim", {negated, int64_t{1}}));
}

// log(1 + e^x) - x y. softplus is x itself past 20, where the rest is below a float's precision, so nothing overflows,
// and unlike max(x, 0) + log(1 + e^-|x|) its derivative at 0 is the right one, which is where a linear model starts.
Graph BinaryCrossEntropy() {
  GraphBuilder graph;
  const ValueRef prediction = graph.Batch("prediction");
  const ValueRef target = graph.Batch("target");
  const ValueRef column = graph.Call("aten::reshape", {target, std::vector<int64_t>{-1, 1}});
  const ValueRef softplus = graph.Call("aten::softplus", {prediction, int64_t{1}, int64_t{20}});
  const ValueRef product = graph.Call("aten::mul.Tensor", {prediction, column});
  const ValueRef loss = graph.Call("aten::sub.Tensor", {softplus, product, int64_t{1}});
  return std::move(graph).Build(graph.Call("aten::squeeze.dim", {loss, int64_t{1}}));
}

Graph MeanSquaredError() {
  GraphBuilder graph;
  const ValueRef prediction = graph.Batch("prediction");
  const ValueRef target = graph.Batch("target");
  const ValueRef shaped = graph.Call("aten::reshape_as", {target, prediction});
  const ValueRef difference = graph.Call("aten::sub.Tensor", {prediction, shaped, int64_t{1}});
  const ValueRef squared = graph.Call("aten::mul.Tensor", {difference, difference});
  return std::move(graph).Build(graph.Call("aten::mean.dim", {squared, std::vector<int64_t>{1}, false, None{}}));
}

std::string Text(const Shape& shape) { return absl::StrCat("[", absl::StrJoin(shape, ", "), "]"); }

absl::Status CheckClasses(const HostTensor& target, int64_t classes) {
  const std::span<const int64_t> labels = target.values<int64_t>();
  for (size_t row = 0; row < labels.size(); ++row) {
    if (labels[row] < 0 || labels[row] >= classes) {
      return absl::InvalidArgumentError(absl::StrCat("row ", row, ": label ", labels[row],
                                                     " is out of range for a model with ", classes, " classes"));
    }
  }
  return absl::OkStatus();
}

absl::Status CheckProbabilities(const HostTensor& target) {
  const std::span<const float> labels = target.values<float>();
  for (size_t row = 0; row < labels.size(); ++row) {
    if (!(labels[row] >= 0 && labels[row] <= 1)) {  // also for NaN
      return absl::InvalidArgumentError(
          absl::StrCat("row ", row, ": label ", labels[row], " is not between 0 and 1 (2 classes)"));
    }
  }
  return absl::OkStatus();
}

}  // namespace

const std::vector<LossInfo>& KnownLosses() {
  static const auto& losses = *new std::vector<LossInfo>{
      {LossKind::kCrossEntropy, "cross-entropy", true, DType::kInt64},
      {LossKind::kBinaryCrossEntropy, "binary-cross-entropy", true, DType::kFloat32},
      {LossKind::kMeanSquaredError, "mean-squared-error", false, DType::kFloat32},
  };
  return losses;
}

absl::StatusOr<LossInfo> FindLoss(absl::string_view name) {
  std::vector<absl::string_view> known;
  for (const LossInfo& loss : KnownLosses()) {
    if (loss.name == name) return loss;
    known.push_back(loss.name);
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown loss '", name, "'; one of ", absl::StrJoin(known, ", ")));
}

Graph BuildLossGraph(const LossInfo& loss) {
  switch (loss.kind) {
    case LossKind::kBinaryCrossEntropy:
      return BinaryCrossEntropy();
    case LossKind::kMeanSquaredError:
      return MeanSquaredError();
    case LossKind::kCrossEntropy:
      break;
  }
  return CrossEntropy();
}

absl::Status CheckPredictionShape(const LossInfo& loss, const Shape& example_shape) {
  const bool one_value = loss.kind == LossKind::kBinaryCrossEntropy;
  if (example_shape.size() == 1 && example_shape[0] >= 1 && (!one_value || example_shape[0] == 1)) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the loss ", loss.name, " needs a model that gives ", one_value ? "one value" : "a row of values",
                   " for an example; this one gives a tensor of shape ", Text(example_shape)));
}

absl::Status CheckTarget(const LossInfo& loss, const Shape& prediction_example_shape, const HostTensor& target,
                         int64_t examples) {
  if (target.dtype() != loss.target_dtype) {
    return absl::InvalidArgumentError(absl::StrCat("the loss ", loss.name, " needs targets of type ",
                                                   DTypeName(loss.target_dtype), ", these are ",
                                                   DTypeName(target.dtype())));
  }
  const int64_t width = prediction_example_shape.empty() ? 1 : prediction_example_shape[0];
  const bool flat = target.shape() == Shape{examples} && (loss.kind == LossKind::kCrossEntropy || width == 1);
  const bool rows = target.shape() == Shape{examples, width} && loss.kind != LossKind::kCrossEntropy;
  if (!flat && !rows) {
    return absl::InvalidArgumentError(absl::StrCat("targets of shape ", Text(target.shape()), " for ", examples,
                                                   " predictions of shape ", Text(prediction_example_shape)));
  }
  switch (loss.kind) {
    case LossKind::kCrossEntropy:
      return CheckClasses(target, width);
    case LossKind::kBinaryCrossEntropy:
      return CheckProbabilities(target);
    case LossKind::kMeanSquaredError:
      break;
  }
  return absl::OkStatus();
}

}  // namespace tacit::model
