#include "optim/optimizer.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "optim/modules/momentum.h"

namespace tacit::optim {

absl::StatusOr<Optimizer> Optimizer::Create(const config::OptimizerConfig& config) {
  // Written so that NaN fails every one of them.
  if (!(config.learning_rate > 0 && std::isfinite(config.learning_rate))) {
    return absl::InvalidArgumentError(
        absl::StrCat("learning_rate is ", config.learning_rate, ", must be above 0 and finite"));
  }
  if (!(config.momentum >= 0 && config.momentum < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("momentum is ", config.momentum, ", must be at least 0, below 1"));
  }
  if (!(config.weight_decay >= 0 && config.weight_decay <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat("weight_decay is ", config.weight_decay, ", must be from 0 to 1"));
  }
  Optimizer optimizer;
  if (config.momentum > 0) optimizer.modules_.push_back(std::make_unique<Momentum>(config.momentum));
  optimizer.learning_rate_ = config.learning_rate;
  optimizer.weight_decay_ = config.weight_decay;
  return optimizer;
}

absl::Status Optimizer::Step(const ParameterVector& gradient, ParameterVector& parameters) {
  const Digest& hash = parameters.schema().hash();
  if (gradient.schema().hash() != hash) {
    return absl::InvalidArgumentError("the gradient's schema is not the parameters'");
  }
  if (schema_.value_or(hash) != hash) {
    return absl::InvalidArgumentError("the schema is not that of the optimizer's earlier steps");
  }
  schema_ = hash;
  const ParameterVector* direction = &gradient;
  std::optional<ParameterVector> changed;
  if (!modules_.empty()) {
    changed = gradient;
    for (const auto& module : modules_) module->Run(*changed);
    direction = &*changed;
  }
  const std::span<const float> step = direction->values();
  const std::span<float> values = parameters.mutable_values();
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    values[i] = static_cast<float>(value - learning_rate_ * (step[i] + weight_decay_ * value));
  }
  return absl::OkStatus();
}

void Optimizer::Reset() {
  for (const auto& module : modules_) module->Reset();
  schema_.reset();
}

}  // namespace tacit::optim
