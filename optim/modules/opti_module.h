#pragma once

#include "absl/strings/string_view.h"
#include "core/parameter_vector.h"

namespace tacit::optim {

// One step of an optimizer's pipeline: changes a gradient, and may keep state from step to step. Not thread-safe.
class OptiModule {
 public:
  virtual ~OptiModule() = default;
  virtual absl::string_view name() const = 0;
  // In place. Every call has the same schema.
  virtual void Run(ParameterVector& gradient) = 0;
  virtual void Reset() = 0;
};

}  // namespace tacit::optim
