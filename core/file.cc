#include "core/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/status.h"

namespace tacit {
namespace {

absl::Status SystemError(const std::string& path, const char* action, int error) {
  const std::string message = absl::StrCat(path, ": cannot ", action, ": ", std::strerror(error));
  if (error == ENOENT) return absl::NotFoundError(message);
  return absl::DataLossError(message);
}

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return fd_; }
  int Close() { return ::close(std::exchange(fd_, -1)); }

 private:
  int fd_;
};

absl::Status WriteAndSync(const std::string& path, absl::string_view bytes) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (file.get() < 0) return SystemError(path, "write", errno);
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path, "write", errno);
    bytes.remove_prefix(static_cast<size_t>(count));
  }
  if (::fsync(file.get()) != 0 || file.Close() != 0) return SystemError(path, "write", errno);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::string> ReadFile(const std::string& path, uint64_t max_bytes) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) return SystemError(path, "open", errno);
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) return SystemError(path, "read", errno);
  if (S_ISDIR(info.st_mode)) return SystemError(path, "read", EISDIR);
  if (static_cast<uint64_t>(info.st_size) > max_bytes) {
    return absl::OutOfRangeError(
        absl::StrCat(path, ": ", info.st_size, " bytes, more than the ", max_bytes, " allowed"));
  }
  std::string bytes;
  bytes.reserve(static_cast<size_t>(info.st_size));  // growing would hold large files twice
  char buffer[1 << 16];
  while (true) {
    const ssize_t count = ::read(file.get(), buffer, sizeof(buffer));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return SystemError(path, "read", errno);
    if (count == 0) return bytes;
    bytes.append(buffer, static_cast<size_t>(count));
    if (bytes.size() > max_bytes) {  // a pipe or a file that grows has no size to trust
      return absl::OutOfRangeError(absl::StrCat(path, ": more than the ", max_bytes, " bytes allowed"));
    }
  }
}

absl::Status MakeFolders(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return SystemError(path, "make the folder", error.value());
  return absl::OkStatus();
}

absl::Status WriteFileAtomically(const std::string& path, absl::string_view bytes) {
  const std::filesystem::path target(path);
  if (target.has_parent_path()) TACIT_RETURN_IF_ERROR(MakeFolders(target.parent_path().string()));
  const std::string temporary = absl::StrCat(path, ".", ::getpid(), ".part");
  absl::Status status = WriteAndSync(temporary, bytes);
  if (status.ok() && ::rename(temporary.c_str(), path.c_str()) != 0) status = SystemError(path, "write", errno);
  if (!status.ok()) ::unlink(temporary.c_str());
  return status;
}

}  // namespace tacit
