#pragma once

#include <grpcpp/grpcpp.h>

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "core/config/client_config.h"
#include "core/tls/identity.h"

namespace tacit::rpc {

// The way to the coordinator that a config names. Thread-safe.
class ServerChannel {
 public:
  // NotFound or InvalidArgument for certificates that cannot be used, PermissionDenied for one of another name than the
  // client's.
  static absl::StatusOr<ServerChannel> Create(const config::ClientConfig& config);

  // A connected channel, or why there is none: Unavailable when trying again may help, PermissionDenied when it can't,
  // because one side doesn't accept the other's certificate.
  absl::StatusOr<std::shared_ptr<grpc::Channel>> Connect() const;
  const std::string& address() const { return address_; }

 private:
  ServerChannel() = default;
  std::string address_;
  std::string server_name_;
  std::optional<tls::Identity> identity_;
};

absl::Status FromGrpc(const grpc::Status& status);

}  // namespace tacit::rpc
