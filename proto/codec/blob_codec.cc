#include "proto/codec/blob_codec.h"

#include <zlib.h>

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "proto/codec/limits.h"

namespace tacit::wire {
namespace {

uint32_t Checksum(absl::string_view data) {
  return static_cast<uint32_t>(
      crc32(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size())));
}

}  // namespace

void MakeChunk(absl::string_view blob, uint64_t offset, v1::BlobChunk& chunk) {
  const absl::string_view data = blob.substr(offset, kChunkBytes);
  chunk.set_offset(offset);
  chunk.set_data(data.data(), data.size());
  chunk.set_crc32(Checksum(data));
}

absl::Status BlobAssembler::Add(const v1::BlobChunk& chunk) {
  if (chunk.data().size() > kMaxChunkBytes) return absl::DataLossError("a blob chunk is too large");
  if (Checksum(chunk.data()) != chunk.crc32()) {
    return absl::DataLossError(absl::StrCat("a blob chunk at ", chunk.offset(), " was damaged on the way"));
  }
  if (chunk.offset() > bytes_.size()) {
    return absl::DataLossError(absl::StrCat("blob chunks are missing from ", bytes_.size(), " to ", chunk.offset()));
  }
  const uint64_t known = bytes_.size() - chunk.offset();
  if (chunk.data().size() <= known) return absl::OkStatus();
  if (chunk.data().size() - known > total_bytes_ - bytes_.size()) {
    return absl::DataLossError(absl::StrCat("a blob is larger than the ", total_bytes_, " bytes announced"));
  }
  bytes_.append(chunk.data(), known);
  return absl::OkStatus();
}

absl::StatusOr<std::string> BlobAssembler::Finish() && {
  if (!complete()) {
    return absl::DataLossError(absl::StrCat("a blob ends after ", bytes_.size(), " of ", total_bytes_, " bytes"));
  }
  if (Digest::Of(bytes_) != digest_) return absl::DataLossError("a blob's bytes do not match its digest");
  return std::move(bytes_);
}

}  // namespace tacit::wire
