#include "model/torch/gradient/vmap_gradients.h"

#include <algorithm>

#include "core/status.h"
#include "model/torch/gradient/differentiate.h"
#include "model/torch/gradient/functorch_compat.h"
#include "model/torch/gradient/slow_operator_scope.h"
#include "model/torch/guard.h"
#include "model/torch/tensor_conversion.h"

namespace tacit::torch_backend {
namespace {

struct SampleGradients {
  std::vector<at::Tensor> gradients;  // [samples, shape], or undefined
  at::Tensor losses;                  // [samples]
};

// The samples of a microbatch, [samples, ...] each.
struct Samples {
  std::vector<at::Tensor> inputs;
  at::Tensor target;
  int64_t first = 0;
  int64_t size = 0;
};

// vmap(grad(loss)): a function of one sample, with a batch dimension of one so that every layer means what it means
// outside, differentiated, for all samples at once.
SampleGradients VmapOverGrad(const Program& program, const std::vector<at::Tensor>& parameters, const Samples& samples,
                             uint64_t seed) {
  const VmapLayer vmap(samples.size);
  const auto batch = [&](const at::Tensor& tensor) { return MakeBatched(tensor, vmap.level()); };
  std::vector<at::Tensor> inputs;
  for (const at::Tensor& input : samples.inputs) inputs.push_back(batch(input));
  const at::Tensor target = batch(samples.target);
  SampleGradients result;
  {
    const GradLayer grad;
    const DropoutMasks masks(seed, samples.first, samples.size, batch);
    std::vector<at::Tensor> variables;
    for (const at::Tensor& parameter : parameters) variables.push_back(WrapVariable(parameter, grad.level()));
    for (at::Tensor& input : inputs) input = WrapConstant(input, grad.level()).unsqueeze(0);
    const at::Tensor prediction = program.Predict(variables, inputs, Mode::kTraining, &masks);
    const at::Tensor loss = program.Losses(prediction, WrapConstant(target, grad.level()).unsqueeze(0));
    for (const at::Tensor& gradient : Differentiate(loss, variables)) result.gradients.push_back(Unwrap(gradient));
    result.losses = Unwrap(loss);
  }
  for (at::Tensor& gradient : result.gradients) {
    if (gradient.defined()) gradient = Unbatch(gradient, samples.size);
  }
  result.losses = Unbatch(result.losses, samples.size);
  return result;
}

// As large as the bound allows and as even as they come.
int64_t MicrobatchSize(int64_t examples, int64_t elements, int64_t max_bytes) {
  const int64_t bytes = std::max<int64_t>(elements * static_cast<int64_t>(sizeof(float)), 1);
  const int64_t largest = std::clamp<int64_t>(max_bytes / bytes, 1, examples);
  const int64_t parts = (examples + largest - 1) / largest;
  return (examples + parts - 1) / parts;
}

}  // namespace

VmapGradients::VmapGradients(std::shared_ptr<const Program> program, const model::GradientOptions& options)
    : program_(std::move(program)), options_(options), accumulator_(program_->schema()) {}

absl::StatusOr<model::ClippedGradients> VmapGradients::Compute(const ParameterVector& parameters,
                                                               const model::Batch& batch, double clip_norm,
                                                               uint64_t seed) {
  TACIT_RETURN_IF_ERROR(program_->CheckParameters(parameters));
  TACIT_RETURN_IF_ERROR(program_->CheckBatch(batch));
  TACIT_RETURN_IF_ERROR(accumulator_.Begin(clip_norm));
  return Guarded([&]() -> absl::StatusOr<model::ClippedGradients> {
    const SlowOperatorScope scope(options_.allow_slow_operators);
    const std::vector<at::Tensor> tensors = Borrow(parameters);
    const int64_t examples = batch.size();
    const int64_t step =
        examples == 0 ? 1 : MicrobatchSize(examples, program_->schema()->size(), options_.max_microbatch_bytes);
    for (int64_t begin = 0; begin < examples; begin += step) {
      AddMicrobatch(tensors, batch, begin, std::min(step, examples - begin), seed);
    }
    return accumulator_.Finish();
  });
}

void VmapGradients::AddMicrobatch(const std::vector<at::Tensor>& parameters, const model::Batch& batch, int64_t begin,
                                  int64_t size, uint64_t seed) {
  Samples samples{{}, Borrow(batch.target).narrow(0, begin, size), begin, size};
  for (const HostTensor& input : batch.inputs) samples.inputs.push_back(Borrow(input).narrow(0, begin, size));
  const SampleGradients result = VmapOverGrad(*program_, parameters, samples, seed);
  const std::vector<double> losses = ToDoubles(result.losses.reshape({size}));
  std::span<const double> weights = batch.weights;
  if (!weights.empty()) weights = weights.subspan(begin, size);
  accumulator_.Add(result.gradients, losses, weights);
}

}  // namespace tacit::torch_backend
