#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/config/sections.h"
#include "core/digest.h"
#include "core/parameter_vector.h"
#include "optim/modules/opti_module.h"

namespace tacit::optim {

// Turns a gradient into a change of the parameters: OptiModules in order, then the learning rate, then decoupled weight
// decay (Loshchilov and Hutter 2019). The pipeline is declearn's (design: docs/architecture.md, "Optimizer"). The
// trainers use one on gradients, the coordinator one on minus the averaged update. Not thread-safe.
class Optimizer {
 public:
  // InvalidArgument for values out of range.
  static absl::StatusOr<Optimizer> Create(const config::OptimizerConfig& config);

  // parameters += -learning_rate * modules(gradient) - learning_rate * weight_decay * parameters. InvalidArgument, with
  // nothing changed, when the schemas differ from each other or from those of the steps since the last Reset.
  absl::Status Step(const ParameterVector& gradient, ParameterVector& parameters);

  // Forgets the modules' state (velocities), as at the start of a round.
  void Reset();

 private:
  Optimizer() = default;
  std::vector<std::unique_ptr<OptiModule>> modules_;
  double learning_rate_ = 0;
  double weight_decay_ = 0;
  std::optional<Digest> schema_;  // of the steps since the last Reset
};

}  // namespace tacit::optim
