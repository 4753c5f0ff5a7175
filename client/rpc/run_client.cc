#include "client/rpc/run_client.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>

#include "absl/strings/str_cat.h"
#include "client/rpc/channel.h"
#include "client/rpc/client_session.h"
#include "client/rpc/participant.h"
#include "core/clock.h"
#include "core/log.h"
#include "core/status.h"
#include "tacit/v1/federation.grpc.pb.h"

namespace tacit::rpc {
namespace {

constexpr Clock::Duration kFirstPause{200};
constexpr Clock::Duration kLongestPause{15'000};

// False when `stop` was asked for meanwhile.
bool Pause(Clock::Duration duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

// One attempt: connect and take part as long as the connection lasts. `welcomed` becomes true when the coordinator let
// the client in.
absl::Status Attempt(const ServerChannel& server, Participant& participant, const std::stop_token& stop,
                     bool& welcomed) {
  TACIT_ASSIGN_OR_RETURN(const std::shared_ptr<grpc::Channel> channel, server.Connect());
  const std::unique_ptr<v1::Federation::Stub> stub = v1::Federation::NewStub(channel);
  ClientSession session(*stub, participant, stop);
  absl::Status status = session.Run();
  welcomed = session.welcomed();
  return status;
}

}  // namespace

absl::Status RunClient(const config::ClientConfig& config, const model::ModelBackend& backend, std::stop_token stop) {
  TACIT_ASSIGN_OR_RETURN(const ServerChannel server, ServerChannel::Create(config));
  TACIT_ASSIGN_OR_RETURN(const std::unique_ptr<Participant> participant, Participant::Create(config, backend));
  const Clock& clock = Clock::System();
  Clock::Duration last_contact = clock.Now();
  Clock::Duration pause = kFirstPause;
  while (true) {
    bool welcomed = false;
    const absl::Status status = Attempt(server, *participant, stop, welcomed);
    if (stop.stop_requested()) return absl::CancelledError("the client was stopped");
    if (!absl::IsUnavailable(status)) return status;
    if (welcomed) {
      last_contact = clock.Now();
      pause = kFirstPause;
    }
    const double silent = std::chrono::duration<double>(clock.Now() - last_contact).count();
    if (silent + std::chrono::duration<double>(pause).count() > config.give_up_after_seconds) {
      return absl::UnavailableError(absl::StrCat(status.message(), "; gave up after ", static_cast<int64_t>(silent),
                                                 " seconds. Is tacit-server running there?"));
    }
    Log(LogLevel::kWarning, "reconnecting",
        {{"server", server.address()},
         {"in_seconds", std::chrono::duration<double>(pause).count()},
         {"reason", status.message()}});
    if (!Pause(pause, stop)) return absl::CancelledError("the client was stopped");
    pause = std::min(pause * 2, kLongestPause);
  }
}

bool WasEndedByRun(const absl::Status& outcome) { return outcome.GetPayload(kRunEndedPayload).has_value(); }

}  // namespace tacit::rpc
