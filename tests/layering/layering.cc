#include "tests/layering/layering.h"

#include <fnmatch.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <stdexcept>

namespace tacit::layering {
namespace {

namespace fs = std::filesystem;

struct Source {
  std::string code;  // without comments
  std::vector<std::string> includes;
};
using Tree = std::map<std::string, Source>;

std::vector<std::string> Split(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

bool Fits(const std::string& path, const std::string& file) {
  return file == path || file.starts_with(path + "/") || fnmatch(path.c_str(), file.c_str(), FNM_PATHNAME) == 0;
}

bool FitsAny(const std::vector<std::string>& paths, const std::string& file) {
  return std::ranges::any_of(paths, [&](const std::string& path) { return Fits(path, file); });
}

bool IsHeaderOf(const Rule& rule, const std::string& header) {
  return std::ranges::any_of(rule.names, [&](const std::string& name) { return header.starts_with(name); });
}

const Rule* LayerOf(const Rules& rules, const std::string& file) {
  const Rule* best = nullptr;
  for (const Rule& layer : rules.layers) {
    const std::string& path = layer.names.front();
    if (Fits(path, file) && (best == nullptr || path.size() > best->names.front().size())) best = &layer;
  }
  return best;
}

Source ReadSource(const fs::path& path) {
  static const std::regex include(R"re(^\s*#\s*include\s*[<"]([^>"]+)[>"])re");
  Source source;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    std::smatch match;
    if (std::regex_search(line, match, include)) source.includes.push_back(match[1]);
    source.code += line.substr(0, line.find("//")) + "\n";
  }
  return source;
}

Tree ReadTree(const fs::path& root) {
  Tree tree;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::recursive_directory_iterator(); ++entry) {
    const fs::path& path = entry->path();
    if (entry->is_directory()) {
      const bool skipped = path.filename().string().starts_with(".") || fs::exists(path / "CMakeCache.txt");
      if (skipped) entry.disable_recursion_pending();
    } else if (path.extension() == ".h" || path.extension() == ".cc") {
      tree[path.lexically_relative(root).string()] = ReadSource(path);
    }
  }
  return tree;
}

// The way from the file to a header of the rule, or nothing. A seen file is not searched twice.
std::optional<std::string> WayTo(const Rule& rule, const std::string& file, const Tree& tree,
                                 std::set<std::string>& seen) {
  const auto source = tree.find(file);
  if (source == tree.end() || !seen.insert(file).second) return std::nullopt;
  for (const std::string& header : source->second.includes) {
    if (IsHeaderOf(rule, header)) return file + " -> " + header;
    if (const auto way = WayTo(rule, header, tree, seen)) return file + " -> " + *way;
  }
  return std::nullopt;
}

void CheckLayer(const Rules& rules, const Tree& tree, const std::string& file, std::vector<std::string>& found) {
  const Rule* own = LayerOf(rules, file);
  if (own == nullptr) {
    found.push_back(file + " belongs to no layer");
    return;
  }
  for (const std::string& header : tree.at(file).includes) {
    if (!tree.contains(header)) continue;
    const Rule* other = LayerOf(rules, header);
    if (other == nullptr || other == own || std::ranges::count(own->paths, "*") > 0) continue;
    if (std::ranges::count(own->paths, other->names.front()) == 0) {
      found.push_back(file + " includes " + header + ", but " + own->names.front() + " may not use " +
                      other->names.front());
    }
  }
}

}  // namespace

Rules ReadRules(std::istream& in) {
  Rules rules;
  std::map<std::string, std::vector<Rule>*> sections = {
      {"[layers]", &rules.layers}, {"[headers]", &rules.headers}, {"[words]", &rules.words}};
  std::vector<Rule>* section = nullptr;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    const std::vector<std::string> words = Split(line);
    if (words.empty() || words.front().starts_with("#")) continue;
    const auto named = sections.find(line);
    if (named != sections.end()) {
      section = named->second;
      continue;
    }
    const auto equals = std::ranges::find(words, "=");
    if (section == nullptr || equals == words.end() || equals == words.begin()) {
      throw std::runtime_error("line " + std::to_string(number) + " is no rule: " + line);
    }
    section->push_back({{words.begin(), equals}, {equals + 1, words.end()}});
  }
  for (const Rule& layer : rules.layers) {
    for (const std::string& used : layer.paths) {
      const bool known =
          used == "*" || std::ranges::any_of(rules.layers, [&](const Rule& other) { return other.names[0] == used; });
      if (!known) throw std::runtime_error(layer.names[0] + " uses " + used + ", which is no layer");
    }
  }
  return rules;
}

std::vector<std::string> Violations(const fs::path& root, const Rules& rules) {
  const Tree tree = ReadTree(root);
  std::vector<std::string> found;
  for (const auto& [file, source] : tree) {
    CheckLayer(rules, tree, file, found);
    for (const Rule& rule : rules.headers) {
      std::set<std::string> seen;
      if (FitsAny(rule.paths, file)) continue;
      if (const auto way = WayTo(rule, file, tree, seen)) found.push_back(*way + ": a header not for this path");
    }
    for (const Rule& rule : rules.words) {
      if (FitsAny(rule.paths, file)) continue;
      for (const std::string& word : rule.names) {
        if (source.code.find(word) != std::string::npos) found.push_back(file + " says " + word);
      }
    }
  }
  return found;
}

}  // namespace tacit::layering
