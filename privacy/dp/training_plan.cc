#include "privacy/dp/training_plan.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "privacy/dp/gaussian_noise.h"
#include "privacy/dp/poisson_sampler.h"

namespace tacit::dp {
namespace {

bool IsPositiveAndFinite(double value) { return value > 0 && std::isfinite(value); }

// "RULE, but is VALUE" unless `good`.
absl::Status Check(bool good, const char* rule, double value) {
  if (good) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(rule, ", but is ", value));
}

absl::Status CheckBudget(double epsilon, double delta) {
  TACIT_RETURN_IF_ERROR(Check(IsPositiveAndFinite(epsilon), "epsilon must be positive and finite", epsilon));
  return Check(delta > 0 && delta < 1, "delta must lie in (0, 1)", delta);
}

absl::Status CheckRanges(const Terms& terms, double nominal_examples) {
  if (terms.relation != NeighbouringRelation::kAddOrRemoveOneExample &&
      terms.relation != NeighbouringRelation::kAddOrRemoveOneClient) {
    return absl::InvalidArgumentError("the neighbouring relation is unknown");
  }
  TACIT_RETURN_IF_ERROR(CheckBudget(terms.epsilon, terms.delta));
  TACIT_RETURN_IF_ERROR(Check(terms.sampling_rate > 0 && terms.sampling_rate <= 1, "sampling_rate must lie in (0, 1]",
                              terms.sampling_rate));
  TACIT_RETURN_IF_ERROR(
      Check(IsPositiveAndFinite(terms.clip_norm), "clip_norm must be positive and finite", terms.clip_norm));
  TACIT_RETURN_IF_ERROR(Check(IsPositiveAndFinite(terms.noise_multiplier),
                              "noise_multiplier must be positive and finite", terms.noise_multiplier));
  TACIT_RETURN_IF_ERROR(Check(terms.steps >= 1, "steps must be at least 1", static_cast<double>(terms.steps)));
  TACIT_RETURN_IF_ERROR(Check(IsPositiveAndFinite(nominal_examples),
                              "the nominal number of examples must be positive and finite", nominal_examples));
  const double deviation = terms.noise_multiplier * terms.clip_norm;
  TACIT_RETURN_IF_ERROR(
      Check(IsPositiveAndFinite(deviation), "noise_multiplier times clip_norm must be positive and finite", deviation));
  const double batch_size = terms.sampling_rate * nominal_examples;
  return Check(IsPositiveAndFinite(batch_size), "the expected batch size must be positive and finite", batch_size);
}

// Epsilon of `accountant` with `count` more of `event`, and that accountant. Whatever is no cost at all is Internal.
struct Outlook {
  std::unique_ptr<accounting::Accountant> accountant;
  double epsilon = 0;
};

absl::StatusOr<Outlook> LookAhead(const accounting::Accountant& accountant, const accounting::Event& event,
                                  int64_t count, double delta) {
  Outlook outlook;
  outlook.accountant = accountant.Clone();
  TACIT_RETURN_IF_ERROR(outlook.accountant->Add(event, count));
  TACIT_ASSIGN_OR_RETURN(outlook.epsilon, outlook.accountant->Epsilon(delta));
  if (!(outlook.epsilon >= 0 && std::isfinite(outlook.epsilon))) {
    return absl::InternalError(absl::StrCat("the accountant answers with epsilon = ", outlook.epsilon));
  }
  return outlook;
}

}  // namespace

absl::StatusOr<DpTrainingPlan> DpTrainingPlan::Create(const Terms& terms, double nominal_examples) {
  TACIT_RETURN_IF_ERROR(CheckRanges(terms, nominal_examples));
  TACIT_ASSIGN_OR_RETURN(const auto accountant, accounting::MakeAccountant(terms.accountant));
  DpTrainingPlan plan;
  plan.terms_ = terms;
  plan.expected_batch_size_ = terms.sampling_rate * nominal_examples;
  const absl::StatusOr<Outlook> whole_run = LookAhead(*accountant, plan.step_event(), terms.steps, terms.delta);
  if (!whole_run.ok() || !(whole_run->epsilon <= terms.epsilon)) {
    return absl::FailedPreconditionError(
        absl::StrCat(terms.steps, " steps at sampling_rate ", terms.sampling_rate, " with noise_multiplier ",
                     terms.noise_multiplier, " do not keep epsilon ", terms.epsilon, " at delta ", terms.delta, ": ",
                     whole_run.ok() ? absl::StrCat("they cost ", whole_run->epsilon) : whole_run.status().message()));
  }
  return plan;
}

accounting::Event DpTrainingPlan::step_event() const {
  return accounting::PoissonSubsampledGaussian{terms_.sampling_rate, terms_.noise_multiplier};
}

absl::StatusOr<std::vector<int64_t>> DpTrainingPlan::SampleBatch(int64_t examples, RandomSource& random) const {
  return SamplePoisson(examples, terms_.sampling_rate, random);
}

absl::StatusOr<std::vector<double>> DpTrainingPlan::NoisyMean(const BoundedSum& sum, RandomSource& random) const {
  if (sum.sensitivity() != terms_.clip_norm) {
    return absl::FailedPreconditionError(absl::StrCat("a sum of sensitivity ", sum.sensitivity(),
                                                      " does not fit a plan of clip norm ", terms_.clip_norm));
  }
  if (sum.relation() != terms_.relation) {
    return absl::FailedPreconditionError(
        absl::StrCat("a sum for ", Describe(sum.relation()), " does not fit a plan for ", Describe(terms_.relation)));
  }
  const double deviation = terms_.noise_multiplier * sum.sensitivity();
  TACIT_ASSIGN_OR_RETURN(std::vector<double> mean,
                         DrawStandardNormals(static_cast<int64_t>(sum.values().size()), random));
  bool finite = true;
  for (size_t i = 0; i < mean.size(); ++i) {
    mean[i] = (sum.values()[i] + deviation * mean[i]) / expected_batch_size_;
    finite = finite && std::isfinite(mean[i]);
  }
  if (!finite) return absl::InternalError("the noisy mean is not finite");
  return mean;
}

absl::StatusOr<BudgetAccount> BudgetAccount::Create(double epsilon, double delta, const std::string& accountant) {
  TACIT_ASSIGN_OR_RETURN(auto made, accounting::MakeAccountant(accountant));
  return Create(epsilon, delta, std::move(made));
}

absl::StatusOr<BudgetAccount> BudgetAccount::Create(double epsilon, double delta,
                                                    std::unique_ptr<accounting::Accountant> accountant) {
  TACIT_RETURN_IF_ERROR(CheckBudget(epsilon, delta));
  BudgetAccount account;
  account.accountant_name_ = accountant->name();
  account.accountant_ = std::move(accountant);
  account.epsilon_budget_ = epsilon;
  account.delta_ = delta;
  return account;
}

absl::Status BudgetAccount::Spend(const accounting::Event& event) {
  absl::StatusOr<Outlook> outlook = LookAhead(*accountant_, event, 1, delta_);
  if (!outlook.ok()) {
    return absl::ResourceExhaustedError(absl::StrCat("the step cannot be accounted for: ", outlook.status().message()));
  }
  if (!(outlook->epsilon <= epsilon_budget_)) {
    return absl::ResourceExhaustedError(absl::StrCat("the step would pass the budget of epsilon ", epsilon_budget_,
                                                     " at delta ", delta_, "; ", epsilon_spent_, " is spent on ",
                                                     events_, " steps"));
  }
  accountant_ = std::move(outlook->accountant);
  epsilon_spent_ = outlook->epsilon;
  ++events_;
  return absl::OkStatus();
}

}  // namespace tacit::dp
