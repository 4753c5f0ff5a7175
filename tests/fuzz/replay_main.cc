// Runs a fuzz target over files and folders of them, so that every finding stays fixed on every build.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "core/file.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

bool Replay(const std::string& path) {
  const auto bytes = tacit::ReadFile(path, 64 << 20);
  if (!bytes.ok()) {
    std::fprintf(stderr, "%s\n", std::string(bytes.status().message()).c_str());
    return false;
  }
  // On stderr and beforehand, so that a crash is preceded by the name of its cause.
  std::fprintf(stderr, "%s\n", path.c_str());
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes->data()), bytes->size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> paths;
  for (int i = 1; i < argc; ++i) {
    if (!std::filesystem::is_directory(argv[i])) {
      paths.emplace_back(argv[i]);
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(argv[i])) paths.push_back(entry.path().string());
  }
  if (paths.empty()) {
    std::fprintf(stderr, "usage: %s FILE|FOLDER...; no files found\n", argv[0]);
    return 2;
  }
  for (const std::string& path : paths) {
    if (!Replay(path)) return 1;
  }
  return 0;
}
