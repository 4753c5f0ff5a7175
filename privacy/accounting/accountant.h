#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "absl/status/statusor.h"

namespace tacit::accounting {

// One release from a Poisson-subsampled Gaussian mechanism: every record enters with probability `sampling_rate`, the
// sum has L2 sensitivity 1 (add or remove one record), and Gaussian noise of standard deviation `noise_multiplier` is
// added. sampling_rate in [0, 1] (1: the plain Gaussian); noise_multiplier >= 0 (0: no privacy, epsilon infinite).
struct PoissonSubsampledGaussian {
  double sampling_rate = 0;
  double noise_multiplier = 0;
  friend bool operator==(const PoissonSubsampledGaussian&, const PoissonSubsampledGaussian&) = default;
};

// What an accountant composes.
using Event = std::variant<PoissonSubsampledGaussian>;

// Adds up the privacy loss of events and converts it to (epsilon, delta). Not thread-safe.
class Accountant {
 public:
  virtual ~Accountant() = default;
  virtual std::string name() const = 0;
  // `count` >= 0 repetitions of `event`. InvalidArgument, with nothing added, for parameters out of range.
  virtual absl::Status Add(const Event& event, int64_t count) = 0;
  // An upper bound of epsilon at `delta` in [0, 1]; >= 0, maybe infinite, never NaN.
  virtual absl::StatusOr<double> Epsilon(double delta) const = 0;
  virtual std::unique_ptr<Accountant> Clone() const = 0;
};

// "rdp". InvalidArgument names the known ones.
absl::StatusOr<std::unique_ptr<Accountant>> MakeAccountant(const std::string& name);

}  // namespace tacit::accounting
