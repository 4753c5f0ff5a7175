#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/config/experiment_config.h"
#include "server/round/run_observer.h"

namespace tacit::experiment {

// Shows a run on stdout: a bar on a terminal, lines elsewhere, and the table at the end.
class Progress final : public coordinator::RunObserver {
 public:
  Progress(const config::ExperimentConfig& config, bool terminal);

  void OnWaiting(int64_t trainers, int64_t wanted) override;
  void OnRound(const coordinator::RoundReport& report, const ParameterVector& parameters) override;
  void OnFinished(const absl::Status& outcome) override;

  // Rounds, trainers, and where the results are; after the run.
  std::string Table(const std::string& output) const;

 private:
  std::string RoundsTable() const;
  std::string TrainersTable() const;

  const config::ExperimentConfig config_;
  const bool terminal_;
  bool bar_shown_ = false;
  std::vector<coordinator::RoundReport> rounds_;
};

}  // namespace tacit::experiment
