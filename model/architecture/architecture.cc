#include "model/architecture/architecture.h"

#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "model/api/loss.h"
#include "model/architecture/layers.h"

namespace tacit::model {
namespace {

absl::Status CheckPositive(const std::vector<int64_t>& sizes, absl::string_view field) {
  for (const int64_t size : sizes) {
    if (size < 1) return absl::InvalidArgumentError(absl::StrCat(field, ": ", size, " is not at least 1"));
  }
  return absl::OkStatus();
}

absl::Status CheckCommon(const ArchitectureSpec& spec) {
  TACIT_RETURN_IF_ERROR(CheckPositive(spec.input_shape, "input shape"));
  TACIT_RETURN_IF_ERROR(CheckPositive({spec.outputs}, "outputs"));
  TACIT_RETURN_IF_ERROR(CheckPositive(spec.hidden, "hidden"));
  TACIT_RETURN_IF_ERROR(CheckPositive(spec.channels, "channels"));
  TACIT_RETURN_IF_ERROR(CheckPositive({spec.kernel_size}, "kernel size"));
  TACIT_RETURN_IF_ERROR(NumElements(spec.input_shape).status());
  TACIT_ASSIGN_OR_RETURN(const LossInfo loss, FindLoss(spec.loss));
  return CheckPredictionShape(loss, {spec.outputs});
}

absl::Status AddLinear(LayerStack& layers, const ArchitectureSpec& spec) {
  layers.Flatten();
  return layers.Linear("linear", spec.outputs, LayerStack::Start::kZero);
}

absl::Status AddMlp(LayerStack& layers, const ArchitectureSpec& spec) {
  if (spec.hidden.empty()) return absl::InvalidArgumentError("hidden: an mlp needs at least one hidden layer");
  layers.Flatten();
  for (size_t i = 0; i < spec.hidden.size(); ++i) {
    const std::string name = absl::StrCat("hidden", i);
    TACIT_RETURN_IF_ERROR(layers.Linear(name, spec.hidden[i], LayerStack::Start::kUniform));
    TACIT_RETURN_IF_ERROR(layers.Activation(name + ".activation"));
  }
  return layers.Linear("output", spec.outputs, LayerStack::Start::kUniform);
}

absl::Status AddCnn(LayerStack& layers, const ArchitectureSpec& spec) {
  if (spec.input_shape.size() != 3) {
    return absl::InvalidArgumentError("a cnn needs an input shape of [channels, height, width]");
  }
  if (spec.channels.empty()) return absl::InvalidArgumentError("channels: a cnn needs at least one convolution");
  for (size_t i = 0; i < spec.channels.size(); ++i) {
    const std::string name = absl::StrCat("conv", i);
    TACIT_RETURN_IF_ERROR(layers.Convolution(name, spec.channels[i]));
    TACIT_RETURN_IF_ERROR(layers.Activation(name + ".activation"));
    TACIT_RETURN_IF_ERROR(layers.MaxPool(name + ".pool"));
  }
  layers.Flatten();
  return layers.Linear("output", spec.outputs, LayerStack::Start::kUniform);
}

}  // namespace

absl::StatusOr<ModelArtifact> BuildArchitecture(const ArchitectureSpec& spec) {
  TACIT_RETURN_IF_ERROR(CheckCommon(spec));
  LayerStack layers(spec);
  if (spec.kind == "linear") {
    TACIT_RETURN_IF_ERROR(AddLinear(layers, spec));
  } else if (spec.kind == "mlp") {
    TACIT_RETURN_IF_ERROR(AddMlp(layers, spec));
  } else if (spec.kind == "cnn") {
    TACIT_RETURN_IF_ERROR(AddCnn(layers, spec));
  } else {
    return absl::InvalidArgumentError(absl::StrCat("unknown architecture '", spec.kind, "'; one of linear, mlp, cnn"));
  }
  return std::move(layers).Build();
}

}  // namespace tacit::model
