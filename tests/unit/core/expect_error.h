#pragma once

#include <gtest/gtest.h>

#include <initializer_list>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/match.h"

namespace tacit {

// Whether `status` has the code and one line of message that contains all of `parts`.
inline testing::AssertionResult FailsWith(const absl::Status& status, absl::StatusCode code,
                                          std::initializer_list<absl::string_view> parts) {
  if (status.code() != code) {
    return testing::AssertionFailure() << "code is not " << absl::StatusCodeToString(code) << ": " << status.ToString();
  }
  const std::string message(status.message());
  if (message.empty() || absl::StrContains(message, "\n") || absl::StrContains(message, "\r")) {
    return testing::AssertionFailure() << "not one line: " << message;
  }
  for (const absl::string_view part : parts) {
    if (!absl::StrContains(message, part)) {
      return testing::AssertionFailure() << "'" << std::string(part) << "' is not in: " << message;
    }
  }
  return testing::AssertionSuccess();
}

}  // namespace tacit
