#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tacit {

// The whole file. NotFound when there is none, DataLoss when it cannot be read (permissions too: to the user it is a
// file that cannot be used); both name the path and the system's reason. A file larger than `max_bytes` is OutOfRange
// before anything is read.
absl::StatusOr<std::string> ReadFile(const std::string& path, uint64_t max_bytes);

// Writes beside `path` and renames, so that a reader sees the old file or the whole new one, never a half. Parent
// folders are made.
absl::Status WriteFileAtomically(const std::string& path, absl::string_view bytes);

absl::Status MakeFolders(const std::string& path);

}  // namespace tacit
