#include "model/torch/program.h"

#include <ATen/core/grad_mode.h>

#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/status.h"
#include "model/torch/guard.h"
#include "model/torch/tensor_conversion.h"

namespace tacit::torch_backend {
namespace {

constexpr int64_t kTrialExamples = 2;  // so that a graph that loses the batch dimension is found out
constexpr int64_t kMaxExampleElements = int64_t{1} << 28;

absl::Status BadArtifact(const std::string& message) { return absl::DataLossError(message); }

std::string Text(at::IntArrayRef shape) { return absl::StrCat("[", absl::StrJoin(shape, ", "), "]"); }

Shape WithBatch(int64_t examples, const Shape& example_shape) {
  Shape shape{examples};
  shape.insert(shape.end(), example_shape.begin(), example_shape.end());
  return shape;
}

absl::Status CheckWeights(const std::vector<double>& weights, int64_t examples) {
  if (weights.empty()) return absl::OkStatus();
  if (static_cast<int64_t>(weights.size()) != examples) {
    return absl::InvalidArgumentError(absl::StrCat(weights.size(), " weights for ", examples, " examples"));
  }
  for (size_t row = 0; row < weights.size(); ++row) {
    if (!std::isfinite(weights[row]) || weights[row] < 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("row ", row, ": its weight ", weights[row], " is not a finite number of at least 0"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<CompiledGraph> CompileModel(const ModelArtifact& artifact) {
  TACIT_ASSIGN_OR_RETURN(const model::Graph graph, model::ParseModelGraph(artifact));
  absl::StatusOr<CompiledGraph> compiled = CompiledGraph::Compile(graph, "graph");
  if (!compiled.ok()) return BadArtifact(std::string(compiled.status().message()));
  return compiled;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const Program>> Program::Load(const ModelArtifact& artifact) {
  const absl::StatusOr<model::LossInfo> loss = model::FindLoss(artifact.loss);
  if (!loss.ok()) return BadArtifact(std::string(loss.status().message()));
  TACIT_ASSIGN_OR_RETURN(CompiledGraph graph, CompileModel(artifact));
  TACIT_ASSIGN_OR_RETURN(CompiledGraph loss_graph,
                         CompiledGraph::Compile(model::BuildLossGraph(*loss), absl::StrCat("loss ", loss->name)));
  const absl::StatusOr<std::shared_ptr<const Schema>> schema = artifact.TrainableSchema();
  if (!schema.ok()) return BadArtifact(std::string(schema.status().message()));
  std::shared_ptr<Program> program(new Program(std::move(graph), std::move(loss_graph)));
  program->loss_ = *loss;
  program->schema_ = *schema;
  program->inputs_ = artifact.inputs;
  program->BindInputs(artifact);
  if (const absl::Status status = program->TryOut(artifact); !status.ok()) {
    return BadArtifact(absl::StrCat("the model cannot run on its declared inputs: ", status.message()));
  }
  return program;
}

void Program::BindInputs(const ModelArtifact& artifact) {
  std::map<std::string, Source> tensors, batch;
  size_t parameters = 0;
  for (const ArtifactTensor& tensor : artifact.tensors) {
    if (tensor.role == TensorRole::kTrainable) {
      tensors[tensor.name] = {Source::Kind::kParameter, parameters++};
    } else {
      tensors[tensor.name] = {Source::Kind::kConstant, constants_.size()};
      constants_.push_back(Copy(tensor.value));
    }
  }
  for (size_t i = 0; i < inputs_.size(); ++i) batch[inputs_[i].name] = {Source::Kind::kBatch, i};
  for (const model::GraphInput& input : graph_.graph().inputs) {
    sources_.push_back((input.kind == model::GraphInput::Kind::kTensor ? tensors : batch).at(input.name));
  }
}

absl::Status Program::TryOut(const ModelArtifact& artifact) {
  if (inputs_.empty()) return absl::InvalidArgumentError("it declares none");
  TACIT_ASSIGN_OR_RETURN(const ParameterVector parameters, artifact.TrainableParameters());
  for (const InputSpec& input : inputs_) {
    const absl::StatusOr<int64_t> elements = NumElements(input.example_shape);
    if (!elements.ok()) return elements.status();
    if (*elements > kMaxExampleElements) {
      return absl::InvalidArgumentError(
          absl::StrCat("input '", input.name, "' has ", *elements, " elements an example"));
    }
  }
  return Guarded([&]() -> absl::Status {
    const at::NoGradGuard no_grad;
    TACIT_ASSIGN_OR_RETURN(const model::Batch inputs, ZeroBatch(kTrialExamples));
    const at::Tensor prediction = Predict(Borrow(parameters), Borrow(inputs.inputs), Mode::kEvaluation, nullptr);
    if (prediction.dim() < 1 || prediction.size(0) != kTrialExamples || prediction.scalar_type() != at::kFloat) {
      return absl::InvalidArgumentError(absl::StrCat("its output for ", kTrialExamples, " examples is of shape ",
                                                     Text(prediction.sizes()), " and type ",
                                                     at::toString(prediction.scalar_type())));
    }
    prediction_shape_ = prediction.sizes().slice(1).vec();
    TACIT_RETURN_IF_ERROR(model::CheckPredictionShape(loss_, prediction_shape_));
    TACIT_ASSIGN_OR_RETURN(const model::Batch trial, ZeroBatch(kTrialExamples));
    Losses(prediction, Borrow(trial.target));
    return absl::OkStatus();
  });
}

absl::StatusOr<model::Batch> Program::ZeroBatch(int64_t examples) const {
  model::Batch batch;
  for (const InputSpec& input : inputs_) {
    TACIT_ASSIGN_OR_RETURN(HostTensor zeros, HostTensor::Zeros(input.dtype, WithBatch(examples, input.example_shape)));
    batch.inputs.push_back(std::move(zeros));
  }
  const bool classes = loss_.kind == model::LossKind::kCrossEntropy;
  TACIT_ASSIGN_OR_RETURN(
      batch.target, HostTensor::Zeros(loss_.target_dtype, WithBatch(examples, classes ? Shape{} : prediction_shape_)));
  return batch;
}

absl::Status Program::CheckParameters(const ParameterVector& parameters) const {
  if (parameters.schema().hash() == schema_->hash()) return absl::OkStatus();
  return absl::InvalidArgumentError("parameters of another model (their schema differs)");
}

absl::Status Program::CheckInputs(const std::vector<HostTensor>& inputs) const {
  if (inputs.size() != inputs_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a batch of ", inputs.size(), " inputs for a model that takes ", inputs_.size()));
  }
  const int64_t examples = inputs.front().shape().empty() ? 0 : inputs.front().shape().front();
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Shape wanted = WithBatch(examples, inputs_[i].example_shape);
    if (inputs[i].dtype() != inputs_[i].dtype || inputs[i].shape() != wanted) {
      return absl::InvalidArgumentError(absl::StrCat("input '", inputs_[i].name, "' is ", DTypeName(inputs[i].dtype()),
                                                     Text(inputs[i].shape()), " where the model takes ",
                                                     DTypeName(inputs_[i].dtype), Text(wanted)));
    }
  }
  return absl::OkStatus();
}

absl::Status Program::CheckBatch(const model::Batch& batch) const {
  if (batch.inputs.empty()) return CheckWeights(batch.weights, 0);  // no examples
  TACIT_RETURN_IF_ERROR(CheckInputs(batch.inputs));
  TACIT_RETURN_IF_ERROR(CheckWeights(batch.weights, batch.size()));
  return model::CheckTarget(loss_, prediction_shape_, batch.target, batch.size());
}

at::Tensor Program::Predict(const std::vector<at::Tensor>& parameters, const std::vector<at::Tensor>& inputs, Mode mode,
                            const DropoutMasks* masks) const {
  std::vector<at::Tensor> values;
  values.reserve(sources_.size());
  for (const Source& source : sources_) {
    values.push_back(source.kind == Source::Kind::kParameter  ? parameters[source.index]
                     : source.kind == Source::Kind::kConstant ? constants_[source.index]
                                                              : inputs[source.index]);
  }
  return graph_.Run(std::move(values), mode, masks).front();
}

at::Tensor Program::Losses(const at::Tensor& prediction, const at::Tensor& target) const {
  return loss_graph_.Run({prediction, target}, Mode::kTraining, nullptr).front();
}

}  // namespace tacit::torch_backend
