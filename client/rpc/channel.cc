#include "client/rpc/channel.h"

#include <chrono>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "core/tls/probe.h"
#include "proto/codec/limits.h"
#include "proto/codec/message_codec.h"

namespace tacit::rpc {
namespace {

constexpr std::chrono::seconds kConnectTimeout{5};
constexpr int kKeepaliveMilliseconds = 20'000;

// False as soon as the connection has failed: waiting longer would only repeat the failure.
bool WaitForConnected(grpc::Channel& channel) {
  const auto deadline = std::chrono::system_clock::now() + kConnectTimeout;
  grpc_connectivity_state state = channel.GetState(/*try_to_connect=*/true);
  while (state != GRPC_CHANNEL_READY) {
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE || !channel.WaitForStateChange(state, deadline)) return false;
    state = channel.GetState(/*try_to_connect=*/true);
  }
  return true;
}

}  // namespace

absl::Status FromGrpc(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), wire::CleanText(status.error_message()));
}

absl::StatusOr<ServerChannel> ServerChannel::Create(const config::ClientConfig& config) {
  ServerChannel channel;
  channel.address_ = config.server;
  if (!config.tls) return channel;
  TACIT_ASSIGN_OR_RETURN(channel.identity_,
                         tls::LoadIdentity(config.tls->certificate, config.tls->key, config.tls->ca));
  if (channel.identity_->common_name != config.name) {
    return absl::PermissionDeniedError(absl::StrCat(config.tls->certificate, ": the certificate is for '",
                                                    channel.identity_->common_name, "', this client's name is '",
                                                    config.name, "'"));
  }
  std::string host = config.server.substr(0, config.server.rfind(':'));
  if (host.size() > 2 && host.front() == '[') host = host.substr(1, host.size() - 2);
  channel.server_name_ = config.tls->server_name.value_or(host);
  return channel;
}

absl::StatusOr<std::shared_ptr<grpc::Channel>> ServerChannel::Connect() const {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(wire::kMaxMessageBytes);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, kKeepaliveMilliseconds);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, kKeepaliveMilliseconds);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  // Clients in one process must not share a connection: each has its own identity.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  std::shared_ptr<grpc::ChannelCredentials> credentials = grpc::InsecureChannelCredentials();
  if (identity_) {
    grpc::SslCredentialsOptions options;
    options.pem_root_certs = identity_->authorities;
    options.pem_private_key = identity_->key;
    options.pem_cert_chain = identity_->certificate;
    credentials = grpc::SslCredentials(options);
    arguments.SetSslTargetNameOverride(server_name_);
  }
  std::shared_ptr<grpc::Channel> channel = grpc::CreateCustomChannel(address_, credentials, arguments);
  if (WaitForConnected(*channel)) return channel;
  if (identity_) {
    if (absl::Status reason = tls::Probe(address_, server_name_, *identity_); !reason.ok()) return reason;
  }
  return absl::UnavailableError(
      absl::StrCat("no coordinator answers at ", address_, identity_ ? "" : " in plain text"));
}

}  // namespace tacit::rpc
