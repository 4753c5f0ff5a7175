#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/config/sections.h"
#include "core/digest.h"
#include "core/federation/privacy_terms.h"
#include "core/ids.h"

namespace tacit {

// What the coordinator asks of every trainer for the whole run.
struct Plan {
  RunId run;
  std::string incarnation;  // differs for every start of a coordinator, so that a rerun is not taken for the same run
  Digest model;             // of the model artifact
  int64_t model_bytes = 0;  // its size
  int64_t rounds = 0;
  int64_t steps_per_round = 0;
  double sampling_rate = 0;
  config::OptimizerConfig optimizer;
  std::optional<PrivacyTerms> terms;  // absent: training without privacy
  uint64_t seed = 0;                  // of what need not be secret
};

}  // namespace tacit
