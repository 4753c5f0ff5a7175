#include "client/rpc/client_session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "client/rpc/channel.h"
#include "core/log.h"
#include "core/status.h"
#include "proto/codec/message_codec.h"
#include "proto/codec/plan_codec.h"

namespace tacit::rpc {

ClientSession::ClientSession(v1::Federation::StubInterface& stub, Participant& participant, std::stop_token stop)
    : stub_(stub), participant_(participant), stop_(std::move(stop)) {}

ClientSession::~ClientSession() {
  context_.TryCancel();
  if (reader_.joinable()) reader_.join();
}

void ClientSession::ReadAll() {
  v1::ServerMessage message;
  while (stream_->Read(&message)) {
    if (message.has_finish()) task_stop_.request_stop();
    const std::lock_guard lock(mutex_);
    inbox_.push_back(std::move(message));
    arrived_.notify_one();
  }
  const std::lock_guard lock(mutex_);
  ended_ = true;
  arrived_.notify_one();
}

std::optional<v1::ServerMessage> ClientSession::Next() {
  std::unique_lock lock(mutex_);
  arrived_.wait(lock, [this] { return ended_ || !inbox_.empty(); });
  if (inbox_.empty()) return std::nullopt;
  v1::ServerMessage message = std::move(inbox_.front());
  inbox_.pop_front();
  return message;
}

absl::Status ClientSession::Send(const v1::ClientMessage& message) {
  if (stream_->Write(message)) return absl::OkStatus();
  std::unique_lock lock(mutex_);  // the call is over: its end is on the way, and with it the reason
  arrived_.wait(lock, [this] { return ended_; });
  return absl::UnavailableError("the connection broke");
}

void ClientSession::Drain() {
  stream_->WritesDone();
  while (Next()) {
  }
}

absl::Status ClientSession::EndOfStream() {
  {
    // A call that the coordinator has ended must not be cancelled: that would hide the status that it ended with.
    const std::lock_guard lock(mutex_);
    if (!ended_) context_.TryCancel();
  }
  if (reader_.joinable()) reader_.join();
  const absl::Status status = FromGrpc(stream_->Finish());
  if (stop_.stop_requested()) return absl::CancelledError("the client was stopped");
  switch (status.code()) {
    case absl::StatusCode::kInvalidArgument:
    case absl::StatusCode::kPermissionDenied:
    case absl::StatusCode::kUnauthenticated:
    case absl::StatusCode::kFailedPrecondition:
    case absl::StatusCode::kAborted:
      // A refusal, whichever way it was put, is a refusal.
      return absl::FailedPreconditionError(absl::StrCat("the coordinator refused: ", status.message()));
    case absl::StatusCode::kUnimplemented:
      return absl::FailedPreconditionError("the server is no Tacit coordinator, or one of another protocol version");
    default:
      return absl::UnavailableError(status.ok() ? "the coordinator closed the connection"
                                                : absl::StrCat("the connection broke: ", status.message()));
  }
}

// A run that was stopped on purpose ends its clients as if they had been; any other end is the run's failure.
absl::Status ClientSession::EndOfRun(const FinishTask& finish) {
  if (finish.outcome.ok()) return absl::OkStatus();
  const std::string text = absl::StrCat("the run ended early: ", finish.outcome.message());
  absl::Status outcome =
      absl::IsCancelled(finish.outcome) ? absl::CancelledError(text) : absl::FailedPreconditionError(text);
  outcome.SetPayload(kRunEndedPayload, absl::Cord());
  return outcome;
}

absl::Status ClientSession::Run() {
  const std::stop_callback cancel(stop_, [this] {
    task_stop_.request_stop();
    context_.TryCancel();
  });
  stream_ = stub_.Session(&context_);
  reader_ = std::jthread([this] { ReadAll(); });
  TACIT_RETURN_IF_ERROR(Hello());
  while (std::optional<v1::ServerMessage> message = Next()) {
    if (message->has_finish()) {
      Drain();
      return EndOfRun(wire::FromWire(message->finish()));
    }
    const absl::Status handled = Handle(*message);
    if (stop_.stop_requested()) break;
    // The stream's own status says more; a blob call of a session that has ended counts as unauthenticated.
    if (absl::IsUnavailable(handled) || absl::IsUnauthenticated(handled)) break;
    TACIT_RETURN_IF_ERROR(handled);
  }
  return EndOfStream();
}

absl::Status ClientSession::Hello() {
  v1::ClientMessage hello;
  wire::ToWire(participant_.info(), *hello.mutable_hello());
  if (!Send(hello).ok()) return EndOfStream();
  return absl::OkStatus();
}

absl::Status ClientSession::Handle(const v1::ServerMessage& message) {
  if (message.has_welcome()) {
    TACIT_RETURN_IF_ERROR(wire::CheckVersion(message.welcome().version()));
    blobs_ = std::make_unique<BlobClient>(stub_, message.welcome().session_token(), stop_);
    return TakePlan(message.welcome().plan());
  }
  if (blobs_ == nullptr) return absl::FailedPreconditionError("the coordinator sent a task before its welcome");
  if (message.has_train()) {
    TACIT_ASSIGN_OR_RETURN(const TrainTask task, wire::FromWire(message.train()));
    return Train(task);
  }
  if (message.has_evaluate()) {
    TACIT_ASSIGN_OR_RETURN(const EvaluateTask task, wire::FromWire(message.evaluate()));
    return Evaluate(task);
  }
  if (message.has_refusal()) {
    Log(LogLevel::kWarning, "update_refused",
        {{"round", message.refusal().round()}, {"reason", wire::CleanText(message.refusal().reason())}});
  } else if (message.has_receipt()) {
    Log(LogLevel::kDebug, "update_received", {{"round", message.receipt().round()}});
  }  // else a kind that a later minor version added
  return absl::OkStatus();
}

absl::Status ClientSession::TakePlan(const v1::Plan& message) {
  TACIT_ASSIGN_OR_RETURN(plan_, wire::FromWire(message));
  if (participant_.HasPlan(*plan_)) return absl::OkStatus();  // we were here before
  TACIT_ASSIGN_OR_RETURN(const std::string bytes,
                         blobs_->Fetch(plan_->model, static_cast<uint64_t>(plan_->model_bytes)));
  absl::StatusOr<ModelArtifact> artifact = ParseArtifact(bytes);
  const absl::Status accepted = artifact.ok() ? participant_.Accept(*plan_, *artifact) : artifact.status();
  if (accepted.ok()) return absl::OkStatus();
  return SendDecline(accepted);
}

absl::Status ClientSession::SendDecline(const absl::Status& reason) {
  // Refusals by policy or budget follow from the plan and the config; any other error may quote the data, which is for
  // the data holder's eyes alone.
  const bool says_nothing_of_data = absl::IsFailedPrecondition(reason) || absl::IsResourceExhausted(reason);
  v1::ClientMessage message;
  Decline decline;
  decline.run = plan_->run;
  decline.incarnation = plan_->incarnation;
  decline.client = participant_.info().client;
  decline.reason = says_nothing_of_data ? std::string(reason.message())
                                        : "its data or its model cannot be used; its own log says why";
  wire::ToWire(decline, *message.mutable_decline());
  TACIT_RETURN_IF_ERROR(Send(message));
  // The coordinator has read it once it ends the call in turn.
  Drain();
  return reason;
}

absl::StatusOr<ParameterVector> ClientSession::FetchParameters(const Digest& digest) {
  TACIT_ASSIGN_OR_RETURN(const std::string bytes,
                         blobs_->Fetch(digest, ParameterVector::SerializedSize(*participant_.schema())));
  return ParameterVector::Parse(participant_.schema(), bytes);
}

absl::Status ClientSession::Train(const TrainTask& task) {
  const absl::StatusOr<ParameterVector> parameters = FetchParameters(task.parameters);
  if (absl::IsNotFound(parameters.status())) return absl::OkStatus();  // the round has closed meanwhile
  TACIT_RETURN_IF_ERROR(parameters.status());
  absl::StatusOr<trainer::TrainedRound> round = participant_.Train(task, *parameters, task_stop_.get_token());
  if (absl::IsCancelled(round.status())) return absl::OkStatus();  // the run is over; its end is in the inbox
  if (!round.ok()) return SendDecline(round.status());
  TACIT_RETURN_IF_ERROR(blobs_->Put(round->update.change, round->change_bytes));
  v1::ClientMessage message;
  wire::ToWire(round->update, *message.mutable_update());
  TACIT_RETURN_IF_ERROR(Send(message));
  if (round->update.spend) {
    Log(LogLevel::kInfo, "round_trained",
        {{"round", task.round},
         {"steps", round->update.steps},
         {"epsilon_spent", round->update.spend->epsilon},
         {"delta", round->update.spend->delta},
         {"accountant", round->update.spend->accountant}});
  } else {
    Log(LogLevel::kInfo, "round_trained", {{"round", task.round}, {"steps", round->update.steps}, {"privacy", "none"}});
  }
  return absl::OkStatus();
}

absl::Status ClientSession::Evaluate(const EvaluateTask& task) {
  const absl::StatusOr<ParameterVector> parameters = FetchParameters(task.parameters);
  if (absl::IsNotFound(parameters.status())) return absl::OkStatus();
  TACIT_RETURN_IF_ERROR(parameters.status());
  absl::StatusOr<EvaluationReport> report = participant_.Evaluate(task, *parameters, task_stop_.get_token());
  if (absl::IsCancelled(report.status())) return absl::OkStatus();
  TACIT_RETURN_IF_ERROR(report.status());
  v1::ClientMessage message;
  wire::ToWire(*report, *message.mutable_evaluation());
  return Send(message);
}

}  // namespace tacit::rpc
