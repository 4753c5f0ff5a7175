#pragma once

#include <optional>
#include <string>

#include "core/config/config_file.h"
#include "core/config/sections.h"

namespace tacit::config {

struct ServerTlsConfig {
  std::string certificate;
  std::string key;
  std::string client_ca;
};
void Describe(FieldVisitor& visitor, ServerTlsConfig& config);

// tacit-server --config FILE.
struct ServerConfig {
  std::string run;
  std::string listen = "127.0.0.1:7070";
  bool insecure = false;
  std::optional<ServerTlsConfig> tls;
  std::string model;
  std::string output;
  int64_t seed = 0;
  FederationConfig federation;
  TrainingConfig training;
  OptimizerConfig server_optimizer{.learning_rate = 1.0};
  PrivacyConfig privacy;
};
void Describe(FieldVisitor& visitor, ServerConfig& config);

// Whether the host of "HOST:PORT" means this machine alone: 127.0.0.0/8, ::1 or localhost.
bool IsLoopback(absl::string_view address);
// Whether `address` has the form HOST:PORT with a port in 0..65535.
bool IsHostAndPort(absl::string_view address);

}  // namespace tacit::config
