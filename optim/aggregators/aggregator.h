#pragma once

#include <cstdint>

#include "absl/status/statusor.h"
#include "core/parameter_vector.h"

namespace tacit::optim {

// Turns updates into one, as they come: its memory is a small multiple of one model, whatever the number of updates,
// and the result does not depend on their order. Not thread-safe.
class Aggregator {
 public:
  virtual ~Aggregator() = default;
  // InvalidArgument, with nothing added, for another schema, a value that is not finite or too large to be added
  // exactly, or a weight that is not positive and finite.
  virtual absl::Status Add(const ParameterVector& update, double weight) = 0;
  virtual int64_t count() const = 0;
  // The aggregate; FailedPrecondition before the first update. Starts anew afterwards.
  virtual absl::StatusOr<ParameterVector> Finish() = 0;
};

}  // namespace tacit::optim
