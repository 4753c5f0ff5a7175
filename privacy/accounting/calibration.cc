#include "privacy/accounting/calibration.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "privacy/accounting/accountant.h"

namespace tacit::accounting {
namespace {

constexpr double kLargest = 1e6;
constexpr double kSmallest = 1e-6;
// The gap between the two ends at which the search stops, relative.
constexpr double kTolerance = 1e-9;
// The search aims this much below the target, relative, so that another mathematics library, whose last bits differ,
// agrees that the target is kept.
constexpr double kHeadroom = 1e-11;

struct Question {
  double epsilon;
  double delta;
  double sampling_rate;
  int64_t steps;
  const std::string& accountant;
};

absl::Status Validate(const Question& question) {
  const auto check = [](bool good, const char* rule, double value) {
    return good ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrCat(rule, ", but is ", value));
  };
  TACIT_RETURN_IF_ERROR(check(question.epsilon > 0 && std::isfinite(question.epsilon),
                              "the target epsilon must be positive and finite", question.epsilon));
  TACIT_RETURN_IF_ERROR(check(question.delta > 0 && question.delta < 1, "delta must lie in (0, 1)", question.delta));
  TACIT_RETURN_IF_ERROR(check(question.sampling_rate > 0 && question.sampling_rate <= 1,
                              "the sampling rate must lie in (0, 1]", question.sampling_rate));
  return check(question.steps >= 1, "the number of steps must be at least 1", static_cast<double>(question.steps));
}

absl::StatusOr<bool> ReachesTarget(const Question& question, double noise_multiplier) {
  TACIT_ASSIGN_OR_RETURN(const std::unique_ptr<Accountant> accountant, MakeAccountant(question.accountant));
  TACIT_RETURN_IF_ERROR(
      accountant->Add(PoissonSubsampledGaussian{question.sampling_rate, noise_multiplier}, question.steps));
  TACIT_ASSIGN_OR_RETURN(const double epsilon, accountant->Epsilon(question.delta));
  return epsilon <= question.epsilon * (1 - kHeadroom);
}

}  // namespace

absl::StatusOr<double> CalibrateNoiseMultiplier(double epsilon, double delta, double sampling_rate, int64_t steps,
                                                const std::string& accountant) {
  const Question question{epsilon, delta, sampling_rate, steps, accountant};
  TACIT_RETURN_IF_ERROR(Validate(question));
  // `good` always reaches the target; `bad` never does.
  double good = 1;
  TACIT_ASSIGN_OR_RETURN(bool reached, ReachesTarget(question, good));
  while (!reached) {
    if (good >= kLargest) {
      return absl::OutOfRangeError(absl::StrCat("no noise multiplier up to ", kLargest, " gives epsilon <= ", epsilon,
                                                " at delta ", delta, " for ", steps, " steps at sampling rate ",
                                                sampling_rate));
    }
    good = std::min(2 * good, kLargest);
    TACIT_ASSIGN_OR_RETURN(reached, ReachesTarget(question, good));
  }
  double bad = good;
  while (reached) {
    if (bad <= kSmallest) return kSmallest;
    good = bad;
    bad = std::max(bad / 2, kSmallest);
    TACIT_ASSIGN_OR_RETURN(reached, ReachesTarget(question, bad));
  }
  while (good - bad > kTolerance * good) {
    const double middle = bad + (good - bad) / 2;
    TACIT_ASSIGN_OR_RETURN(reached, ReachesTarget(question, middle));
    (reached ? good : bad) = middle;
  }
  return good;
}

}  // namespace tacit::accounting
