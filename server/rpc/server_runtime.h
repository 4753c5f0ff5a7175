#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "core/config/server_config.h"
#include "server/round/run_observer.h"

namespace tacit::rpc {

// A whole coordinator in this process: plan, store, output and network, from a config to the end of its run.
class ServerRuntime {
 public:
  struct Options {
    bool overwrite_output = false;
    std::string artifact;                          // the model artifact's bytes; empty: read config.model
    std::string config_text;                       // what the output folder keeps as the config
    coordinator::RunObserver* observer = nullptr;  // hears everything besides the output; may be null
  };

  // Reads the model, makes the plan and listens. Errors: NotFound or DataLoss for the model, InvalidArgument for what
  // the config asks, AlreadyExists for the output folder, Unavailable for a port that cannot be had.
  static absl::StatusOr<std::unique_ptr<ServerRuntime>> Start(const config::ServerConfig& config, Options options);
  // Stops at once if it still runs.
  ~ServerRuntime();

  // The port it listens on; what the system chose when the config says 0.
  int port() const;
  // Waits for the end of the run, gives the clients a moment to hear of it, stops listening, and says how the run ended
  // and whether all results could be written.
  absl::Status Wait();
  // Ends the run early. Thread-safe.
  void Stop(const absl::Status& reason);

 private:
  struct State;
  explicit ServerRuntime(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace tacit::rpc
