#include "core/host_tensor.h"

#include <cstdlib>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/status.h"

namespace tacit {
namespace {

struct Named {
  DType dtype;
  absl::string_view name;
  size_t size;
};
constexpr Named kTypes[] = {{DType::kFloat32, "F32", 4}, {DType::kFloat64, "F64", 8}, {DType::kInt64, "I64", 8},
                            {DType::kInt32, "I32", 4},   {DType::kUInt8, "U8", 1},    {DType::kBool, "BOOL", 1}};

constexpr int64_t kMaxElements = int64_t{1} << 47;

}  // namespace

size_t ItemSize(DType dtype) { return kTypes[static_cast<int>(dtype)].size; }
absl::string_view DTypeName(DType dtype) { return kTypes[static_cast<int>(dtype)].name; }

absl::StatusOr<DType> DTypeFromName(absl::string_view name) {
  for (const Named& type : kTypes) {
    if (type.name == name) return type.dtype;
  }
  return absl::InvalidArgumentError(absl::StrCat("unknown tensor type '", name, "'"));
}

absl::StatusOr<int64_t> NumElements(const Shape& shape) {
  int64_t product = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 0) return absl::InvalidArgumentError("a tensor dimension is negative");
    if (dimension > kMaxElements || (dimension > 0 && product > kMaxElements / dimension)) {
      return absl::InvalidArgumentError("a tensor shape has too many elements");
    }
    product *= dimension;
  }
  return product;
}

absl::StatusOr<HostTensor> HostTensor::Zeros(DType dtype, Shape shape) {
  TACIT_ASSIGN_OR_RETURN(const int64_t count, NumElements(shape));
  HostTensor tensor;
  tensor.dtype_ = dtype;
  tensor.shape_ = std::move(shape);
  tensor.num_elements_ = count;
  tensor.bytes_.resize(static_cast<size_t>(count) * ItemSize(dtype));
  return tensor;
}

absl::StatusOr<HostTensor> HostTensor::Gather(std::span<const int64_t> rows) const {
  if (shape_.empty()) return absl::InvalidArgumentError("a scalar has no rows");
  Shape shape = shape_;
  shape[0] = static_cast<int64_t>(rows.size());
  TACIT_ASSIGN_OR_RETURN(HostTensor result, Zeros(dtype_, std::move(shape)));
  if (rows.empty()) return result;
  const size_t stride = result.bytes_.size() / rows.size();
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= shape_[0]) {
      return absl::OutOfRangeError(absl::StrCat("row ", rows[i], " of a tensor with ", shape_[0], " rows"));
    }
    if (stride == 0) continue;  // rows without elements: there is no memory to point to
    std::memcpy(result.bytes_.data() + i * stride, bytes_.data() + static_cast<size_t>(rows[i]) * stride, stride);
  }
  return result;
}

void HostTensor::CheckType(DType wanted) const {
  if (wanted != dtype_) std::abort();  // reading a tensor as another type is a bug, never an input's fault
}

}  // namespace tacit
