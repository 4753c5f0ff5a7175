#pragma once

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace tacit::config {

// The candidate closest to `word` in edit distance (Levenshtein), if one is close enough to be a slip of the keyboard.
std::optional<std::string> Nearest(absl::string_view word, const std::vector<std::string>& candidates);

}  // namespace tacit::config
