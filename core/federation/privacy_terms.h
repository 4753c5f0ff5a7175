#pragma once

#include <cstdint>
#include <string>

namespace tacit {

// Which data sets count as neighbours: what the privacy guarantee hides.
enum class NeighbouringRelation {
  kAddOrRemoveOneExample,
  kAddOrRemoveOneClient,
};

// The privacy part of a plan: what a coordinator asks for and a trainer checks. Plain data; privacy/dp/training_plan.h
// gives it meaning.
struct PrivacyTerms {
  NeighbouringRelation relation = NeighbouringRelation::kAddOrRemoveOneExample;
  double epsilon = 0;           // budget of one trainer over the whole run; > 0
  double delta = 0;             // in (0, 1)
  double sampling_rate = 0;     // q of Poisson sampling; in (0, 1]
  double clip_norm = 0;         // C; > 0
  double noise_multiplier = 0;  // sigma; > 0: noise of standard deviation sigma * C on every coordinate of the sum
  int64_t steps = 0;            // over the whole run; >= 1
  std::string accountant = "rdp";
  friend bool operator==(const PrivacyTerms&, const PrivacyTerms&) = default;
};

}  // namespace tacit
