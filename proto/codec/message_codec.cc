#include "proto/codec/message_codec.h"

#include <algorithm>
#include <limits>

#include "core/status.h"
#include "proto/codec/checks.h"
#include "proto/codec/limits.h"

namespace tacit::wire {
namespace {

constexpr double kTiny = std::numeric_limits<double>::min();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kMaxWeight = 1e15;

absl::StatusOr<RoundNumber> RoundField(int64_t round) {
  TACIT_RETURN_IF_ERROR(RangeField("round", static_cast<double>(round), 0, kMaxRounds));
  return round;
}

// What every answer of a client says first.
template <typename Message, typename Answer>
absl::Status ReadIdentity(const Message& message, Answer& answer) {
  TACIT_ASSIGN_OR_RETURN(answer.run, IdField<RunId>("run", message.run()));
  TACIT_ASSIGN_OR_RETURN(answer.client, IdField<ClientId>("client", message.client()));
  TACIT_RETURN_IF_ERROR(IdField<RunId>("incarnation", message.incarnation()).status());
  answer.incarnation = message.incarnation();
  return absl::OkStatus();
}

template <typename Answer, typename Message>
void WriteIdentity(const Answer& answer, Message& message) {
  message.set_run(answer.run.str());
  message.set_client(answer.client.str());
  message.set_incarnation(answer.incarnation);
}

absl::StatusOr<PrivacySpend> ReadSpend(const v1::PrivacySpend& message) {
  TACIT_RETURN_IF_ERROR(RangeField("spend.epsilon", message.epsilon(), 0, kMax));
  TACIT_RETURN_IF_ERROR(RangeField("spend.delta", message.delta(), 0, 1));
  if (message.accountant().empty() || message.accountant().size() > kMaxAccountantBytes) {
    return FieldError("spend.accountant", "is empty or too long");
  }
  return PrivacySpend{.epsilon = message.epsilon(),
                      .delta = message.delta(),
                      .accountant = CleanText(message.accountant()),
                      .secure_noise = message.secure_noise()};
}

// Bytes of the well-formed UTF-8 character that `text` begins with (RFC 3629, section 4), or 0.
size_t CharacterLength(absl::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return 1;
  const size_t length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xe0 && byte(1) < 0xa0) || (first == 0xf0 && byte(1) < 0x90);
  const bool no_character = (first == 0xed && byte(1) > 0x9f) || (first == 0xf4 && byte(1) > 0x8f);
  return overlong || no_character ? 0 : length;
}

bool IsControl(absl::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first < 0x20 || first == 0x7f;
  return first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0;
}

}  // namespace

std::string CleanText(absl::string_view text, size_t max_bytes) {
  std::string clean;
  while (!text.empty()) {
    const size_t length = CharacterLength(text);
    absl::string_view character = text.substr(0, std::max<size_t>(length, 1));
    text.remove_prefix(character.size());
    if (length == 0) {
      character = "?";
    } else if (IsControl(character)) {
      character = " ";
    }
    if (clean.size() + character.size() > max_bytes) break;
    absl::StrAppend(&clean, character);
  }
  return clean;
}

void SetVersion(v1::ProtocolVersion& version) {
  version.set_major(kProtocolMajor);
  version.set_minor(kProtocolMinor);
}

absl::Status CheckVersion(const v1::ProtocolVersion& version) {
  if (version.major() == kProtocolMajor) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("the other side speaks protocol version ", version.major(), ".",
                                                    version.minor(), ", this one ", kProtocolMajor, ".", kProtocolMinor,
                                                    "; install matching versions of Tacit"));
}

void ToWire(const ClientInfo& info, v1::Hello& message) {
  SetVersion(*message.mutable_version());
  message.set_client(info.client.str());
  message.set_trains(info.trains);
  message.set_evaluates(info.evaluates);
  message.set_software(info.software);
}

absl::StatusOr<ClientInfo> FromWire(const v1::Hello& message) {
  TACIT_RETURN_IF_ERROR(CheckVersion(message.version()));
  ClientInfo info;
  TACIT_ASSIGN_OR_RETURN(info.client, IdField<ClientId>("hello.client", message.client()));
  if (!message.trains() && !message.evaluates()) return FieldError("hello", "names no role");
  info.trains = message.trains();
  info.evaluates = message.evaluates();
  info.software = CleanText(message.software(), kMaxSoftwareBytes);
  return info;
}

void ToWire(const Task& task, v1::ServerMessage& message) {
  if (const auto* train = std::get_if<TrainTask>(&task)) {
    message.mutable_train()->set_round(train->round);
    message.mutable_train()->set_parameters_digest(train->parameters.AsBytes());
  } else if (const auto* evaluate = std::get_if<EvaluateTask>(&task)) {
    message.mutable_evaluate()->set_round(evaluate->round);
    message.mutable_evaluate()->set_parameters_digest(evaluate->parameters.AsBytes());
  } else {
    const absl::Status& outcome = std::get<FinishTask>(task).outcome;
    message.mutable_finish()->set_code(static_cast<uint32_t>(outcome.code()));
    message.mutable_finish()->set_reason(CleanText(outcome.message()));
  }
}

absl::StatusOr<TrainTask> FromWire(const v1::TrainTask& message) {
  TrainTask task;
  TACIT_ASSIGN_OR_RETURN(task.round, RoundField(message.round()));
  TACIT_ASSIGN_OR_RETURN(task.parameters, DigestField("train.parameters_digest", message.parameters_digest()));
  return task;
}

absl::StatusOr<EvaluateTask> FromWire(const v1::EvaluateTask& message) {
  EvaluateTask task;
  TACIT_ASSIGN_OR_RETURN(task.round, RoundField(message.round()));
  TACIT_ASSIGN_OR_RETURN(task.parameters, DigestField("evaluate.parameters_digest", message.parameters_digest()));
  return task;
}

FinishTask FromWire(const v1::FinishTask& message) {
  if (message.code() == 0) return {absl::OkStatus()};
  // A code that this version doesn't know still means that the run ended early.
  const bool known = message.code() <= static_cast<uint32_t>(absl::StatusCode::kUnauthenticated);
  const auto code = known ? static_cast<absl::StatusCode>(message.code()) : absl::StatusCode::kUnknown;
  return {absl::Status(code, CleanText(message.reason()))};
}

void ToWire(const Update& update, v1::Update& message) {
  WriteIdentity(update, message);
  message.set_round(update.round);
  message.set_change_digest(update.change.AsBytes());
  message.set_weight(update.weight);
  message.set_steps(update.steps);
  if (update.spend) {
    message.mutable_spend()->set_epsilon(update.spend->epsilon);
    message.mutable_spend()->set_delta(update.spend->delta);
    message.mutable_spend()->set_accountant(update.spend->accountant);
    message.mutable_spend()->set_secure_noise(update.spend->secure_noise);
  }
  if (update.training_loss) message.set_training_loss(*update.training_loss);
}

absl::StatusOr<Update> FromWire(const v1::Update& message) {
  Update update;
  TACIT_RETURN_IF_ERROR(ReadIdentity(message, update));
  TACIT_ASSIGN_OR_RETURN(update.round, RoundField(message.round()));
  TACIT_ASSIGN_OR_RETURN(update.change, DigestField("update.change_digest", message.change_digest()));
  TACIT_RETURN_IF_ERROR(RangeField("update.weight", message.weight(), kTiny, kMaxWeight));
  TACIT_RETURN_IF_ERROR(RangeField("update.steps", static_cast<double>(message.steps()), 0, kMaxStepsPerRound));
  update.weight = message.weight();
  update.steps = message.steps();
  if (message.has_spend()) {
    TACIT_ASSIGN_OR_RETURN(update.spend, ReadSpend(message.spend()));
  }
  if (message.has_training_loss()) {
    TACIT_RETURN_IF_ERROR(RangeField("update.training_loss", message.training_loss(), -kMax, kMax));
    update.training_loss = message.training_loss();
  }
  return update;
}

void ToWire(const Decline& decline, v1::Decline& message) {
  WriteIdentity(decline, message);
  message.set_reason(CleanText(decline.reason));
}

absl::StatusOr<Decline> FromWire(const v1::Decline& message) {
  Decline decline;
  TACIT_RETURN_IF_ERROR(ReadIdentity(message, decline));
  decline.reason = CleanText(message.reason());
  return decline;
}

void ToWire(const EvaluationReport& report, v1::EvaluationReport& message) {
  WriteIdentity(report, message);
  message.set_round(report.round);
  message.set_examples(report.examples);
  message.set_loss(report.loss);
  message.mutable_metrics()->insert(report.metrics.begin(), report.metrics.end());
}

absl::StatusOr<EvaluationReport> FromWire(const v1::EvaluationReport& message) {
  EvaluationReport report;
  TACIT_RETURN_IF_ERROR(ReadIdentity(message, report));
  TACIT_ASSIGN_OR_RETURN(report.round, RoundField(message.round()));
  TACIT_RETURN_IF_ERROR(RangeField("evaluation.examples", static_cast<double>(message.examples()), 1, kMaxWeight));
  report.examples = message.examples();
  report.loss = message.loss();  // may well be infinite: a model that diverged is worth reporting
  if (static_cast<size_t>(message.metrics_size()) > kMaxMetrics)
    return FieldError("evaluation.metrics", "has too many");
  for (const auto& [name, value] : message.metrics()) {
    TACIT_RETURN_IF_ERROR(IdField<RunId>("evaluation.metrics", name).status());
    report.metrics[name] = value;
  }
  return report;
}

}  // namespace tacit::wire
