#include "client/data/npy_writer.h"

#include <bit>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/data/limits.h"

namespace tacit::data {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are written as they lie in memory");

absl::string_view Descr(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return "<f4";
    case DType::kFloat64:
      return "<f8";
    case DType::kInt64:
      return "<i8";
    case DType::kInt32:
      return "<i4";
    case DType::kUInt8:
      return "|u1";
    case DType::kBool:
      return "|b1";
  }
  return "";
}

}  // namespace

absl::StatusOr<std::string> SerializeNpy(const HostTensor& tensor) {
  if (tensor.shape().size() > kMaxDimensions) {
    return absl::InvalidArgumentError(
        absl::StrCat("a tensor of ", tensor.shape().size(), " dimensions, more than the ", kMaxDimensions, " allowed"));
  }
  std::string header = absl::StrCat("{'descr': '", Descr(tensor.dtype()), "', 'fortran_order': False, 'shape': (",
                                    absl::StrJoin(tensor.shape(), ", "), tensor.shape().size() == 1 ? "," : "", "), }");
  constexpr size_t kBefore = 10;  // magic, version, header length
  constexpr size_t kAlignment = 64;
  const size_t unpadded = kBefore + header.size() + 1;
  header.append((kAlignment - unpadded % kAlignment) % kAlignment, ' ');
  header += '\n';
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes.reserve(kBefore + header.size() + tensor.bytes().size());
  bytes += static_cast<char>(header.size() & 0xFF);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  bytes.append(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size());
  return bytes;
}

}  // namespace tacit::data
