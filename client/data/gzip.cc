#include "client/data/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/status.h"

namespace tacit::data {
namespace {

constexpr uint64_t kPiece = 1 << 20;

absl::Status Corrupt(absl::string_view what) { return absl::DataLossError(absl::StrCat("the gzip data ", what)); }

}  // namespace

struct GzipReader::State {
  z_stream stream{};
  absl::string_view rest;  // not yet given to zlib
  bool ended = false;
};

bool IsGzip(absl::string_view bytes) { return absl::StartsWith(bytes, "\x1f\x8b"); }

GzipReader::GzipReader(absl::string_view compressed) : state_(std::make_unique<State>()) {
  state_->rest = compressed;
  constexpr int kGzipOnly = 16 + MAX_WBITS;
  if (inflateInit2(&state_->stream, kGzipOnly) != Z_OK) std::abort();  // only for want of memory
}

GzipReader::~GzipReader() { inflateEnd(&state_->stream); }

absl::Status GzipReader::NextMember() {
  z_stream& stream = state_->stream;
  if (stream.avail_in == 0 && state_->rest.empty()) {
    state_->ended = true;
    return absl::OkStatus();
  }
  const absl::string_view next(reinterpret_cast<const char*>(stream.next_in), stream.avail_in);
  // The next member's two magic bytes may be split between what zlib has and what it has not.
  const std::string start = absl::StrCat(next.substr(0, 2), state_->rest.substr(0, 2));
  if (!IsGzip(start)) return Corrupt("are followed by something else");
  return inflateReset(&stream) == Z_OK ? absl::OkStatus() : Corrupt("cannot be read on");
}

absl::Status GzipReader::Read(uint64_t count, std::string& out) {
  z_stream& stream = state_->stream;
  const size_t goal = out.size() + count;
  while (out.size() < goal && !state_->ended) {
    if (stream.avail_in == 0) {
      const absl::string_view piece = state_->rest.substr(0, kPiece);
      state_->rest.remove_prefix(piece.size());
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
      stream.avail_in = static_cast<uInt>(piece.size());
    }
    const size_t before = out.size();
    const uint64_t wanted = std::min<uint64_t>(goal - before, kPiece);
    out.resize(before + wanted);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + before);
    stream.avail_out = static_cast<uInt>(wanted);
    const int result = inflate(&stream, Z_NO_FLUSH);
    out.resize(before + wanted - stream.avail_out);
    if (result == Z_STREAM_END) {
      TACIT_RETURN_IF_ERROR(NextMember());
    } else if (result == Z_BUF_ERROR) {  // there was room for more, so the input is at its end
      return Corrupt("end too early");
    } else if (result != Z_OK) {
      return Corrupt(stream.msg != nullptr ? absl::StrCat("are corrupt: ", stream.msg) : "are corrupt");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Gunzip(absl::string_view compressed, uint64_t max_bytes) {
  GzipReader reader(compressed);
  std::string out;
  TACIT_RETURN_IF_ERROR(reader.Read(max_bytes + 1, out));
  if (out.size() > max_bytes) {
    return absl::OutOfRangeError(absl::StrCat("more than ", max_bytes, " bytes when inflated"));
  }
  return out;
}

}  // namespace tacit::data
