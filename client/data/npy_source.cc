#include "client/data/npy_source.h"

#include <charconv>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "client/data/gzip.h"
#include "client/data/limits.h"
#include "client/data/shown.h"
#include "core/status.h"

namespace tacit::data {
namespace {

constexpr absl::string_view kMagic = "\x93NUMPY";
constexpr size_t kMaxHeader = 1 << 16;

// The header is a Python literal such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
class HeaderScanner {
 public:
  explicit HeaderScanner(absl::string_view text) : rest_(text) {}

  bool Take(absl::string_view token) {
    SkipSpace();
    if (!absl::StartsWith(rest_, token)) return false;
    rest_.remove_prefix(token.size());
    return true;
  }

  // A string without escapes, in single or double quotes.
  std::optional<std::string> TakeString() {
    SkipSpace();
    if (rest_.empty() || (rest_[0] != '\'' && rest_[0] != '"')) return std::nullopt;
    const size_t end = rest_.find(rest_[0], 1);
    if (end == absl::string_view::npos) return std::nullopt;
    std::string text(rest_.substr(1, end - 1));
    rest_.remove_prefix(end + 1);
    return text;
  }

  // (), (3,), (3, 4) or (3, 4,)
  std::optional<Shape> TakeShape() {
    if (!Take("(")) return std::nullopt;
    Shape shape;
    while (!Take(")")) {
      SkipSpace();
      int64_t dimension = 0;
      const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), dimension);
      if (error != std::errc() || dimension < 0 || shape.size() == kMaxDimensions) return std::nullopt;
      rest_.remove_prefix(static_cast<size_t>(end - rest_.data()));
      shape.push_back(dimension);
      if (!Take(",")) return Take(")") && shape.size() > 1 ? std::optional(shape) : std::nullopt;
    }
    return shape;
  }

  bool AtEnd() {
    SkipSpace();
    return rest_.empty();
  }

 private:
  void SkipSpace() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \n"), rest_.size())); }
  absl::string_view rest_;
};

struct Literal {
  std::optional<std::string> descr;
  std::optional<bool> fortran_order;
  std::optional<Shape> shape;
};

// One "key: value" of the header.
absl::Status TakeEntry(HeaderScanner& scanner, Literal& literal) {
  const absl::Status broken = absl::DataLossError("its NPY header cannot be read");
  const std::optional<std::string> key = scanner.TakeString();
  if (!key || !scanner.Take(":")) return broken;
  if (*key == "descr" && !literal.descr) {
    literal.descr = scanner.TakeString();
    if (!literal.descr) return absl::DataLossError("holds records of several fields; save one plain array");
    return absl::OkStatus();
  }
  if (*key == "fortran_order" && !literal.fortran_order) {
    const bool yes = scanner.Take("True");
    if (!yes && !scanner.Take("False")) return broken;
    literal.fortran_order = yes;
    return absl::OkStatus();
  }
  if (*key == "shape" && !literal.shape) {
    literal.shape = scanner.TakeShape();
    return literal.shape ? absl::OkStatus() : broken;
  }
  return broken;
}

absl::StatusOr<Literal> ParseLiteral(absl::string_view text) {
  const absl::Status broken = absl::DataLossError("its NPY header cannot be read");
  HeaderScanner scanner(text);
  Literal literal;
  if (!scanner.Take("{")) return broken;
  while (!scanner.Take("}")) {
    TACIT_RETURN_IF_ERROR(TakeEntry(scanner, literal));
    if (scanner.Take(",")) continue;
    if (!scanner.Take("}")) return broken;
    break;
  }
  if (!scanner.AtEnd() || !literal.descr || !literal.fortran_order || !literal.shape) return broken;
  return literal;
}

absl::StatusOr<ElementType> TypeOf(const std::string& descr) {
  constexpr std::pair<absl::string_view, ElementType> kTypes[] = {
      {"<f4", ElementType::kFloat32}, {"<f8", ElementType::kFloat64}, {"|i1", ElementType::kInt8},
      {"<i2", ElementType::kInt16},   {"<i4", ElementType::kInt32},   {"<i8", ElementType::kInt64},
      {"|u1", ElementType::kUInt8},   {"<u2", ElementType::kUInt16},  {"<u4", ElementType::kUInt32},
      {"|b1", ElementType::kBool},    {"<i1", ElementType::kInt8},    {"<u1", ElementType::kUInt8}};
  for (const auto& [name, type] : kTypes) {
    if (name == descr) return type;
  }
  if (absl::StrContains(descr, 'O')) {
    return absl::DataLossError("holds pickled Python objects, which are never loaded; save a plain array of numbers");
  }
  return absl::DataLossError(
      absl::StrCat("has the element type ", Shown(descr),
                   ", which is not supported; convert it with .astype('<f4') or .astype('<i8')"));
}

uint32_t LittleEndian(absl::string_view bytes) {
  uint32_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) value = value << 8 | static_cast<uint8_t>(bytes[i - 1]);
  return value;
}

absl::StatusOr<ArrayHeader> ParseHeader(absl::string_view bytes) {
  if (IsGzip(bytes)) return absl::DataLossError("is compressed; unpack the NPY file with gunzip");
  if (!absl::StartsWith(bytes, kMagic))
    return absl::DataLossError("is not an NPY file: it does not start with \\x93NUMPY");
  constexpr size_t kVersionEnd = 8;
  if (bytes.size() < kVersionEnd) return absl::DataLossError("is an NPY file cut off in its header");
  const auto major = static_cast<uint8_t>(bytes[6]);
  if (major < 1 || major > 3) return absl::DataLossError(absl::StrCat("is an NPY file of the unknown version ", major));
  const size_t length_bytes = major == 1 ? 2 : 4;
  const absl::string_view length = bytes.substr(kVersionEnd, length_bytes);
  const absl::string_view after = bytes.substr(kVersionEnd + length.size());
  if (length.size() < length_bytes || after.size() < LittleEndian(length)) {
    return absl::DataLossError("is an NPY file cut off in its header");
  }
  if (LittleEndian(length) > kMaxHeader) {
    return absl::DataLossError(absl::StrCat("its NPY header is longer than the ", kMaxHeader, " bytes allowed"));
  }
  TACIT_ASSIGN_OR_RETURN(const Literal literal, ParseLiteral(after.substr(0, LittleEndian(length))));
  if (*literal.fortran_order) {
    return absl::DataLossError("is in Fortran order; save it again after numpy.ascontiguousarray");
  }
  TACIT_ASSIGN_OR_RETURN(const ElementType type, TypeOf(*literal.descr));
  return ArrayHeader{
      .type = type, .shape = *literal.shape, .offset = kVersionEnd + length_bytes + LittleEndian(length)};
}

}  // namespace

absl::StatusOr<RawArray> ParseNpy(std::string bytes) {
  TACIT_ASSIGN_OR_RETURN(ArrayHeader header, ParseHeader(bytes));
  TACIT_ASSIGN_OR_RETURN(const uint64_t size, FileSize(header));
  if (bytes.size() != size) {
    return absl::DataLossError(absl::StrCat("its NPY header announces ", size, " bytes in all, but it has ",
                                            bytes.size(), bytes.size() < size ? "; the file is cut off" : ""));
  }
  return RawArray{std::move(header), std::move(bytes)};
}

}  // namespace tacit::data
