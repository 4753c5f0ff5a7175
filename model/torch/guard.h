#pragma once

#include <stdexcept>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tacit::torch_backend {

// What LibTorch threw, with the place in our graph where it happened.
class BackendError : public std::runtime_error {
 public:
  explicit BackendError(const std::string& message) : std::runtime_error(message) {}
};

// The exception that is being handled, as one line: LibTorch's backtraces and hints are cut off. Call in a handler.
std::string DescribeCurrentException();

// Runs `body`, which returns an absl::Status or StatusOr, and turns what it throws into an Internal status: no
// exception leaves the backend.
template <typename Body>
auto Guarded(Body body) -> decltype(body()) {
  try {
    return body();
  } catch (...) {
    return absl::InternalError(DescribeCurrentException());
  }
}

}  // namespace tacit::torch_backend
