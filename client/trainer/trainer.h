#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "client/data/dataset.h"
#include "client/trainer/step.h"
#include "core/config/client_config.h"
#include "core/federation/plan.h"
#include "core/federation/task.h"
#include "core/federation/update.h"
#include "core/model_artifact.h"
#include "model/api/model_backend.h"
#include "optim/optimizer.h"
#include "privacy/dp/random_source.h"
#include "privacy/dp/training_plan.h"

namespace tacit::trainer {

// What a trainer gives back for a round.
struct TrainedRound {
  Update update;             // `change` is the digest of `change_bytes`
  std::string change_bytes;  // the blob: a serialized ParameterVector
};

// Trains on one data set, for whatever plans come while the process lives, within the data holder's budget. All that
// leaves it passes through TrainedRound. Not thread-safe.
class Trainer {
 public:
  // `backend` must outlive it. `random` is where sampling and noise of private training come from.
  Trainer(ClientId client, const config::ClientConfig& config, data::Dataset dataset,
          const model::ModelBackend& backend, std::unique_ptr<dp::RandomSource> random);
  ~Trainer();

  // Checks the plan against what the data holder allows and loads the model. The budget that earlier plans spent stays
  // spent. FailedPrecondition says what the data holder doesn't allow; InvalidArgument what is wrong with the data or
  // the plan; DataLoss what is wrong with the artifact. After an error no plan is in force.
  absl::Status Accept(const Plan& plan, const ModelArtifact& artifact);

  // One round of training from `parameters`. A round that was trained before comes back as it was, without spending
  // again. ResourceExhausted when the budget doesn't allow a single step; when it ends within the round, the round has
  // fewer steps. Cancelled when `stop` is asked for: what was spent stays spent, and nothing is released.
  absl::StatusOr<TrainedRound> Train(const TrainTask& task, const ParameterVector& parameters, std::stop_token stop);

 private:
  // Whether the data holder allows these terms, or training without privacy where there are none.
  absl::Status CheckAllowed(const Plan& plan) const;
  absl::Status OpenBudget(const PrivacyTerms& terms);
  absl::StatusOr<std::unique_ptr<Step>> MakeStep(const Plan& plan, const ModelArtifact& artifact);

  const ClientId client_;
  const config::ClientConfig config_;
  const data::Dataset dataset_;
  const model::ModelBackend& backend_;
  const std::unique_ptr<dp::RandomSource> random_;

  // Of the process, whatever the plan.
  std::optional<dp::BudgetAccount> budget_;

  // Of the plan in force.
  std::optional<Plan> plan_;
  std::optional<data::Dataset> examples_;  // shaped for the model
  std::unique_ptr<Step> step_;
  std::optional<TrainedRound> last_;
};

}  // namespace tacit::trainer
