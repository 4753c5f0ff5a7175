#pragma once

#include <grpcpp/grpcpp.h>

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/synchronization/mutex.h"
#include "server/round/coordinator.h"
#include "server/rpc/session_registry.h"
#include "tacit/v1/federation.pb.h"

namespace tacit::rpc {

// One client's Session call, on gRPC's callback threads. It deletes itself when the call is done.
//
// Reads go to the coordinator one after the other; what the coordinator sends waits in a queue until the stream is
// free. The coordinator holds the Link, which outlives the call, so that neither has to wait for the other.
class Session final : public grpc::ServerBidiReactor<v1::ClientMessage, v1::ServerMessage> {
 public:
  Session(const grpc::CallbackServerContext& context, coordinator::Coordinator& coordinator, SessionRegistry& sessions);

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

 private:
  class Link;

  void Receive(const v1::ClientMessage& message);
  absl::Status Welcome(const v1::Hello& message);
  absl::Status Dispatch(const v1::ClientMessage& message);
  void SubmitUpdate(const v1::Update& message);
  // Ends the call with `status` once what was sent before has gone out.
  void End(const absl::Status& status) ABSL_LOCKS_EXCLUDED(mutex_);
  void Enqueue(v1::ServerMessage message) ABSL_LOCKS_EXCLUDED(mutex_);
  void WriteNext() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  coordinator::Coordinator& coordinator_;
  SessionRegistry& sessions_;
  const std::optional<std::string> certificate_name_;  // under TLS
  const std::string peer_;
  std::optional<ClientId> client_;  // after Hello
  std::string token_;
  std::shared_ptr<Link> link_;
  v1::ClientMessage incoming_;

  absl::Mutex mutex_;
  std::deque<v1::ServerMessage> outgoing_ ABSL_GUARDED_BY(mutex_);
  bool writing_ ABSL_GUARDED_BY(mutex_) = false;
  bool finished_ ABSL_GUARDED_BY(mutex_) = false;
  std::optional<absl::Status> ending_ ABSL_GUARDED_BY(mutex_);
};

// absl and gRPC have the same codes.
grpc::Status ToGrpc(const absl::Status& status);

}  // namespace tacit::rpc
