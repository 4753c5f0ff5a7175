#pragma once

#include <filesystem>
#include <istream>
#include <string>
#include <vector>

namespace tacit::layering {

// Words that stand together, and the paths they are tied to: "core/tls = core".
struct Rule {
  std::vector<std::string> names;
  std::vector<std::string> paths;
};

struct Rules {
  std::vector<Rule> layers;   // one name, the layer's own path
  std::vector<Rule> headers;  // beginnings of header names
  std::vector<Rule> words;
};

// Reads the format of rules.txt. Throws std::runtime_error that names the line.
Rules ReadRules(std::istream& in);

// Every breach in the .h and .cc files below the root, one line each; hidden folders and build folders are left out.
std::vector<std::string> Violations(const std::filesystem::path& root, const Rules& rules);

}  // namespace tacit::layering
