#include "privacy/accounting/subsampled_gaussian_rdp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace tacit::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// log(e^x - 1) for x >= 0.
double LogExpm1(double x) {
  if (x > 40) return x;
  return x > 1 ? x + std::log1p(-std::exp(-x)) : std::log(std::expm1(x));
}

// log(1 + e^x).
double LogOnePlusExp(double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }

// The logarithm of a sum of positive terms, each given by its logarithm.
class LogSum {
 public:
  void Add(double log_term) {
    if (log_term == -kInfinity) return;
    if (log_term <= largest_) {
      scaled_ += std::exp(log_term - largest_);
    } else {
      scaled_ = scaled_ * std::exp(largest_ - log_term) + 1;
      largest_ = log_term;
    }
  }
  double log() const { return scaled_ > 0 ? largest_ + std::log(scaled_) : -kInfinity; }

 private:
  double largest_ = -kInfinity;
  double scaled_ = 0;
};

// Both ways below compute log(A - 1), where A is the expectation: near A = 1 the logarithm of A itself has no digits.

// log(A - 1) for an integer order: the binomial sum with the terms of total 1 taken out, so that all terms are
// positive.
double LogExcessInteger(double q, double inverse_two_variance, int64_t order) {
  const double log_q = std::log(q);
  const double log_rest = std::log1p(-q);
  double log_binomial = std::log(static_cast<double>(order));
  LogSum sum;
  for (int64_t k = 2; k <= order; ++k) {
    log_binomial += std::log(static_cast<double>(order - k + 1) / static_cast<double>(k));
    const double moment = static_cast<double>(k) * static_cast<double>(k - 1) * inverse_two_variance;
    sum.Add(log_binomial + static_cast<double>(k) * log_q + static_cast<double>(order - k) * log_rest +
            LogExpm1(moment));
  }
  return sum.log();
}

// The integrand of A - 1 for any order. With 1 + u for the ratio of densities, E[u] = 0; so A - 1 is the expectation of
// (1 + u)^order - 1 - order u, which is never negative.
class ExcessIntegrand {
 public:
  ExcessIntegrand(double q, double sigma, double order)
      : q_(q), sigma_(sigma), order_(order), log_q_(std::log(q)), half_shift_(0.5 / sigma) {}

  // Log of the integrand at z = sigma t against dt, without the factor 1 / sqrt(2 pi).
  double Log(double t) const { return -0.5 * t * t + LogExcess((t - half_shift_) / sigma_); }

 private:
  // log((1 + u)^order - 1 - order u) at u = q (e^x - 1).
  double LogExcess(double x) const {
    const double log_large = log_q_ + x;
    if (log_large > 600) {  // u itself would overflow; order u^1 against u^order is all that is left of the rest
      return order_ * log_large + std::log(-std::expm1(std::log(order_) + (1 - order_) * log_large));
    }
    const double u = x > 600 ? std::exp(log_large) : q_ * std::expm1(x);
    if (std::abs(order_ * u) < 0.25) return LogExcessSeries(u);
    const double log_power = order_ * std::log1p(u);
    if (u < 0) return std::log(std::max(0.0, std::exp(log_power) - 1 - order_ * u));
    return log_power + std::log(-std::expm1(std::log1p(order_ * u) - log_power));
  }

  // The binomial series from its quadratic term, for small u, where the closed form cancels.
  double LogExcessSeries(double u) const {
    if (u == 0) return -kInfinity;
    double term = order_ * (order_ - 1) / 2;
    double sum = term;
    for (int k = 3; std::abs(term) > 1e-18 * sum; ++k) {
      term *= (order_ - k + 1) / k * u;
      sum += term;
    }
    return 2 * std::log(std::abs(u)) + std::log(sum);
  }

  double q_;
  double sigma_;
  double order_;
  double log_q_;
  double half_shift_;
};

// log(A - 1) by the trapezoidal rule over the line, which converges exponentially for a function that is analytic in a
// strip around it. Here the strip is |Im t| < pi sigma, with its singularity above the point where both parts of the
// mixture are equally likely; a step of min(0.4, sigma / 2) keeps the error below e^-36.
double LogExcessFractional(double q, double sigma, double order) {
  const ExcessIntegrand integrand(q, sigma, order);
  // All modes lie between 0 and max(2, order) / sigma, none narrower than a standard normal.
  constexpr double kMargin = 12;
  constexpr double kNegligible = 45;  // e^-45
  std::vector<double> scan;
  for (double t = -kMargin; t <= std::max(2.0, order) / sigma + kMargin; t += 1) scan.push_back(integrand.Log(t));
  const double threshold = *std::max_element(scan.begin(), scan.end()) - kNegligible;
  const auto counts = [threshold](double log) { return log >= threshold; };
  const auto first = std::find_if(scan.begin(), scan.end(), counts);
  const auto behind_last = std::find_if(scan.rbegin(), scan.rend(), counts).base();
  const double begin = static_cast<double>(first - scan.begin()) - kMargin - 1;
  const double end = static_cast<double>(behind_last - scan.begin()) - kMargin;
  const double crossover = 0.5 / sigma + sigma * (std::log1p(-q) - std::log(q));
  const bool singularity_counts = begin <= crossover && crossover <= end;
  const double step = singularity_counts ? std::min(0.4, sigma / 2) : 0.4;
  LogSum sum;
  for (double t = begin; t <= end; t += step) sum.Add(integrand.Log(t));
  constexpr double kLogSqrtTwoPi = 0.91893853320467274178;
  return sum.log() + std::log(step) - kLogSqrtTwoPi;
}

// An upper bound of log A: Minkowski's inequality for the norm of a mixture. Tight to rounding for tiny sigma.
double LogMomentBound(double q, double inverse_two_variance, double order) {
  const double log_rest = std::log1p(-q);
  return order * (log_rest + LogOnePlusExp(std::log(q) - log_rest + (order - 1) * inverse_two_variance));
}

}  // namespace

double SubsampledGaussianRdp(const PoissonSubsampledGaussian& event, double order) {
  const double q = event.sampling_rate;
  const double sigma = event.noise_multiplier;
  if (q == 0) return 0;
  const double inverse_two_variance = 0.5 / sigma / sigma;
  if (!(inverse_two_variance < 1e290)) return kInfinity;
  if (q == 1) return order * inverse_two_variance;
  if (order == std::floor(order)) {
    return LogOnePlusExp(LogExcessInteger(q, inverse_two_variance, static_cast<int64_t>(order))) / (order - 1);
  }
  if (order > 1000 * sigma) return LogMomentBound(q, inverse_two_variance, order) / (order - 1);
  return LogOnePlusExp(LogExcessFractional(q, sigma, order)) / (order - 1);
}

}  // namespace tacit::accounting
