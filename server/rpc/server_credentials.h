#pragma once

#include <grpcpp/security/server_credentials.h>

#include <memory>

#include "absl/status/statusor.h"
#include "core/config/server_config.h"

namespace tacit::rpc {

// Mutual TLS when the config has a [tls] table, else plain text, which the config allows only on loopback or with
// insecure = true. Errors as tls::LoadIdentity.
absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(const config::ServerConfig& config);

}  // namespace tacit::rpc
