#include "proto/codec/plan_codec.h"

#include <limits>

#include "core/status.h"
#include "proto/codec/checks.h"
#include "proto/codec/limits.h"

namespace tacit::wire {
namespace {

constexpr double kTiny = std::numeric_limits<double>::min();
constexpr double kHuge = 1e12;

void ToWire(const PrivacyTerms& terms, v1::PrivacyTerms& message) {
  message.set_relation(terms.relation == NeighbouringRelation::kAddOrRemoveOneExample
                           ? v1::NEIGHBOURING_RELATION_ADD_OR_REMOVE_ONE_EXAMPLE
                           : v1::NEIGHBOURING_RELATION_ADD_OR_REMOVE_ONE_CLIENT);
  message.set_epsilon(terms.epsilon);
  message.set_delta(terms.delta);
  message.set_sampling_rate(terms.sampling_rate);
  message.set_clip_norm(terms.clip_norm);
  message.set_noise_multiplier(terms.noise_multiplier);
  message.set_steps(terms.steps);
  message.set_accountant(terms.accountant);
}

absl::StatusOr<PrivacyTerms> FromWire(const v1::PrivacyTerms& message) {
  PrivacyTerms terms;
  switch (message.relation()) {
    case v1::NEIGHBOURING_RELATION_ADD_OR_REMOVE_ONE_EXAMPLE:
      terms.relation = NeighbouringRelation::kAddOrRemoveOneExample;
      break;
    case v1::NEIGHBOURING_RELATION_ADD_OR_REMOVE_ONE_CLIENT:
      terms.relation = NeighbouringRelation::kAddOrRemoveOneClient;
      break;
    default:
      return FieldError("plan.terms.relation", "is not a known neighbouring relation");
  }
  TACIT_RETURN_IF_ERROR(RangeField("plan.terms.epsilon", message.epsilon(), kTiny, kHuge));
  TACIT_RETURN_IF_ERROR(RangeField("plan.terms.delta", message.delta(), kTiny, 1));
  TACIT_RETURN_IF_ERROR(RangeField("plan.terms.sampling_rate", message.sampling_rate(), kTiny, 1));
  TACIT_RETURN_IF_ERROR(RangeField("plan.terms.clip_norm", message.clip_norm(), kTiny, kHuge));
  TACIT_RETURN_IF_ERROR(RangeField("plan.terms.noise_multiplier", message.noise_multiplier(), kTiny, kHuge));
  TACIT_RETURN_IF_ERROR(RangeField("plan.terms.steps", static_cast<double>(message.steps()), 1,
                                   static_cast<double>(kMaxRounds) * static_cast<double>(kMaxStepsPerRound)));
  if (message.accountant().empty() || message.accountant().size() > kMaxAccountantBytes) {
    return FieldError("plan.terms.accountant", "is empty or too long");
  }
  terms.epsilon = message.epsilon();
  terms.delta = message.delta();
  terms.sampling_rate = message.sampling_rate();
  terms.clip_norm = message.clip_norm();
  terms.noise_multiplier = message.noise_multiplier();
  terms.steps = message.steps();
  terms.accountant = message.accountant();
  return terms;
}

absl::StatusOr<config::OptimizerConfig> FromWire(const v1::Optimizer& message) {
  TACIT_RETURN_IF_ERROR(RangeField("plan.optimizer.learning_rate", message.learning_rate(), kTiny, kHuge));
  TACIT_RETURN_IF_ERROR(RangeField("plan.optimizer.momentum", message.momentum(), 0, 1));
  TACIT_RETURN_IF_ERROR(RangeField("plan.optimizer.weight_decay", message.weight_decay(), 0, 1));
  return config::OptimizerConfig{
      .learning_rate = message.learning_rate(), .momentum = message.momentum(), .weight_decay = message.weight_decay()};
}

}  // namespace

void ToWire(const Plan& plan, v1::Plan& message) {
  message.set_run(plan.run.str());
  message.set_incarnation(plan.incarnation);
  message.set_model_digest(plan.model.AsBytes());
  message.set_model_bytes(plan.model_bytes);
  message.set_rounds(plan.rounds);
  message.set_steps_per_round(plan.steps_per_round);
  message.set_sampling_rate(plan.sampling_rate);
  message.mutable_optimizer()->set_learning_rate(plan.optimizer.learning_rate);
  message.mutable_optimizer()->set_momentum(plan.optimizer.momentum);
  message.mutable_optimizer()->set_weight_decay(plan.optimizer.weight_decay);
  message.set_seed(plan.seed);
  if (plan.terms) {
    ToWire(*plan.terms, *message.mutable_terms());
  } else {
    message.mutable_none();
  }
}

absl::StatusOr<Plan> FromWire(const v1::Plan& message) {
  Plan plan;
  TACIT_ASSIGN_OR_RETURN(plan.run, IdField<RunId>("plan.run", message.run()));
  TACIT_RETURN_IF_ERROR(IdField<RunId>("plan.incarnation", message.incarnation()).status());
  plan.incarnation = message.incarnation();
  TACIT_ASSIGN_OR_RETURN(plan.model, DigestField("plan.model_digest", message.model_digest()));
  TACIT_RETURN_IF_ERROR(RangeField("plan.model_bytes", static_cast<double>(message.model_bytes()), 1,
                                   static_cast<double>(kMaxBlobBytes)));
  TACIT_RETURN_IF_ERROR(RangeField("plan.rounds", static_cast<double>(message.rounds()), 1, kMaxRounds));
  TACIT_RETURN_IF_ERROR(
      RangeField("plan.steps_per_round", static_cast<double>(message.steps_per_round()), 1, kMaxStepsPerRound));
  TACIT_RETURN_IF_ERROR(RangeField("plan.sampling_rate", message.sampling_rate(), kTiny, 1));
  plan.model_bytes = message.model_bytes();
  plan.rounds = message.rounds();
  plan.steps_per_round = message.steps_per_round();
  plan.sampling_rate = message.sampling_rate();
  TACIT_ASSIGN_OR_RETURN(plan.optimizer, FromWire(message.optimizer()));
  plan.seed = message.seed();
  switch (message.privacy_case()) {
    case v1::Plan::kTerms: {
      TACIT_ASSIGN_OR_RETURN(plan.terms, FromWire(message.terms()));
      break;
    }
    case v1::Plan::kNone:
      break;
    default:
      return FieldError("plan.privacy", "is missing: a plan must say whether training is private");
  }
  return plan;
}

}  // namespace tacit::wire
