#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"

namespace tacit::accounting {

// The smallest noise multiplier with epsilon(delta) <= epsilon for `steps` steps at `sampling_rate`, from the private
// side: the answer's own epsilon never exceeds the target, and it is at most a relative 1e-6 above the exact answer (or
// 1e-6 itself, the smallest answer there is).
// InvalidArgument for arguments out of range; OutOfRange when no noise multiplier up to 1e6 reaches the target.
absl::StatusOr<double> CalibrateNoiseMultiplier(double epsilon, double delta, double sampling_rate, int64_t steps,
                                                const std::string& accountant);

}  // namespace tacit::accounting
