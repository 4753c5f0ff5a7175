#pragma once

#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

#include "absl/status/statusor.h"
#include "client/rpc/blob_client.h"
#include "client/rpc/participant.h"
#include "tacit/v1/federation.grpc.pb.h"

namespace tacit::rpc {

// Marks the status of a client that itself did nothing wrong: the run ended early.
inline constexpr absl::string_view kRunEndedPayload = "tacit/run-ended";

// One connection's worth of work: says hello, takes on tasks until the run or the connection ends.
class ClientSession {
 public:
  // `stub` and `participant` must outlive it.
  ClientSession(v1::Federation::StubInterface& stub, Participant& participant, std::stop_token stop);
  ~ClientSession();

  // How it ended. OK: the run is complete. Unavailable: the connection broke; a new session may go on. Everything else
  // is final, and the message says why.
  absl::Status Run();
  // Whether the coordinator let this client in.
  bool welcomed() const { return blobs_ != nullptr; }

 private:
  using Stream = grpc::ClientReaderWriterInterface<v1::ClientMessage, v1::ServerMessage>;

  void ReadAll();
  // The next message, or nothing when the stream has ended.
  std::optional<v1::ServerMessage> Next();
  absl::Status Hello();
  absl::Status TakePlan(const v1::Plan& message);
  absl::Status Handle(const v1::ServerMessage& message);
  static absl::Status EndOfRun(const FinishTask& finish);
  absl::Status Train(const TrainTask& task);
  absl::Status Evaluate(const EvaluateTask& task);
  absl::StatusOr<ParameterVector> FetchParameters(const Digest& digest);
  absl::Status SendDecline(const absl::Status& reason);
  absl::Status Send(const v1::ClientMessage& message);
  // Says that nothing more will come, and waits until the coordinator has ended the call in turn.
  void Drain();
  // What the stream's own status means for this client.
  absl::Status EndOfStream();

  v1::Federation::StubInterface& stub_;
  Participant& participant_;
  const std::stop_token stop_;
  std::stop_source task_stop_;  // also when the run ends while a task is in hand
  grpc::ClientContext context_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<BlobClient> blobs_;
  std::optional<Plan> plan_;

  std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<v1::ServerMessage> inbox_;
  bool ended_ = false;
  std::jthread reader_;
};

}  // namespace tacit::rpc
