#include "server/store/run_output.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/log.h"
#include "core/status.h"
#include "privacy/dp/bounded_sum.h"

namespace tacit::coordinator {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kConfigFile = "config.toml";
constexpr const char* kMetricsFile = "metrics.jsonl";
constexpr const char* kSummaryFile = "summary.json";
constexpr const char* kModelFile = "model.tacit";

std::string In(const std::string& folder, const char* file) { return (std::filesystem::path(folder) / file).string(); }

// Never throws: what is not UTF-8 is replaced.
std::string Text(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

Json EvaluationJson(const EvaluationSummary& evaluation) {
  Json json{{"loss", evaluation.loss}};
  for (const auto& [name, value] : evaluation.metrics) json[name] = value;
  json["examples"] = evaluation.examples;
  return json;
}

void AddSpend(const std::optional<PrivacySpend>& spend, Json& json) {
  if (!spend) return;
  json["epsilon"] = spend->epsilon;
  json["delta"] = spend->delta;
  json["accountant"] = spend->accountant;
  json["secure_noise"] = spend->secure_noise;
}

Json PrivacyJson(const std::optional<PrivacyTerms>& terms, bool secure) {
  if (!terms) return {{"mode", "none"}, {"statement", "Trained without differential privacy."}};
  const std::string statement =
      secure ? absl::StrCat("Every trainer's update stream is (", terms->epsilon, ", ", terms->delta,
                            ")-differentially private: ", dp::Describe(terms->relation), " of that trainer's data.")
             : "NO GUARANTEE: at least one trainer used predictable test noise.";
  return {{"mode", "example-level"},
          {"statement", statement},
          {"neighbouring_relation", dp::Describe(terms->relation)},
          {"epsilon_budget", terms->epsilon},
          {"delta", terms->delta},
          {"accountant", terms->accountant},
          {"sampling", "poisson"},
          {"sampling_rate", terms->sampling_rate},
          {"clip_norm", terms->clip_norm},
          {"noise_multiplier", terms->noise_multiplier},
          {"steps", terms->steps}};
}

}  // namespace

absl::StatusOr<std::unique_ptr<RunOutput>> RunOutput::Create(const std::string& folder, const Plan& plan,
                                                             ModelArtifact artifact, const std::string& config,
                                                             bool overwrite) {
  TACIT_RETURN_IF_ERROR(MakeFolders(folder));
  for (const char* file : {kConfigFile, kMetricsFile, kSummaryFile, kModelFile}) {
    const std::string path = In(folder, file);
    std::error_code error;
    if (!std::filesystem::exists(path, error)) continue;
    if (!overwrite) {
      return absl::AlreadyExistsError(
          absl::StrCat(path, ": the folder holds an earlier run; choose another output or pass --overwrite"));
    }
    if (!std::filesystem::remove(path, error)) {
      return absl::DataLossError(absl::StrCat(path, ": cannot remove: ", error.message()));
    }
  }
  TACIT_RETURN_IF_ERROR(WriteFileAtomically(In(folder, kConfigFile), config));
  std::unique_ptr<RunOutput> output(new RunOutput(folder, plan, std::move(artifact), config));
  if (!output->metrics_) return absl::DataLossError(absl::StrCat(In(folder, kMetricsFile), ": cannot write"));
  return output;
}

RunOutput::RunOutput(std::string folder, const Plan& plan, ModelArtifact artifact, const std::string& config)
    : folder_(std::move(folder)),
      plan_(plan),
      artifact_(std::move(artifact)),
      config_hash_(Digest::Of(config).hex()),
      started_(UtcTimestamp()),
      metrics_(In(folder_, kMetricsFile)) {}

void RunOutput::Note(const absl::Status& status) {
  if (status.ok()) return;
  Log(LogLevel::kError, "output_failed", {{"reason", status.message()}});
  if (status_.ok()) status_ = status;
}

void RunOutput::OnRound(const RoundReport& report, const ParameterVector& parameters) {
  ++rounds_;
  seconds_ += report.seconds;
  parameters_ = parameters;
  if (report.evaluation) evaluation_ = report.evaluation;
  Json line{{"round", report.round}, {"seconds", report.seconds}, {"updates", report.trainers.size()}};
  if (report.training_loss) line["training_loss"] = *report.training_loss;
  if (report.evaluation) line["evaluation"] = EvaluationJson(*report.evaluation);
  line["trainers"] = Json::array();
  for (const TrainerReport& trainer : report.trainers) {
    TrainerTotal& total = totals_[trainer.client];
    ++total.rounds;
    total.steps += trainer.steps;
    total.spend = trainer.spend;
    if (trainer.spend && !trainer.spend->secure_noise) secure_ = false;
    Json entry{{"name", trainer.client.str()}, {"steps", trainer.steps}};
    AddSpend(trainer.spend, entry);
    line["trainers"].push_back(std::move(entry));
  }
  if (!(metrics_ << Text(line) << '\n' << std::flush)) {
    Note(absl::DataLossError(absl::StrCat(In(folder_, kMetricsFile), ": cannot write")));
  }
}

void RunOutput::OnDecline(const ClientId& client, const std::string& reason) { totals_[client].declined = reason; }

void RunOutput::OnFinished(const absl::Status& outcome) {
  Note(WriteModel());
  Note(WriteSummary(outcome));
}

absl::Status RunOutput::WriteModel() {
  if (!parameters_) return absl::OkStatus();  // no round was done: the model is the one that the run started from
  TACIT_RETURN_IF_ERROR(artifact_.SetTrainableParameters(*parameters_));
  TACIT_ASSIGN_OR_RETURN(const std::string bytes, SerializeArtifact(artifact_));
  TACIT_RETURN_IF_ERROR(WriteFileAtomically(In(folder_, kModelFile), bytes));
  model_digest_ = Digest::Of(bytes).hex();
  return absl::OkStatus();
}

absl::Status RunOutput::WriteSummary(const absl::Status& outcome) {
  Json trainers = Json::array();
  for (const auto& [client, total] : totals_) {
    Json entry{{"name", client.str()}, {"rounds", total.rounds}, {"steps", total.steps}};
    AddSpend(total.spend, entry);
    if (total.declined) entry["declined"] = *total.declined;
    trainers.push_back(std::move(entry));
  }
  Json summary{{"run", plan_.run.str()}, {"outcome", outcome.ok() ? "complete" : "ended early"}};
  if (!outcome.ok()) summary["reason"] = std::string(outcome.message());
  summary["started"] = started_;
  summary["finished"] = UtcTimestamp();
  summary["training_seconds"] = seconds_;
  summary["rounds"] = rounds_;
  summary["rounds_planned"] = plan_.rounds;
  if (evaluation_) summary["evaluation"] = EvaluationJson(*evaluation_);
  summary["privacy"] = PrivacyJson(plan_.terms, secure_);
  summary["trainers"] = std::move(trainers);
  summary["config_sha256"] = config_hash_;
  summary["initial_model_sha256"] = plan_.model.hex();
  if (!model_digest_.empty()) summary["model_sha256"] = model_digest_;
  summary["tacit_version"] = TACIT_VERSION;
  return WriteFileAtomically(In(folder_, kSummaryFile), Text(summary, 2) + "\n");
}

}  // namespace tacit::coordinator
