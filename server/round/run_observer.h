#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/federation/update.h"
#include "core/parameter_vector.h"

namespace tacit::coordinator {

struct TrainerReport {
  ClientId client;
  int64_t steps = 0;  // in this round
  std::optional<PrivacySpend> spend;
};

// Means over all evaluators' examples.
struct EvaluationSummary {
  int64_t examples = 0;
  double loss = 0;
  std::map<std::string, double> metrics;
};

struct RoundReport {
  RoundNumber round = 0;
  double seconds = 0;
  std::vector<TrainerReport> trainers;  // whose update was taken, by name
  std::optional<double> training_loss;  // weighted mean; only without privacy
  std::optional<EvaluationSummary> evaluation;
};

// Hears what happens in a run, in order, from one thread at a time. Must not call the coordinator back.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  virtual void OnWaiting(int64_t /*trainers*/, int64_t /*wanted*/) {}
  // After the round's result is final; `parameters` are the model's from now on.
  virtual void OnRound(const RoundReport& report, const ParameterVector& parameters) = 0;
  virtual void OnDecline(const ClientId& /*client*/, const std::string& /*reason*/) {}
  // Once, at the end; OK when every round was done.
  virtual void OnFinished(const absl::Status& outcome) = 0;
};

}  // namespace tacit::coordinator
