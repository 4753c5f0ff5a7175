#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/digest.h"
#include "tacit/v1/federation.pb.h"

namespace tacit::wire {

// The chunk of `blob` that begins at `offset` (below its size).
void MakeChunk(absl::string_view blob, uint64_t offset, v1::BlobChunk& chunk);

// Puts a blob together from chunks and checks it. Not thread-safe.
class BlobAssembler {
 public:
  BlobAssembler(Digest digest, uint64_t total_bytes) : digest_(digest), total_bytes_(total_bytes) {}

  // DataLoss, with nothing added: a wrong checksum, a gap, or more than the blob's size. A chunk that was there before
  // is taken as if new, so that a resumed transfer may overlap.
  absl::Status Add(const v1::BlobChunk& chunk);
  uint64_t received() const { return bytes_.size(); }
  bool complete() const { return bytes_.size() == total_bytes_; }
  const Digest& digest() const { return digest_; }
  uint64_t total_bytes() const { return total_bytes_; }
  // DataLoss when the bytes aren't those of the digest, or not all there.
  absl::StatusOr<std::string> Finish() &&;

 private:
  Digest digest_;
  uint64_t total_bytes_;
  std::string bytes_;
};

}  // namespace tacit::wire
