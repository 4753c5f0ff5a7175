#include <gtest/gtest.h>

#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/random_stream.h"
#include "privacy/accounting/accountant.h"

namespace tacit::accounting {
namespace {

struct Case {
  double q;
  double sigma;
  int64_t steps;
  double delta;
};

double EpsilonOf(const Case& c) {
  const auto accountant = *MakeAccountant("rdp");
  EXPECT_TRUE(accountant->Add(PoissonSubsampledGaussian{c.q, c.sigma}, c.steps).ok());
  const absl::StatusOr<double> epsilon = accountant->Epsilon(c.delta);
  EXPECT_TRUE(epsilon.ok());
  return *epsilon;
}

double LogUniform(RandomStream& random, double low, double high) {
  return low * std::pow(high / low, random.NextUnit());
}

// One step at most this much below its neighbour may be rounding.
constexpr double kRounding = 1e-12;

// Over random inputs of every size, all reproducible: epsilon is a number >= 0, and grows with the sampling rate, the
// steps and 1 / delta, and falls with the noise.
TEST(AccountantProperties, EpsilonIsMonotone) {
  RandomStream random(20240229, "accountant properties");
  for (int i = 0; i < 500; ++i) {
    Case c;
    c.q = std::min(1.0, LogUniform(random, 1e-7, 2));
    c.sigma = LogUniform(random, 0.05, 50);
    c.steps = static_cast<int64_t>(LogUniform(random, 1, 1e6));
    c.delta = LogUniform(random, 1e-15, 0.99);
    const double epsilon = EpsilonOf(c);
    const auto description = [&] { return absl::StrCat(c.q, " ", c.sigma, " ", c.steps, " ", c.delta); };
    ASSERT_GE(epsilon, 0) << description();
    const double factor = 1 + LogUniform(random, 1e-6, 3);
    Case changed = c;
    changed.q = std::min(1.0, c.q * factor);
    EXPECT_GE(EpsilonOf(changed), epsilon * (1 - kRounding)) << description() << " q " << changed.q;
    changed = c;
    changed.sigma = c.sigma * factor;
    EXPECT_LE(EpsilonOf(changed), epsilon * (1 + kRounding)) << description() << " sigma " << changed.sigma;
    changed = c;
    changed.steps = c.steps + 1 + static_cast<int64_t>(random.NextBelow(1000));
    EXPECT_GE(EpsilonOf(changed), epsilon * (1 - kRounding)) << description() << " steps " << changed.steps;
    changed = c;
    changed.delta = std::min(1.0, c.delta * factor);
    EXPECT_LE(EpsilonOf(changed), epsilon * (1 + kRounding)) << description() << " delta " << changed.delta;
  }
}

// More events never lower epsilon, whatever they are and however they mix.
TEST(AccountantProperties, EpsilonNeverFallsAsEventsAreAdded) {
  RandomStream random(20240301, "accountant properties");
  for (int i = 0; i < 30; ++i) {
    const auto accountant = *MakeAccountant("rdp");
    double before = 0;
    for (int step = 0; step < 20; ++step) {
      const PoissonSubsampledGaussian event{random.NextUnit(), LogUniform(random, 0.3, 30)};
      ASSERT_TRUE(accountant->Add(event, static_cast<int64_t>(random.NextBelow(10))).ok());
      const double after = *accountant->Epsilon(1e-6);
      ASSERT_GE(after, before * (1 - kRounding));
      before = after;
    }
  }
}

}  // namespace
}  // namespace tacit::accounting
