#include "client/rpc/participant.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/log.h"
#include "core/status.h"

namespace tacit::rpc {
namespace {

std::unique_ptr<dp::RandomSource> MakeRandomSource(const config::ClientConfig& config) {
  if (!config.testing.insecure_test_noise_seed) return dp::MakeSecureRandomSource();
  return dp::MakeInsecureTestRandomSource(static_cast<uint64_t>(*config.testing.insecure_test_noise_seed), config.name);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Participant>> Participant::Create(const config::ClientConfig& config,
                                                                 const model::ModelBackend& backend) {
  std::unique_ptr<Participant> participant(new Participant(config, backend));
  TACIT_ASSIGN_OR_RETURN(participant->info_.client, ClientId::Create(config.name));
  participant->info_.trains = config.data.has_value();
  participant->info_.evaluates = config.evaluation.has_value();
  participant->info_.software = absl::StrCat("tacit ", TACIT_VERSION);
  if (config.data) {
    TACIT_ASSIGN_OR_RETURN(data::Dataset dataset, data::LoadDataset(*config.data));
    participant->trainer_ = std::make_unique<trainer::Trainer>(participant->info_.client, config, std::move(dataset),
                                                               backend, MakeRandomSource(config));
  }
  if (config.evaluation) {
    TACIT_ASSIGN_OR_RETURN(participant->evaluation_data_, data::LoadDataset(config.evaluation->data));
  }
  return participant;
}

absl::Status Participant::Accept(const Plan& plan, const ModelArtifact& artifact) {
  plan_.reset();
  TACIT_ASSIGN_OR_RETURN(schema_, artifact.TrainableSchema());
  if (trainer_ != nullptr) TACIT_RETURN_IF_ERROR(trainer_->Accept(plan, artifact));
  if (evaluation_data_) {
    evaluator_.reset();
    TACIT_ASSIGN_OR_RETURN(evaluator_, trainer::Evaluator::Create(artifact, *evaluation_data_, backend_));
  }
  plan_ = plan;
  return absl::OkStatus();
}

absl::StatusOr<trainer::TrainedRound> Participant::Train(const TrainTask& task, const ParameterVector& parameters,
                                                         std::stop_token stop) {
  if (trainer_ == nullptr) return absl::FailedPreconditionError("this client has no training data");
  return trainer_->Train(task, parameters, std::move(stop));
}

absl::StatusOr<EvaluationReport> Participant::Evaluate(const EvaluateTask& task, const ParameterVector& parameters,
                                                       std::stop_token stop) {
  if (!evaluator_) return absl::FailedPreconditionError("this client has no evaluation data");
  TACIT_ASSIGN_OR_RETURN(trainer::EvaluationResult result, evaluator_->Evaluate(parameters, std::move(stop)));
  EvaluationReport report;
  report.run = plan_->run;
  report.incarnation = plan_->incarnation;
  report.round = task.round;
  report.client = info_.client;
  report.examples = result.examples;
  report.loss = result.loss;
  report.metrics = std::move(result.metrics);
  return report;
}

}  // namespace tacit::rpc
