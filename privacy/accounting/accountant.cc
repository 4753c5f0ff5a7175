#include "privacy/accounting/accountant.h"

#include "absl/strings/str_cat.h"
#include "privacy/accounting/rdp_accountant.h"

namespace tacit::accounting {

absl::StatusOr<std::unique_ptr<Accountant>> MakeAccountant(const std::string& name) {
  if (name == "rdp") return std::make_unique<RdpAccountant>();
  return absl::InvalidArgumentError(absl::StrCat("unknown accountant \"", name, "\"; known: rdp"));
}

}  // namespace tacit::accounting
