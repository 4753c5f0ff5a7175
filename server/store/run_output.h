#pragma once

#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "core/federation/plan.h"
#include "core/model_artifact.h"
#include "server/round/run_observer.h"

namespace tacit::coordinator {

// What a run leaves in its output folder: config.toml (as it took effect), metrics.jsonl (one line a round, as it
// ends), and at the end summary.json and model.tacit, each whole or not there. Not thread-safe: the coordinator calls
// it from one thread at a time.
class RunOutput final : public RunObserver {
 public:
  // `artifact` is the model that the run starts from. AlreadyExists when the folder holds a run and `overwrite` is
  // false; with it, that run's files are removed first. Errors of the file system name the path.
  static absl::StatusOr<std::unique_ptr<RunOutput>> Create(const std::string& folder, const Plan& plan,
                                                           ModelArtifact artifact, const std::string& config,
                                                           bool overwrite);

  void OnRound(const RoundReport& report, const ParameterVector& parameters) override;
  void OnDecline(const ClientId& client, const std::string& reason) override;
  void OnFinished(const absl::Status& outcome) override;

  // The first error in writing, if any.
  const absl::Status& status() const { return status_; }
  const std::string& folder() const { return folder_; }

 private:
  struct TrainerTotal {
    int64_t rounds = 0;
    int64_t steps = 0;
    std::optional<PrivacySpend> spend;
    std::optional<std::string> declined;
  };

  RunOutput(std::string folder, const Plan& plan, ModelArtifact artifact, const std::string& config);
  absl::Status WriteModel();
  absl::Status WriteSummary(const absl::Status& outcome);
  void Note(const absl::Status& status);

  std::string folder_;
  Plan plan_;
  ModelArtifact artifact_;
  std::string config_hash_;
  std::string started_;
  std::ofstream metrics_;
  absl::Status status_;

  bool secure_ = true;  // no trainer used predictable noise in any round
  int64_t rounds_ = 0;
  double seconds_ = 0;
  std::optional<ParameterVector> parameters_;
  std::optional<EvaluationSummary> evaluation_;
  std::string model_digest_;
  std::map<ClientId, TrainerTotal> totals_;
};

}  // namespace tacit::coordinator
