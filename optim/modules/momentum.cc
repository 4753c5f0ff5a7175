#include "optim/modules/momentum.h"

#include <algorithm>

namespace tacit::optim {

void Momentum::Run(ParameterVector& gradient) {
  if (!velocity_) velocity_.emplace(gradient.shared_schema());
  const std::span<float> velocity = velocity_->mutable_values();
  const std::span<float> values = gradient.mutable_values();
  for (size_t i = 0; i < values.size(); ++i) {
    velocity[i] = static_cast<float>(momentum_ * velocity[i] + values[i]);
    values[i] = velocity[i];
  }
}

}  // namespace tacit::optim
