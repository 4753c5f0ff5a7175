#include "server/round/make_plan.h"

#include <openssl/rand.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "privacy/accounting/calibration.h"
#include "privacy/dp/training_plan.h"

namespace tacit::coordinator {
namespace {

absl::StatusOr<std::string> RandomName() {
  unsigned char bytes[16];
  if (RAND_bytes(bytes, sizeof(bytes)) != 1) return absl::InternalError("OpenSSL's random generator failed");
  return absl::BytesToHexString(std::string(reinterpret_cast<const char*>(bytes), sizeof(bytes)));
}

absl::StatusOr<PrivacyTerms> MakeTerms(const config::ServerConfig& config) {
  PrivacyTerms terms;
  terms.epsilon = *config.privacy.epsilon;
  terms.delta = *config.privacy.delta;
  terms.clip_norm = *config.privacy.clip_norm;
  terms.accountant = config.privacy.accountant;
  terms.sampling_rate = config.training.sampling_rate;
  terms.steps = config.training.rounds * config.training.steps_per_round;
  if (config.privacy.noise_multiplier) {
    terms.noise_multiplier = *config.privacy.noise_multiplier;
  } else {
    absl::StatusOr<double> noise = accounting::CalibrateNoiseMultiplier(terms.epsilon, terms.delta, terms.sampling_rate,
                                                                        terms.steps, terms.accountant);
    if (!noise.ok()) return absl::InvalidArgumentError(absl::StrCat("[privacy]: ", noise.status().message()));
    terms.noise_multiplier = *noise;
  }
  // The trainers will refuse terms that don't hold; better to hear of it before they are asked.
  absl::Status valid = dp::DpTrainingPlan::Create(terms, /*nominal_examples=*/1).status();
  if (!valid.ok()) return absl::InvalidArgumentError(absl::StrCat("[privacy]: ", valid.message()));
  return terms;
}

}  // namespace

absl::StatusOr<Plan> MakePlan(const config::ServerConfig& config, const std::string& artifact) {
  Plan plan;
  TACIT_ASSIGN_OR_RETURN(plan.run, RunId::Create(config.run));
  TACIT_ASSIGN_OR_RETURN(plan.incarnation, RandomName());
  plan.model = Digest::Of(artifact);
  plan.model_bytes = static_cast<int64_t>(artifact.size());
  plan.rounds = config.training.rounds;
  plan.steps_per_round = config.training.steps_per_round;
  plan.sampling_rate = config.training.sampling_rate;
  plan.optimizer = config.training.optimizer;
  plan.seed = static_cast<uint64_t>(config.seed);
  if (config.privacy.enabled()) {
    TACIT_ASSIGN_OR_RETURN(plan.terms, MakeTerms(config));
  }
  return plan;
}

}  // namespace tacit::coordinator
