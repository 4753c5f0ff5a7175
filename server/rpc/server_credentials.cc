#include "server/rpc/server_credentials.h"

#include "core/status.h"
#include "core/tls/identity.h"

namespace tacit::rpc {

absl::StatusOr<std::shared_ptr<grpc::ServerCredentials>> MakeServerCredentials(const config::ServerConfig& config) {
  if (!config.tls) return grpc::InsecureServerCredentials();
  TACIT_ASSIGN_OR_RETURN(const tls::Identity identity,
                         tls::LoadIdentity(config.tls->certificate, config.tls->key, config.tls->client_ca));
  grpc::SslServerCredentialsOptions options(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  options.pem_root_certs = identity.authorities;
  options.pem_key_cert_pairs.push_back({identity.key, identity.certificate});
  return grpc::SslServerCredentials(options);
}

}  // namespace tacit::rpc
