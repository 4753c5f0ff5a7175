#pragma once

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"

namespace tacit::accounting {

// The rows of tests/golden/accounting/`file`, without the header; empty when the file cannot be read.
inline std::vector<std::vector<std::string>> GoldenTable(const std::string& file) {
  std::ifstream stream(absl::StrCat(TACIT_SOURCE_DIR, "/tests/golden/accounting/", file));
  std::vector<std::vector<std::string>> rows;
  std::string line;
  std::getline(stream, line);
  while (std::getline(stream, line)) rows.push_back(absl::StrSplit(line, ','));
  return rows;
}

inline double Number(const std::string& text) {
  double value = -1e300;
  return absl::SimpleAtod(text, &value) ? value : -1e300;
}

}  // namespace tacit::accounting
