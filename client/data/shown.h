#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace tacit::data {

// A piece of a file as a message shows it: in single quotes, on one line, cut to 40 bytes.
std::string Shown(absl::string_view text);

}  // namespace tacit::data
