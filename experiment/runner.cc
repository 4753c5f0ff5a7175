#include "experiment/runner.h"

#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/data/dataset.h"
#include "client/rpc/run_client.h"
#include "core/status.h"
#include "experiment/derive_configs.h"
#include "experiment/load_model.h"
#include "server/rpc/server_runtime.h"

namespace tacit::experiment {
namespace {

// The clients' threads. The first that fails ends the run, since a result without it would not be the experiment's.
class Clients {
 public:
  Clients(rpc::ServerRuntime& server, const model::ModelBackend& backend) : server_(server), backend_(backend) {}
  ~Clients() { Join().IgnoreError(); }

  void Start(const config::ClientConfig& config) {
    threads_.emplace_back([this, config] {
      const absl::Status status = rpc::RunClient(config, backend_, stop_.get_token());
      // What the end of the run does to the others is no failure of theirs, and may be heard of before its cause.
      if (!status.ok() && !rpc::WasEndedByRun(status)) Fail(Annotate(status, config.name));
    });
  }
  void Stop() { stop_.request_stop(); }
  // The first client's failure, once all have ended.
  absl::Status Join() {
    for (std::thread& thread : threads_) {
      if (thread.joinable()) thread.join();
    }
    return first_;
  }

 private:
  void Fail(const absl::Status& status) {
    {
      const std::lock_guard lock(mutex_);
      if (!first_.ok()) return;
      first_ = status;
    }
    server_.Stop(status);
  }

  rpc::ServerRuntime& server_;
  const model::ModelBackend& backend_;
  std::stop_source stop_;
  std::mutex mutex_;
  absl::Status first_;
  std::vector<std::thread> threads_;
};

}  // namespace

absl::Status RunExperiment(const config::ExperimentConfig& config, const RunOptions& options,
                           const model::ModelBackend& backend, std::stop_token stop) {
  TACIT_ASSIGN_OR_RETURN(const ModelArtifact artifact, LoadModel(config.model, static_cast<uint64_t>(config.seed)));
  TACIT_ASSIGN_OR_RETURN(std::string bytes, SerializeArtifact(artifact));
  TACIT_ASSIGN_OR_RETURN(const data::Dataset all, data::LoadDataset(config.data));
  config::ServerConfig server_config = DeriveServerConfig(config);
  server_config.output = options.output;
  // Before the server: what is wrong here should not leave an output folder behind.
  TACIT_ASSIGN_OR_RETURN(std::vector<config::ClientConfig> clients, DeriveClientConfigs(config, "", all.size()));
  TACIT_ASSIGN_OR_RETURN(const std::unique_ptr<rpc::ServerRuntime> server,
                         rpc::ServerRuntime::Start(server_config, {.overwrite_output = options.overwrite,
                                                                   .artifact = std::move(bytes),
                                                                   .config_text = config::PrintConfig(config),
                                                                   .observer = options.observer}));
  Clients running(*server, backend);
  const std::stop_callback on_stop(stop, [&] { server->Stop(absl::CancelledError("the experiment was stopped")); });
  for (config::ClientConfig& client : clients) {
    client.server = absl::StrCat("127.0.0.1:", server->port());
    running.Start(client);
  }
  const absl::Status outcome = server->Wait();
  if (!outcome.ok()) running.Stop();
  const absl::Status clients_outcome = running.Join();
  if (stop.stop_requested()) return absl::CancelledError("the experiment was stopped");
  // A client's own failure says more than what it did to the run.
  if (!outcome.ok() && !clients_outcome.ok() && !absl::IsCancelled(clients_outcome)) return clients_outcome;
  return outcome;
}

}  // namespace tacit::experiment
