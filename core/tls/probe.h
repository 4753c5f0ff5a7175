#pragma once

#include <string>

#include "absl/status/status.h"
#include "core/tls/identity.h"

namespace tacit::tls {

// Makes one TLS connection to `address` (HOST:PORT) and closes it, to learn why connections fail: gRPC says only that
// they do. PermissionDenied says which certificate the trouble is with: the server's (unknown authority, expired,
// another name than `server_name`) or ours (refused by the server). Unavailable when nothing answers, or not in TLS. OK
// when both sides accepted each other.
absl::Status Probe(const std::string& address, const std::string& server_name, const Identity& identity);

}  // namespace tacit::tls
