#pragma once

#include <string>

#include "absl/status/status.h"

namespace tacit::rpc {

// Whether `address` (HOST:PORT) can be listened on at this moment. Unavailable, in the system's words, when it can't.
absl::Status CheckCanListen(const std::string& address);

// Why `address` could not be listened on; gRPC doesn't say. Unavailable.
absl::Status ExplainListenError(const std::string& address);

}  // namespace tacit::rpc
