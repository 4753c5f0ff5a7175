#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"

namespace tacit {

// A fuzz target's assertion: what fails it is a finding.
inline void Require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

// Every refusal says why, on one line.
inline void RequireOneLine(const absl::Status& status) {
  if (status.ok()) return;
  Require(!status.message().empty(), "an error has a message");
  Require(!absl::StrContains(status.message(), "\n") && !absl::StrContains(status.message(), "\r"),
          "a message is one line");
}

}  // namespace tacit
