#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tacit::data {

// Whether `bytes` starts like a gzip file (1f 8b).
bool IsGzip(absl::string_view bytes);

// Deflate makes nothing smaller than this share of it, so no more than kMaxInflation bytes come out of one.
inline constexpr uint64_t kMaxInflation = 1032;

// Inflates a gzip file (RFC 1952: one or more members) a piece at a time, so that a reader that knows how much to
// expect never holds more. Not thread-safe.
class GzipReader {
 public:
  // `compressed` must outlive the reader.
  explicit GzipReader(absl::string_view compressed);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  // Appends `count` bytes to `out`, or fewer where the data end; then all checksums were right. DataLoss for bytes that
  // are no gzip file, corrupt, cut off or followed by something else.
  absl::Status Read(uint64_t count, std::string& out);

 private:
  struct State;
  absl::Status NextMember();
  std::unique_ptr<State> state_;
};

// All of it. Errors as GzipReader::Read; OutOfRange when more than `max_bytes` come out.
absl::StatusOr<std::string> Gunzip(absl::string_view compressed, uint64_t max_bytes);

}  // namespace tacit::data
