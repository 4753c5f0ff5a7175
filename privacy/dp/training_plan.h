#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "privacy/accounting/accountant.h"
#include "privacy/dp/bounded_sum.h"
#include "privacy/dp/random_source.h"
#include "privacy/dp/terms.h"

namespace tacit::dp {

// The one object from which sampler, clip norm, noise, normaliser and accounting of a private training come, so that
// the statement cannot disagree with what ran (docs/privacy.md, "The training plan"). Immutable; safe to share.
class DpTrainingPlan {
 public:
  // `nominal_examples`: the public figure N for the number of examples, from which the expected batch size q N comes;
  // it must not be computed from the data at run time. InvalidArgument names the term that is out of range, non-finite,
  // or inconsistent: FailedPrecondition when epsilon of `steps` steps, recomputed with the terms' own accountant,
  // exceeds terms.epsilon.
  static absl::StatusOr<DpTrainingPlan> Create(const Terms& terms, double nominal_examples);

  const Terms& terms() const { return terms_; }
  double clip_norm() const { return terms_.clip_norm; }
  double expected_batch_size() const { return expected_batch_size_; }
  // What one step costs.
  accounting::Event step_event() const;

  // Poisson sampling: every one of `examples` rows independently with probability q; often a different number, maybe
  // none. Sorted.
  absl::StatusOr<std::vector<int64_t>> SampleBatch(int64_t examples, RandomSource& random) const;

  // (sum + N(0, (sigma * sensitivity)^2 I)) / (q N). FailedPrecondition when the sum's sensitivity or relation is not
  // this plan's; Internal when the result is not finite. Errors of `random` come back and nothing is released.
  absl::StatusOr<std::vector<double>> NoisyMean(const BoundedSum& sum, RandomSource& random) const;

 private:
  DpTrainingPlan() = default;
  Terms terms_;
  double expected_batch_size_ = 0;
};

// What has been spent on one data set, and the stop at its budget (docs/privacy.md, "The budget"). Composes the steps
// of every plan run on the data, in whatever order. In memory: it lasts as long as the process. Not thread-safe.
class BudgetAccount {
 public:
  // InvalidArgument for budgets out of range or an unknown accountant.
  static absl::StatusOr<BudgetAccount> Create(double epsilon, double delta, const std::string& accountant);
  // The same with an accountant that was made elsewhere and has seen nothing yet.
  static absl::StatusOr<BudgetAccount> Create(double epsilon, double delta,
                                              std::unique_ptr<accounting::Accountant> accountant);

  // Spends one event, before its result is computed. ResourceExhausted, with nothing spent, when epsilon(delta) of all
  // that was spent plus `event` would pass the budget; whatever the accountant cannot answer (NaN, infinite, an error)
  // is refused the same way.
  absl::Status Spend(const accounting::Event& event);
  // Epsilon spent so far at the account's delta; 0 before the first event.
  double epsilon_spent() const { return epsilon_spent_; }
  double epsilon_budget() const { return epsilon_budget_; }
  double delta() const { return delta_; }
  int64_t events() const { return events_; }
  const std::string& accountant() const { return accountant_name_; }

 private:
  BudgetAccount() = default;
  std::unique_ptr<accounting::Accountant> accountant_;
  std::string accountant_name_;
  double epsilon_budget_ = 0;
  double delta_ = 0;
  double epsilon_spent_ = 0;
  int64_t events_ = 0;
};

}  // namespace tacit::dp
