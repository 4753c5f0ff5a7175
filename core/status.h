#pragma once

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

// Return early with the error of `expression`, an absl::Status.
#define TACIT_RETURN_IF_ERROR(expression)                                                     \
  do {                                                                                        \
    if (absl::Status tacit_status_ = (expression); !tacit_status_.ok()) return tacit_status_; \
  } while (false)

// `TACIT_ASSIGN_OR_RETURN(auto x, F());`: x is F's value, or return F's error.
#define TACIT_ASSIGN_OR_RETURN(declaration, expression) \
  TACIT_ASSIGN_OR_RETURN_IMPL_(TACIT_CONCAT_(tacit_statusor_, __LINE__), declaration, expression)
#define TACIT_ASSIGN_OR_RETURN_IMPL_(name, declaration, expression) \
  auto name = (expression);                                         \
  if (!name.ok()) return std::move(name).status();                  \
  declaration = *std::move(name)
#define TACIT_CONCAT_INNER_(a, b) a##b
#define TACIT_CONCAT_(a, b) TACIT_CONCAT_INNER_(a, b)

namespace tacit {

// `status` with "`context`: " before its message; OK stays OK.
absl::Status Annotate(const absl::Status& status, absl::string_view context);

}  // namespace tacit
