#include "core/ids.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace tacit {

absl::Status ValidateName(absl::string_view text) {
  if (text.empty()) return absl::InvalidArgumentError("a name cannot be empty");
  if (text.size() > 64) {
    return absl::InvalidArgumentError(
        absl::StrCat("the name '", text.substr(0, 16), "...' is longer than 64 characters"));
  }
  if (text.front() == '.' || text.front() == '-') {
    return absl::InvalidArgumentError(absl::StrCat("the name '", text, "' starts with '", text.substr(0, 1), "'"));
  }
  for (const char c : text) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '_' && c != '-') {
      return absl::InvalidArgumentError("a name may hold only letters, digits, '.', '_' and '-'");
    }
  }
  return absl::OkStatus();
}

}  // namespace tacit
