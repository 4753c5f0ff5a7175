#pragma once

#include <compare>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tacit {

// Names that appear in configs, certificates, logs and file names: 1 to 64 of [A-Za-z0-9._-], not starting with a dot
// or a dash. InvalidArgument says which rule `text` breaks.
absl::Status ValidateName(absl::string_view text);

namespace internal {
template <typename Tag>
class Name {
 public:
  Name() = default;
  static absl::StatusOr<Name> Create(absl::string_view text) {
    if (absl::Status status = ValidateName(text); !status.ok()) return status;
    Name name;
    name.text_ = std::string(text);
    return name;
  }
  const std::string& str() const { return text_; }
  friend auto operator<=>(const Name&, const Name&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Name& name) {
    return H::combine(std::move(h), name.text_);
  }

 private:
  std::string text_;
};
}  // namespace internal

// A federated training; chosen by the operator.
using RunId = internal::Name<struct RunIdTag>;
// A trainer's (or evaluator's) identity; under TLS the common name of its certificate.
using ClientId = internal::Name<struct ClientIdTag>;

// Rounds count from 0.
using RoundNumber = int64_t;

}  // namespace tacit
