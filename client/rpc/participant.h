#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <variant>

#include "absl/status/statusor.h"
#include "client/trainer/evaluator.h"
#include "client/trainer/trainer.h"
#include "core/config/client_config.h"

namespace tacit::rpc {

// What one client can do for a run, whatever the connection: its data, its trainer, its evaluator. It outlives
// sessions, so that a reconnect finds everything as it was. Not thread-safe.
class Participant {
 public:
  // Reads the data. Errors as data::LoadDataset and Evaluator; `backend` must outlive it.
  static absl::StatusOr<std::unique_ptr<Participant>> Create(const config::ClientConfig& config,
                                                             const model::ModelBackend& backend);

  const ClientInfo& info() const { return info_; }
  bool HasPlan(const Plan& plan) const { return plan_ && plan_->incarnation == plan.incarnation; }
  // Errors as Trainer::Accept and Evaluator::Create.
  absl::Status Accept(const Plan& plan, const ModelArtifact& artifact);
  const Plan& plan() const { return *plan_; }
  // Of the accepted plan's model.
  const std::shared_ptr<const Schema>& schema() const { return schema_; }

  absl::StatusOr<trainer::TrainedRound> Train(const TrainTask& task, const ParameterVector& parameters,
                                              std::stop_token stop);
  absl::StatusOr<EvaluationReport> Evaluate(const EvaluateTask& task, const ParameterVector& parameters,
                                            std::stop_token stop);

 private:
  Participant(const config::ClientConfig& config, const model::ModelBackend& backend)
      : config_(config), backend_(backend) {}

  const config::ClientConfig config_;
  const model::ModelBackend& backend_;
  ClientInfo info_;
  std::unique_ptr<trainer::Trainer> trainer_;
  std::optional<data::Dataset> evaluation_data_;
  std::optional<trainer::Evaluator> evaluator_;
  std::optional<Plan> plan_;
  std::shared_ptr<const Schema> schema_;
};

}  // namespace tacit::rpc
