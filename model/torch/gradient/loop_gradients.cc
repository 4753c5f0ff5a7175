#include "model/torch/gradient/loop_gradients.h"

#include <ATen/core/grad_mode.h>

#include "core/status.h"
#include "model/torch/gradient/differentiate.h"
#include "model/torch/guard.h"
#include "model/torch/tensor_conversion.h"

namespace tacit::torch_backend {

LoopGradients::LoopGradients(std::shared_ptr<const Program> program)
    : program_(std::move(program)), accumulator_(program_->schema()) {}

absl::StatusOr<model::ClippedGradients> LoopGradients::Compute(const ParameterVector& parameters,
                                                               const model::Batch& batch, double clip_norm,
                                                               uint64_t seed) {
  TACIT_RETURN_IF_ERROR(program_->CheckParameters(parameters));
  TACIT_RETURN_IF_ERROR(program_->CheckBatch(batch));
  TACIT_RETURN_IF_ERROR(accumulator_.Begin(clip_norm));
  return Guarded([&]() -> absl::StatusOr<model::ClippedGradients> {
    const at::AutoGradMode grad_mode(true);
    std::vector<at::Tensor> variables = Borrow(parameters);
    for (at::Tensor& variable : variables) variable.requires_grad_(true);
    for (int64_t row = 0; row < batch.size(); ++row) AddSample(variables, batch, row, seed);
    return accumulator_.Finish();
  });
}

void LoopGradients::AddSample(const std::vector<at::Tensor>& parameters, const model::Batch& batch, int64_t row,
                              uint64_t seed) {
  std::vector<at::Tensor> inputs;
  for (const HostTensor& input : batch.inputs) inputs.push_back(Borrow(input).narrow(0, row, 1));
  const DropoutMasks masks(seed, row, 1);
  const at::Tensor prediction = program_->Predict(parameters, inputs, Mode::kTraining, &masks);
  const at::Tensor loss = program_->Losses(prediction, Borrow(batch.target).narrow(0, row, 1));
  std::vector<at::Tensor> gradients = Differentiate(loss, parameters);
  for (at::Tensor& gradient : gradients) {
    if (gradient.defined()) gradient = gradient.unsqueeze(0);
  }
  std::span<const double> weights = batch.weights;
  if (!weights.empty()) weights = weights.subspan(row, 1);
  accumulator_.Add(gradients, ToDoubles(loss), weights);
}

}  // namespace tacit::torch_backend
