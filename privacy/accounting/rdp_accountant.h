#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "privacy/accounting/accountant.h"

namespace tacit::accounting {

// Adds up Renyi differential privacy at fixed orders and converts the sums to (epsilon, delta) (docs/privacy.md,
// "Composition" and "From Renyi to (epsilon, delta)"). Repeating an event costs no more than adding it once, and adding
// the event that was added last costs next to nothing. Counts of one event in a row add up exactly: T events one by one
// are the same as one Add of T.
class RdpAccountant final : public Accountant {
 public:
  // 1.1, 1.2, ..., 10.9 and 12, 13, ..., 63, the customary set, and 128, 256, 512, 1024 for small epsilons.
  static const std::vector<double>& Orders();

  RdpAccountant();
  std::string name() const override { return "rdp"; }
  absl::Status Add(const Event& event, int64_t count) override;
  // The smallest over the orders; infinite at delta = 0 once anything was spent. InvalidArgument for delta outside
  // [0, 1].
  absl::StatusOr<double> Epsilon(double delta) const override;
  std::unique_ptr<Accountant> Clone() const override;

 private:
  // Everything before the last event, by order.
  std::vector<double> earlier_;
  // The last event, how often in a row, and its RDP by order, shared by clones.
  std::optional<PoissonSubsampledGaussian> last_;
  int64_t last_count_ = 0;
  std::shared_ptr<const std::vector<double>> last_rdp_;
};

}  // namespace tacit::accounting
