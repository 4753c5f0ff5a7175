#pragma once

#include <string>

#include "absl/status/status.h"

namespace tacit::rpc {

// Why `address` (HOST:PORT) cannot be listened on; gRPC doesn't say. Unavailable, in the system's words.
absl::Status ExplainListenError(const std::string& address);

}  // namespace tacit::rpc
