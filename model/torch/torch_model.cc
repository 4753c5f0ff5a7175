#include "model/torch/torch_model.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/mul.h>

#include "core/log.h"
#include "core/status.h"
#include "model/torch/gradient/differentiate.h"
#include "model/torch/gradient/loop_gradients.h"
#include "model/torch/gradient/vmap_gradients.h"
#include "model/torch/guard.h"
#include "model/torch/program.h"
#include "model/torch/tensor_conversion.h"

namespace tacit::torch_backend {
namespace {

class TorchModel final : public model::Model {
 public:
  explicit TorchModel(std::shared_ptr<const Program> program) : program_(std::move(program)) {}

  const std::shared_ptr<const Schema>& schema() const override { return program_->schema(); }
  const std::vector<InputSpec>& inputs() const override { return program_->inputs(); }

  absl::Status Check(const model::Batch& batch) const override { return program_->CheckBatch(batch); }

  absl::StatusOr<model::MeanGradient> ComputeMeanGradient(const ParameterVector& parameters, const model::Batch& batch,
                                                          uint64_t seed) override {
    TACIT_RETURN_IF_ERROR(program_->CheckParameters(parameters));
    TACIT_RETURN_IF_ERROR(program_->CheckBatch(batch));
    if (batch.size() == 0) return model::MeanGradient{ParameterVector(schema()), 0};
    return Guarded([&]() -> absl::StatusOr<model::MeanGradient> { return MeanGradientOf(parameters, batch, seed); });
  }

  absl::StatusOr<model::Evaluation> Evaluate(const ParameterVector& parameters, const model::Batch& batch) override {
    TACIT_RETURN_IF_ERROR(program_->CheckBatch(batch));
    if (batch.size() == 0) return NoOutputs(parameters);
    TACIT_RETURN_IF_ERROR(program_->CheckParameters(parameters));
    return Guarded([&]() -> absl::StatusOr<model::Evaluation> {
      const at::NoGradGuard no_grad;
      const at::Tensor prediction = Forward(parameters, batch.inputs);
      model::Evaluation evaluation;
      evaluation.losses = ToDoubles(program_->Losses(prediction, Borrow(batch.target)));
      TACIT_ASSIGN_OR_RETURN(evaluation.outputs, ToHostTensor(prediction));
      return evaluation;
    });
  }

  absl::StatusOr<HostTensor> Predict(const ParameterVector& parameters,
                                     const std::vector<HostTensor>& inputs) override {
    TACIT_RETURN_IF_ERROR(program_->CheckParameters(parameters));
    TACIT_RETURN_IF_ERROR(program_->CheckInputs(inputs));
    if (inputs.front().shape().front() == 0) {
      TACIT_ASSIGN_OR_RETURN(model::Evaluation evaluation, NoOutputs(parameters));
      return std::move(evaluation.outputs);
    }
    return Guarded([&]() -> absl::StatusOr<HostTensor> {
      const at::NoGradGuard no_grad;
      return ToHostTensor(Forward(parameters, inputs));
    });
  }

 private:
  model::MeanGradient MeanGradientOf(const ParameterVector& parameters, const model::Batch& batch, uint64_t seed) {
    const at::AutoGradMode grad_mode(true);
    std::vector<at::Tensor> variables = Borrow(parameters);
    for (at::Tensor& variable : variables) variable.requires_grad_(true);
    const DropoutMasks masks(seed, 0, batch.size());
    const at::Tensor prediction = program_->Predict(variables, Borrow(batch.inputs), Mode::kTraining, &masks);
    at::Tensor losses = program_->Losses(prediction, Borrow(batch.target));
    if (!batch.weights.empty()) losses = at::mul(losses, WeightTensor(batch.weights));
    const at::Tensor loss = losses.mean();
    const std::vector<at::Tensor> gradients = Differentiate(loss, variables);
    model::MeanGradient result{ParameterVector(schema()), ToDoubles(loss).front()};
    for (size_t k = 0; k < gradients.size(); ++k) {
      if (gradients[k].defined()) CopyValues(gradients[k], result.gradient.mutable_tensor(k));
    }
    return result;
  }

  static at::Tensor WeightTensor(const std::vector<double>& weights) {
    const HostTensor values = *HostTensor::From<double>({static_cast<int64_t>(weights.size())}, weights);
    return Borrow(values).to(at::kFloat);
  }

  // [B, ...], also from a graph whose output has lost the batch.
  at::Tensor Forward(const ParameterVector& parameters, const std::vector<HostTensor>& inputs) const {
    at::Tensor prediction = program_->Predict(Borrow(parameters), Borrow(inputs), Mode::kEvaluation, nullptr);
    TORCH_CHECK(prediction.dim() >= 1 && prediction.size(0) == inputs.front().shape().front(),
                "the model's output has another batch size than its input");
    return prediction;
  }

  absl::StatusOr<model::Evaluation> NoOutputs(const ParameterVector& parameters) const {
    TACIT_RETURN_IF_ERROR(program_->CheckParameters(parameters));
    Shape shape{0};
    shape.insert(shape.end(), program_->prediction_shape().begin(), program_->prediction_shape().end());
    model::Evaluation evaluation;
    TACIT_ASSIGN_OR_RETURN(evaluation.outputs, HostTensor::Zeros(DType::kFloat32, std::move(shape)));
    return evaluation;
  }

  std::shared_ptr<const Program> program_;
};

}  // namespace
}  // namespace tacit::torch_backend

namespace tacit::model {
namespace {

// One zero example, to see whether vmap has a rule for all that the model does. The warning is for the log: training
// goes on, many times slower.
void WarnAboutSlowOperators(const ModelArtifact& artifact,
                            const std::shared_ptr<const torch_backend::Program>& program) {
  GradientOptions options;
  options.allow_slow_operators = false;
  torch_backend::VmapGradients gradients(program, options);
  const absl::StatusOr<ParameterVector> parameters = artifact.TrainableParameters();
  const absl::StatusOr<Batch> batch = program->ZeroBatch(1);
  if (!parameters.ok() || !batch.ok()) return;
  const absl::Status status = gradients.Compute(*parameters, *batch, 1, 0).status();
  if (status.ok()) return;
  Log(LogLevel::kWarning, "slow-gradients", {{"reason", status.message()}});
}

}  // namespace

absl::StatusOr<std::unique_ptr<Model>> LoadTorchModel(const ModelArtifact& artifact) {
  return torch_backend::Guarded([&]() -> absl::StatusOr<std::unique_ptr<Model>> {
    TACIT_ASSIGN_OR_RETURN(auto program, torch_backend::Program::Load(artifact));
    return std::make_unique<torch_backend::TorchModel>(std::move(program));
  });
}

absl::StatusOr<std::unique_ptr<PerSampleGradients>> MakePerSampleGradients(const ModelArtifact& artifact,
                                                                           GradientBackend backend,
                                                                           const GradientOptions& options) {
  if (options.max_microbatch_bytes < 1) {
    return absl::InvalidArgumentError("the microbatch's bound is not at least 1 byte");
  }
  return torch_backend::Guarded([&]() -> absl::StatusOr<std::unique_ptr<PerSampleGradients>> {
    TACIT_ASSIGN_OR_RETURN(auto program, torch_backend::Program::Load(artifact));
    if (backend == GradientBackend::kLoop) {
      return std::make_unique<torch_backend::LoopGradients>(std::move(program));
    }
    if (options.allow_slow_operators) WarnAboutSlowOperators(artifact, program);
    return std::make_unique<torch_backend::VmapGradients>(std::move(program), options);
  });
}

}  // namespace tacit::model
