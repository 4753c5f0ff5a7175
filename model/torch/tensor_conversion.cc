#include "model/torch/tensor_conversion.h"

#include <ATen/ops/from_blob.h>

#include <cstring>

#include "core/status.h"

namespace tacit::torch_backend {
namespace {

at::Tensor View(const void* data, const Shape& shape, at::ScalarType type) {
  // from_blob has no read-only form; nothing that runs here writes into an argument.
  return at::from_blob(const_cast<void*>(data), shape, at::TensorOptions().dtype(type));
}

}  // namespace

at::ScalarType ToScalarType(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return at::kFloat;
    case DType::kFloat64:
      return at::kDouble;
    case DType::kInt64:
      return at::kLong;
    case DType::kInt32:
      return at::kInt;
    case DType::kUInt8:
      return at::kByte;
    case DType::kBool:
      return at::kBool;
  }
  return at::kFloat;
}

at::Tensor Borrow(const HostTensor& tensor) {
  return View(tensor.bytes().data(), tensor.shape(), ToScalarType(tensor.dtype()));
}

std::vector<at::Tensor> Borrow(const std::vector<HostTensor>& tensors) {
  std::vector<at::Tensor> views;
  views.reserve(tensors.size());
  for (const HostTensor& tensor : tensors) views.push_back(Borrow(tensor));
  return views;
}

std::vector<at::Tensor> Borrow(const ParameterVector& parameters) {
  const std::vector<TensorSpec>& specs = parameters.schema().specs();
  std::vector<at::Tensor> tensors;
  tensors.reserve(specs.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    tensors.push_back(View(parameters.tensor(i).data(), specs[i].shape, at::kFloat));
  }
  return tensors;
}

at::Tensor Copy(const HostTensor& tensor) { return Borrow(tensor).clone(); }

void CopyValues(const at::Tensor& tensor, std::span<float> values) {
  const at::Tensor dense = tensor.detach().to(at::kFloat).contiguous();
  TORCH_CHECK(dense.numel() == static_cast<int64_t>(values.size()), "a tensor of ", dense.numel(), " elements where ",
              values.size(), " are due");
  if (!values.empty()) std::memcpy(values.data(), dense.data_ptr<float>(), values.size() * sizeof(float));
}

absl::StatusOr<HostTensor> ToHostTensor(const at::Tensor& tensor) {
  TACIT_ASSIGN_OR_RETURN(HostTensor result, HostTensor::Zeros(DType::kFloat32, tensor.sizes().vec()));
  CopyValues(tensor, result.mutable_values<float>());
  return result;
}

std::vector<double> ToDoubles(const at::Tensor& tensor) {
  const at::Tensor dense = tensor.detach().to(at::kDouble).contiguous();
  const double* data = dense.data_ptr<double>();
  return std::vector<double>(data, data + dense.numel());
}

}  // namespace tacit::torch_backend
