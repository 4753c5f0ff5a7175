#include "server/rpc/session.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/log.h"
#include "core/status.h"
#include "proto/codec/message_codec.h"
#include "proto/codec/plan_codec.h"

namespace tacit::rpc {
namespace {

// The name in the client's certificate, empty when it has none; nothing without TLS.
std::optional<std::string> CertificateName(const grpc::CallbackServerContext& context) {
  const auto auth = context.auth_context();
  const auto security = auth->FindPropertyValues("transport_security_type");
  if (security.empty() || security.front() != "ssl") return std::nullopt;
  const auto names = auth->FindPropertyValues("x509_common_name");
  return names.empty() ? "" : std::string(names.front().data(), names.front().size());
}

}  // namespace

grpc::Status ToGrpc(const absl::Status& status) {
  return grpc::Status(static_cast<grpc::StatusCode>(status.code()), std::string(status.message()));
}

class Session::Link final : public coordinator::ClientLink {
 public:
  explicit Link(Session* session) : session_(session) {}

  void Send(const Task& task) override {
    v1::ServerMessage message;
    wire::ToWire(task, message);
    absl::MutexLock lock(&mutex_);
    if (session_ != nullptr) session_->Enqueue(std::move(message));
  }
  void SendReceipt(RoundNumber round) override {
    v1::ServerMessage message;
    message.mutable_receipt()->set_round(round);
    absl::MutexLock lock(&mutex_);
    if (session_ != nullptr) session_->Enqueue(std::move(message));
  }
  void SendRefusal(RoundNumber round, const std::string& reason) override {
    v1::ServerMessage message;
    message.mutable_refusal()->set_round(round);
    message.mutable_refusal()->set_reason(wire::CleanText(reason));
    absl::MutexLock lock(&mutex_);
    if (session_ != nullptr) session_->Enqueue(std::move(message));
  }
  void Close(const absl::Status& reason) override {
    absl::MutexLock lock(&mutex_);
    if (session_ != nullptr) session_->End(reason);
  }
  // The call is gone; nothing reaches it any more.
  void Cut() {
    absl::MutexLock lock(&mutex_);
    session_ = nullptr;
  }

 private:
  absl::Mutex mutex_;
  Session* session_ ABSL_GUARDED_BY(mutex_);
};

Session::Session(const grpc::CallbackServerContext& context, coordinator::Coordinator& coordinator,
                 SessionRegistry& sessions)
    : coordinator_(coordinator),
      sessions_(sessions),
      certificate_name_(CertificateName(context)),
      peer_(context.peer()),
      link_(std::make_shared<Link>(this)) {
  StartRead(&incoming_);
}

void Session::OnReadDone(bool ok) {
  if (!ok) {
    // The client has nothing more to say: it has left, or the connection broke.
    End(absl::OkStatus());
    return;
  }
  Receive(incoming_);
  incoming_.Clear();
  absl::MutexLock lock(&mutex_);
  if (!ending_) StartRead(&incoming_);
}

void Session::Receive(const v1::ClientMessage& message) {
  const absl::Status handled = client_ ? Dispatch(message) : Welcome(message.hello());
  if (handled.ok()) return;
  Log(LogLevel::kWarning, "session_refused",
      {{"peer", peer_}, {"client", client_ ? client_->str() : ""}, {"reason", handled.message()}});
  End(handled);
}

absl::Status Session::Welcome(const v1::Hello& message) {
  TACIT_ASSIGN_OR_RETURN(const ClientInfo info, wire::FromWire(message));
  if (certificate_name_ && *certificate_name_ != info.client.str()) {
    return absl::PermissionDeniedError(absl::StrCat("the client calls itself '", info.client.str(),
                                                    "' but its certificate is for '",
                                                    wire::CleanText(*certificate_name_), "'"));
  }
  TACIT_ASSIGN_OR_RETURN(token_, sessions_.Open(info.client));
  v1::ServerMessage answer;
  wire::SetVersion(*answer.mutable_welcome()->mutable_version());
  wire::ToWire(coordinator_.plan(), *answer.mutable_welcome()->mutable_plan());
  answer.mutable_welcome()->set_session_token(token_);
  Enqueue(std::move(answer));
  client_ = info.client;
  return coordinator_.Join(info, link_);
}

absl::Status Session::Dispatch(const v1::ClientMessage& message) {
  switch (message.kind_case()) {
    case v1::ClientMessage::kUpdate: {
      SubmitUpdate(message.update());
      return absl::OkStatus();
    }
    case v1::ClientMessage::kEvaluation: {
      TACIT_ASSIGN_OR_RETURN(EvaluationReport report, wire::FromWire(message.evaluation()));
      report.client = *client_;
      coordinator_.Submit(report);
      return absl::OkStatus();
    }
    case v1::ClientMessage::kDecline: {
      TACIT_ASSIGN_OR_RETURN(Decline decline, wire::FromWire(message.decline()));
      decline.client = *client_;
      coordinator_.Submit(decline);
      return absl::OkStatus();
    }
    case v1::ClientMessage::kHello:
      return absl::InvalidArgumentError("the session said hello before");
    case v1::ClientMessage::KIND_NOT_SET:
      return absl::OkStatus();  // a kind that a later minor version added
  }
  return absl::OkStatus();
}

void Session::SubmitUpdate(const v1::Update& message) {
  absl::StatusOr<Update> update = wire::FromWire(message);
  if (!update.ok()) {
    const std::string reason(update.status().message());
    const Plan& plan = coordinator_.plan();
    if (message.run() == plan.run.str() && message.incarnation() == plan.incarnation) {
      coordinator_.SubmitUnreadable(*client_, message.round(), reason);
    } else {
      link_->SendRefusal(message.round(), reason);
    }
    return;
  }
  update->client = *client_;  // whoever the message claims to be from
  absl::StatusOr<std::string> bytes = sessions_.Finish(*client_, update->change);
  if (!bytes.ok()) return coordinator_.Submit(*update, bytes.status());
  coordinator_.Submit(*update, ParameterVector::Parse(coordinator_.schema(), *bytes));
}

void Session::Enqueue(v1::ServerMessage message) {
  absl::MutexLock lock(&mutex_);
  if (ending_) return;
  outgoing_.push_back(std::move(message));
  if (!writing_) WriteNext();
}

void Session::End(const absl::Status& status) {
  absl::MutexLock lock(&mutex_);
  if (ending_) return;
  ending_ = status;
  if (!writing_) WriteNext();
}

void Session::WriteNext() {
  if (finished_) return;
  if (!outgoing_.empty()) {
    writing_ = true;
    StartWrite(&outgoing_.front());
  } else if (ending_) {
    finished_ = true;
    Finish(ToGrpc(*ending_));
  }
}

void Session::OnWriteDone(bool ok) {
  absl::MutexLock lock(&mutex_);
  writing_ = false;
  outgoing_.pop_front();
  if (!ok) {
    outgoing_.clear();
    if (!ending_) ending_ = absl::UnavailableError("the connection broke");
  }
  WriteNext();
}

void Session::OnCancel() { End(absl::CancelledError("the connection broke")); }

void Session::OnDone() {
  link_->Cut();
  if (client_) coordinator_.Disconnect(*client_, link_.get());
  if (!token_.empty()) sessions_.Close(token_);
  delete this;
}

}  // namespace tacit::rpc
