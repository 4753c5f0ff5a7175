// Input: a TOML file; after a zero byte, "KEY=VALUE" overrides, one a line. What is accepted is printed and read again.
#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "core/config/client_config.h"
#include "core/config/experiment_config.h"
#include "core/config/server_config.h"
#include "tests/fuzz/require.h"

namespace {

using tacit::config::Source;

// A file in memory, read through its name under /proc.
class MemoryFile {
 public:
  explicit MemoryFile(absl::string_view text) : fd_(::memfd_create("config", MFD_CLOEXEC)) {
    const auto written = ::write(fd_, text.data(), text.size());
    tacit::Require(written == static_cast<ssize_t>(text.size()), "a file in memory can be written");
  }
  ~MemoryFile() { ::close(fd_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  std::string path() const { return absl::StrCat("/proc/self/fd/", fd_); }

 private:
  int fd_;
};

template <typename Config>
void TryRead(const Source& source) {
  const auto config = tacit::config::ReadConfig<Config>(source);
  if (!config.ok()) {
    tacit::Require(!config.status().message().empty(), "an error has a message");
    return;
  }
  const std::string printed = tacit::config::PrintConfig(*config);
  const MemoryFile file(printed);
  const auto again = tacit::config::ReadConfig<Config>({file.path(), {}});
  tacit::Require(again.ok(), "what is printed can be read");
  tacit::Require(tacit::config::PrintConfig(*again) == printed, "and is the same");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  const size_t end = std::min(input.find('\0'), input.size());
  const MemoryFile file(input.substr(0, end));
  Source source{file.path(), {}};
  if (end < input.size()) {
    for (const absl::string_view flag : absl::StrSplit(input.substr(end + 1), '\n')) {
      const auto change = tacit::config::ParseSetFlag(flag);
      if (change.ok()) source.overrides.push_back(*change);
    }
  }
  TryRead<tacit::config::ExperimentConfig>(source);
  TryRead<tacit::config::ServerConfig>(source);
  TryRead<tacit::config::ClientConfig>(source);
  return 0;
}
