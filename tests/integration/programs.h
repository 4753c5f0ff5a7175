#pragma once

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/process.h"

// Where the programs and the examples are, and what the tests of programs share.
namespace tacit::testing {

inline const std::string kTacit = TACIT_PROGRAM;
inline const std::string kServer = TACIT_SERVER_PROGRAM;
inline const std::string kClient = TACIT_CLIENT_PROGRAM;
inline const std::string kExamples = TACIT_SOURCE_DIR "/examples/";

// A folder that is gone after the test.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "tacit-test-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string ReadAll(const std::string& path) {
  std::ifstream file(path);
  return (std::ostringstream() << file.rdbuf()).str();
}

inline std::string Write(const std::string& path, const std::string& text) {
  std::ofstream(path) << text;
  return path;
}

}  // namespace tacit::testing
