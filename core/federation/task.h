#pragma once

#include <string>
#include <variant>

#include "absl/status/status.h"
#include "core/digest.h"
#include "core/ids.h"

namespace tacit {

// Train on your data from the parameters whose blob is `parameters`.
struct TrainTask {
  RoundNumber round = 0;
  Digest parameters;
};

// Evaluate these parameters, the result of round `round`, on your evaluation data.
struct EvaluateTask {
  RoundNumber round = 0;
  Digest parameters;
};

// The run is over; OK, or why it ended early.
struct FinishTask {
  absl::Status outcome;
};

using Task = std::variant<TrainTask, EvaluateTask, FinishTask>;

}  // namespace tacit
