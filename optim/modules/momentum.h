#pragma once

#include <optional>

#include "optim/modules/opti_module.h"

namespace tacit::optim {

// Heavy-ball momentum (Polyak 1964) as PyTorch's SGD has it, without dampening: v = momentum v + gradient, v = 0 at the
// start; the gradient becomes v. One more copy of the model in memory.
class Momentum final : public OptiModule {
 public:
  // 0 < momentum < 1.
  explicit Momentum(double momentum) : momentum_(momentum) {}
  absl::string_view name() const override { return "momentum"; }
  void Run(ParameterVector& gradient) override;
  void Reset() override { velocity_.reset(); }

 private:
  double momentum_;
  std::optional<ParameterVector> velocity_;
};

}  // namespace tacit::optim
