#include "client/data/shown.h"

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace tacit::data {

std::string Shown(absl::string_view text) {
  constexpr size_t kMost = 40;
  if (text.size() <= kMost) return absl::StrCat("'", absl::Utf8SafeCEscape(text), "'");
  size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a UTF-8 character
  return absl::StrCat("'", absl::Utf8SafeCEscape(text.substr(0, end)), "...'");
}

}  // namespace tacit::data
