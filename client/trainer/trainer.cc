#include "client/trainer/trainer.h"

#include <numeric>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/trainer/examples_for.h"
#include "core/log.h"
#include "core/status.h"

namespace tacit::trainer {
namespace {

absl::Status CheckAll(const data::Dataset& examples, const Step& step) {
  std::vector<int64_t> rows(static_cast<size_t>(examples.size()));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  TACIT_ASSIGN_OR_RETURN(const model::Batch all, examples.Gather(rows));
  return step.Check(all);
}

}  // namespace

Trainer::Trainer(ClientId client, const config::ClientConfig& config, data::Dataset dataset,
                 const model::ModelBackend& backend, std::unique_ptr<dp::RandomSource> random)
    : client_(std::move(client)),
      config_(config),
      dataset_(std::move(dataset)),
      backend_(backend),
      random_(std::move(random)) {}

Trainer::~Trainer() = default;

absl::Status Trainer::CheckAllowed(const Plan& plan) const {
  if (!plan.terms) {
    if (config_.budget.allow_non_private) return absl::OkStatus();
    return absl::FailedPreconditionError(
        "the plan has no privacy, which this data holder does not allow (budget.allow_non_private = true would)");
  }
  const PrivacyTerms& terms = *plan.terms;
  if (terms.relation != NeighbouringRelation::kAddOrRemoveOneExample) {
    return absl::FailedPreconditionError("the plan protects clients, not examples; this trainer protects examples");
  }
  if (config_.budget.max_epsilon && terms.epsilon > *config_.budget.max_epsilon) {
    return absl::FailedPreconditionError(absl::StrCat("the plan asks for epsilon ", terms.epsilon,
                                                      ", this data holder allows ", *config_.budget.max_epsilon));
  }
  if (config_.budget.max_delta && terms.delta > *config_.budget.max_delta) {
    return absl::FailedPreconditionError(
        absl::StrCat("the plan asks for delta ", terms.delta, ", this data holder allows ", *config_.budget.max_delta));
  }
  if (!config_.data->nominal_examples) {
    return absl::FailedPreconditionError(
        "private training needs data.nominal_examples, a public figure for the number of examples");
  }
  if (terms.sampling_rate != plan.sampling_rate || terms.steps != plan.rounds * plan.steps_per_round) {
    return absl::FailedPreconditionError("the plan's terms account for another training than the plan asks for");
  }
  return absl::OkStatus();
}

absl::Status Trainer::OpenBudget(const PrivacyTerms& terms) {
  if (budget_) {
    if (budget_->delta() == terms.delta && budget_->accountant() == terms.accountant) return absl::OkStatus();
    return absl::FailedPreconditionError(
        absl::StrCat("this data's budget is kept at delta ", budget_->delta(), " by the accountant '",
                     budget_->accountant(), "', the plan wants delta ", terms.delta, " by '", terms.accountant, "'"));
  }
  // Without a maximum of the data holder's, the first plan's budget is all that this process will ever spend.
  const double epsilon = config_.budget.max_epsilon.value_or(terms.epsilon);
  TACIT_ASSIGN_OR_RETURN(budget_, dp::BudgetAccount::Create(epsilon, terms.delta, terms.accountant));
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Step>> Trainer::MakeStep(const Plan& plan, const ModelArtifact& artifact) {
  if (!plan.terms) {
    TACIT_ASSIGN_OR_RETURN(std::unique_ptr<model::Model> model, backend_.LoadModel(artifact));
    return MakeOrdinaryStep(std::move(model), plan.sampling_rate, plan.seed, client_);
  }
  TACIT_ASSIGN_OR_RETURN(dp::DpTrainingPlan training,
                         dp::DpTrainingPlan::Create(*plan.terms, static_cast<double>(*config_.data->nominal_examples)));
  TACIT_ASSIGN_OR_RETURN(std::unique_ptr<model::PerSampleGradients> gradients,
                         backend_.LoadPerSampleGradients(artifact, config_.gradients.backend));
  TACIT_RETURN_IF_ERROR(OpenBudget(*plan.terms));
  return MakePrivateStep(std::move(training), std::move(gradients), *budget_, *random_);
}

absl::Status Trainer::Accept(const Plan& plan, const ModelArtifact& artifact) {
  plan_.reset();
  step_.reset();
  last_.reset();
  TACIT_RETURN_IF_ERROR(CheckAllowed(plan));
  TACIT_ASSIGN_OR_RETURN(examples_, ExamplesFor(dataset_, artifact));
  TACIT_ASSIGN_OR_RETURN(std::unique_ptr<Step> step, MakeStep(plan, artifact));
  // Now, rather than in whichever round first draws the example that doesn't fit.
  TACIT_RETURN_IF_ERROR(CheckAll(*examples_, *step));
  step_ = std::move(step);
  if (plan.terms && !random_->IsSecure()) {
    Log(LogLevel::kWarning, "no_privacy_guarantee", {{"reason", "testing.insecure_test_noise_seed is set"}});
  }
  plan_ = plan;
  return absl::OkStatus();
}

absl::StatusOr<TrainedRound> Trainer::Train(const TrainTask& task, const ParameterVector& parameters,
                                            std::stop_token stop) {
  if (!plan_) return absl::FailedPreconditionError("no plan is in force");
  if (last_ && last_->update.round == task.round) return *last_;
  TACIT_ASSIGN_OR_RETURN(optim::Optimizer optimizer, optim::Optimizer::Create(plan_->optimizer));
  ParameterVector trained = parameters;
  step_->BeginRound(task.round);
  int64_t steps = 0;
  int64_t losses = 0;
  double loss_sum = 0;
  for (; steps < plan_->steps_per_round; ++steps) {
    if (stop.stop_requested()) return absl::CancelledError("training was stopped");
    absl::StatusOr<ParameterVector> gradient = step_->Gradient(*examples_, trained);
    if (absl::IsResourceExhausted(gradient.status()) && steps > 0) break;  // what was paid for is still worth having
    if (!gradient.ok()) return gradient.status();
    TACIT_RETURN_IF_ERROR(optimizer.Step(*gradient, trained));
    if (const std::optional<double> loss = step_->ReleasableLoss()) {
      loss_sum += *loss;
      ++losses;
    }
  }
  TrainedRound result;
  for (int64_t i = 0; i < trained.schema().size(); ++i) trained.mutable_values()[i] -= parameters.values()[i];
  result.change_bytes = trained.Serialize();
  Update& update = result.update;
  update.run = plan_->run;
  update.incarnation = plan_->incarnation;
  update.round = task.round;
  update.client = client_;
  update.change = Digest::Of(result.change_bytes);
  update.steps = steps;
  update.weight = static_cast<double>(plan_->terms ? *config_.data->nominal_examples : examples_->size());
  if (losses > 0) update.training_loss = loss_sum / static_cast<double>(losses);
  if (plan_->terms) {
    update.spend = PrivacySpend{.epsilon = budget_->epsilon_spent(),
                                .delta = budget_->delta(),
                                .accountant = budget_->accountant(),
                                .secure_noise = random_->IsSecure()};
  }
  last_ = result;
  return result;
}

}  // namespace tacit::trainer
