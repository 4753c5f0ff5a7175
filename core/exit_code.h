#pragma once

#include "absl/status/status.h"

namespace tacit {

// How every Tacit program ends. The numbers are part of the interface (README, "Exit codes").
enum class ExitCode : int {
  kSuccess = 0,
  kInternal = 1,     // a bug in Tacit
  kUsage = 2,        // command line or configuration
  kData = 3,         // an input file or its contents
  kNetwork = 4,      // the other side cannot be reached, or a port is taken
  kRefused = 5,      // certificate, protocol version, name, or terms not accepted
  kBudget = 6,       // the privacy budget does not allow it
  kInterrupted = 7,  // SIGINT or SIGTERM before the end
};

ExitCode ExitCodeFor(const absl::Status& status);

// Prints "PROGRAM: error: LINE" on stderr for every line of the message unless `status` is OK, and returns its exit
// code.
int Report(const char* program, const absl::Status& status);

}  // namespace tacit
