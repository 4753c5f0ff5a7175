#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include "client/rpc/run_client.h"
#include "core/file.h"
#include "core/log.h"
#include "server/rpc/server_runtime.h"
#include "tests/support/fake_backend.h"
#include "tests/support/federation.h"
#include "tests/support/recording.h"
#include "tests/support/temp_folder.h"

namespace tacit::rpc {

// rpc::RunClient in a thread of its own.
class RunningClient {
 public:
  RunningClient(config::ClientConfig config, const model::ModelBackend& backend)
      : thread_([this, config = std::move(config), &backend] {
          outcome_ = RunClient(config, backend, stop_.get_token());
        }) {}
  ~RunningClient() {
    stop_.request_stop();
    if (thread_.joinable()) thread_.join();
  }
  void Stop() { stop_.request_stop(); }
  // How it ended, once it has.
  absl::Status Join() {
    if (thread_.joinable()) thread_.join();
    return outcome_;
  }

 private:
  std::stop_source stop_;
  absl::Status outcome_ = absl::UnknownError("it still runs");
  std::thread thread_;
};

// A coordinator and clients of it over gRPC on loopback, with a model that needs no LibTorch.
class FederationFixture : public ::testing::Test {
 protected:
  FederationFixture() {
    SetLogLevel(LogLevel::kError);
    for (int i = 1; i <= 3; ++i) {
      EXPECT_TRUE(WriteFileAtomically(Csv(i), test::LogisticCsv(40, i)).ok());
    }
  }

  std::string Csv(int i) const { return folder.File(absl::StrCat("data-", i, ".csv")); }
  std::string Output(const std::string& name = "output") const { return folder.File(name); }

  absl::StatusOr<std::unique_ptr<ServerRuntime>> TryStart(const config::ServerConfig& config,
                                                          coordinator::RunObserver* observer = nullptr) {
    return ServerRuntime::Start(
        config, {.artifact = *SerializeArtifact(test::LinearArtifact(2, test::kLogistic)), .observer = observer});
  }
  std::unique_ptr<ServerRuntime> Start(const config::ServerConfig& config,
                                       coordinator::RunObserver* observer = nullptr) {
    auto server = TryStart(config, observer);
    EXPECT_TRUE(server.ok()) << server.status();
    return *std::move(server);
  }
  static std::string AddressOf(const ServerRuntime& server) { return absl::StrCat("127.0.0.1:", server.port()); }

  config::ClientConfig Trainer(int i, const ServerRuntime& server) const {
    config::ClientConfig config = test::LoopbackTrainer(absl::StrCat("trainer-", i), Csv(i));
    config.server = AddressOf(server);
    return config;
  }
  config::ClientConfig Evaluator(const ServerRuntime& server) const {
    config::ClientConfig config = test::LoopbackEvaluator("evaluator", Csv(1));
    config.server = AddressOf(server);
    return config;
  }

  const test::TempFolder folder;
  test::FakeBackend backend;
};

}  // namespace tacit::rpc
