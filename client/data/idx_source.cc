#include "client/data/idx_source.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "client/data/gzip.h"
#include "client/data/limits.h"
#include "core/status.h"

namespace tacit::data {
namespace {

constexpr size_t kFixedHeader = 4;
constexpr size_t kLongestHeader = kFixedHeader + 4 * kMaxDimensions;

std::optional<ElementType> TypeOfCode(uint8_t code) {
  switch (code) {
    case 0x08:
      return ElementType::kUInt8;
    case 0x09:
      return ElementType::kInt8;
    case 0x0B:
      return ElementType::kInt16;
    case 0x0C:
      return ElementType::kInt32;
    case 0x0D:
      return ElementType::kFloat32;
    case 0x0E:
      return ElementType::kFloat64;
    default:
      return std::nullopt;
  }
}

// `bytes`: the whole file or as much as the longest header takes.
absl::StatusOr<ArrayHeader> ParseHeader(absl::string_view bytes) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(bytes[i]); };
  if (bytes.size() < kFixedHeader || byte(0) != 0 || byte(1) != 0 || !TypeOfCode(byte(2))) {
    return absl::DataLossError("is not an IDX file: it does not start with two zero bytes and a type");
  }
  const size_t dimensions = byte(3);
  ArrayHeader header{.type = *TypeOfCode(byte(2)), .big_endian = true, .offset = kFixedHeader + 4 * dimensions};
  if (dimensions > kMaxDimensions) {
    return absl::DataLossError(
        absl::StrCat("is an IDX file with ", dimensions, " dimensions, more than the ", kMaxDimensions, " allowed"));
  }
  if (bytes.size() < header.offset) return absl::DataLossError("is an IDX file cut off in its header");
  for (size_t at = kFixedHeader; at < header.offset; at += 4) {
    header.shape.push_back(int64_t{byte(at)} << 24 | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3));
  }
  return header;
}

absl::Status CheckSize(uint64_t have, uint64_t due, bool maybe_more) {
  if (have == due) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat("its IDX header announces ", due, " bytes in all, but it has ",
                                          have > due && maybe_more ? "more" : absl::StrCat(have),
                                          have < due ? "; the file is cut off" : ""));
}

absl::StatusOr<RawArray> ParseCompressed(absl::string_view compressed) {
  GzipReader reader(compressed);
  std::string bytes;
  TACIT_RETURN_IF_ERROR(reader.Read(kLongestHeader, bytes));
  TACIT_ASSIGN_OR_RETURN(ArrayHeader header, ParseHeader(bytes));
  TACIT_ASSIGN_OR_RETURN(const uint64_t size, FileSize(header));
  if (bytes.size() <= size) {
    bytes.reserve(std::min(size + 1, kMaxInflation * (compressed.size() + 1)));
    TACIT_RETURN_IF_ERROR(reader.Read(size + 1 - bytes.size(), bytes));
  }
  TACIT_RETURN_IF_ERROR(CheckSize(bytes.size(), size, true));
  return RawArray{std::move(header), std::move(bytes)};
}

}  // namespace

absl::StatusOr<RawArray> ParseIdx(std::string bytes) {
  if (IsGzip(bytes)) return ParseCompressed(bytes);
  TACIT_ASSIGN_OR_RETURN(ArrayHeader header, ParseHeader(bytes));
  TACIT_ASSIGN_OR_RETURN(const uint64_t size, FileSize(header));
  TACIT_RETURN_IF_ERROR(CheckSize(bytes.size(), size, false));
  return RawArray{std::move(header), std::move(bytes)};
}

}  // namespace tacit::data
