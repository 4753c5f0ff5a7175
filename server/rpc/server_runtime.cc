#include "server/rpc/server_runtime.h"

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/clock.h"
#include "core/file.h"
#include "core/log.h"
#include "core/model_artifact.h"
#include "core/status.h"
#include "proto/codec/limits.h"
#include "server/round/coordinator.h"
#include "server/round/make_plan.h"
#include "server/rpc/federation_service.h"
#include "server/rpc/listen_error.h"
#include "server/rpc/server_credentials.h"
#include "server/store/run_output.h"

namespace tacit::rpc {
namespace {

constexpr Clock::Duration kTick{100};
constexpr Clock::Duration kGoodbye{5000};       // how long clients have to fetch the end of the run
constexpr int kKeepaliveMilliseconds = 20'000;  // a connection that died unnoticed is found out within this and:
constexpr int kKeepaliveTimeoutMilliseconds = 20'000;

// Tells several observers the same.
class Observers final : public coordinator::RunObserver {
 public:
  explicit Observers(std::vector<RunObserver*> all) : all_(std::move(all)) {}
  void OnWaiting(int64_t trainers, int64_t wanted) override {
    for (RunObserver* each : all_) each->OnWaiting(trainers, wanted);
  }
  void OnRound(const coordinator::RoundReport& report, const ParameterVector& parameters) override {
    for (RunObserver* each : all_) each->OnRound(report, parameters);
  }
  void OnDecline(const ClientId& client, const std::string& reason) override {
    for (RunObserver* each : all_) each->OnDecline(client, reason);
  }
  void OnFinished(const absl::Status& outcome) override {
    for (RunObserver* each : all_) each->OnFinished(outcome);
  }

 private:
  std::vector<RunObserver*> all_;
};

}  // namespace

struct ServerRuntime::State {
  coordinator::BlobStore blobs;
  std::unique_ptr<coordinator::RunOutput> output;
  std::unique_ptr<Observers> observers;
  std::unique_ptr<coordinator::Coordinator> coordinator;
  std::unique_ptr<FederationService> service;
  std::unique_ptr<grpc::Server> server;
  int port = 0;

  absl::Status Prepare(const config::ServerConfig& config, const Options& options);
  absl::Status Listen(const config::ServerConfig& config, std::shared_ptr<grpc::ServerCredentials> credentials);
};

absl::Status ServerRuntime::State::Prepare(const config::ServerConfig& config, const Options& options) {
  std::string bytes = options.artifact;
  if (bytes.empty()) {
    TACIT_ASSIGN_OR_RETURN(bytes, ReadFile(config.model, kMaxArtifactBytes));
  }
  absl::StatusOr<ModelArtifact> artifact = ParseArtifact(bytes);
  if (!artifact.ok()) return Annotate(artifact.status(), config.model);
  TACIT_ASSIGN_OR_RETURN(ParameterVector initial, artifact->TrainableParameters());
  TACIT_ASSIGN_OR_RETURN(Plan plan, coordinator::MakePlan(config, bytes));
  TACIT_ASSIGN_OR_RETURN(output, coordinator::RunOutput::Create(config.output, plan, *std::move(artifact),
                                                                options.config_text, options.overwrite_output));
  blobs.Put(std::move(bytes));
  std::vector<coordinator::RunObserver*> all{output.get()};
  if (options.observer != nullptr) all.push_back(options.observer);
  observers = std::make_unique<Observers>(std::move(all));
  TACIT_ASSIGN_OR_RETURN(coordinator,
                         coordinator::Coordinator::Create({std::move(plan), config.federation, config.server_optimizer},
                                                          std::move(initial), Clock::System(), blobs, *observers));
  service = std::make_unique<FederationService>(*coordinator, blobs);
  return absl::OkStatus();
}

absl::Status ServerRuntime::State::Listen(const config::ServerConfig& config,
                                          std::shared_ptr<grpc::ServerCredentials> credentials) {
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(wire::kMaxMessageBytes);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);  // two servers on one port would share its clients
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveTimeoutMilliseconds);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kKeepaliveMilliseconds / 2);
  builder.AddListeningPort(config.listen, credentials, &port);
  builder.RegisterService(service.get());
  server = builder.BuildAndStart();
  if (server == nullptr || port == 0) return ExplainListenError(config.listen);
  Log(LogLevel::kInfo, "listening",
      {{"address", config.listen}, {"port", port}, {"tls", config.tls.has_value()}, {"run", config.run}});
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<ServerRuntime>> ServerRuntime::Start(const config::ServerConfig& config,
                                                                    Options options) {
  auto state = std::make_unique<State>();
  // What may well be wrong comes first, so that a failed start neither replaces an earlier run's output nor leaves one.
  TACIT_ASSIGN_OR_RETURN(std::shared_ptr<grpc::ServerCredentials> credentials, MakeServerCredentials(config));
  TACIT_RETURN_IF_ERROR(CheckCanListen(config.listen));
  TACIT_RETURN_IF_ERROR(state->Prepare(config, options));
  TACIT_RETURN_IF_ERROR(state->Listen(config, std::move(credentials)));
  return std::unique_ptr<ServerRuntime>(new ServerRuntime(std::move(state)));
}

ServerRuntime::ServerRuntime(std::unique_ptr<State> state) : state_(std::move(state)) {}

ServerRuntime::~ServerRuntime() {
  if (state_->server != nullptr) state_->server->Shutdown(std::chrono::system_clock::now());
}

int ServerRuntime::port() const { return state_->port; }

void ServerRuntime::Stop(const absl::Status& reason) { state_->coordinator->Cancel(reason); }

absl::Status ServerRuntime::Wait() {
  std::optional<absl::Status> outcome;
  while (!(outcome = state_->coordinator->WaitFinished(kTick))) state_->coordinator->Tick();
  state_->coordinator->WaitDisconnected(kGoodbye);
  state_->server->Shutdown(std::chrono::system_clock::now());
  state_->server = nullptr;
  if (!outcome->ok()) return *outcome;
  return state_->output->status();
}

}  // namespace tacit::rpc
