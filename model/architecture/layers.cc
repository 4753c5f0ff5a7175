#include "model/architecture/layers.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "core/random_stream.h"
#include "core/status.h"

namespace tacit::model {
namespace {

constexpr char kInputName[] = "input";
// Of one tensor; more is a typing error rather than a model.
constexpr int64_t kMaxTensorElements = int64_t{1} << 30;

void FillUniform(uint64_t seed, const std::string& name, int64_t fan_in, std::span<float> values) {
  RandomStream stream(seed, absl::StrCat("initial parameters ", name));
  const double bound = 1 / std::sqrt(static_cast<double>(fan_in));
  for (float& value : values) value = static_cast<float>((2 * stream.NextUnit() - 1) * bound);
}

}  // namespace

LayerStack::LayerStack(const ArchitectureSpec& spec)
    : spec_(spec), value_(graph_.Batch(kInputName)), shape_(spec.input_shape) {
  artifact_.inputs.push_back({kInputName, DType::kFloat32, spec.input_shape});
  artifact_.loss = spec.loss;
}

absl::StatusOr<ValueRef> LayerStack::AddTensor(const std::string& name, Shape shape, int64_t fan_in, Start start) {
  const absl::StatusOr<int64_t> count = NumElements(shape);
  if (!count.ok()) return Annotate(count.status(), absl::StrCat("tensor '", name, "'"));
  if (*count > kMaxTensorElements) {
    return absl::InvalidArgumentError(absl::StrCat("tensor '", name, "' would have ", *count, " elements"));
  }
  ArtifactTensor tensor;
  tensor.name = name;
  TACIT_ASSIGN_OR_RETURN(tensor.value, HostTensor::Zeros(DType::kFloat32, std::move(shape)));
  if (start == Start::kUniform) FillUniform(spec_.seed, name, fan_in, tensor.value.mutable_values<float>());
  artifact_.tensors.push_back(std::move(tensor));
  return graph_.Tensor(name);
}

absl::StatusOr<Argument> LayerStack::AddBias(const std::string& name, int64_t size, int64_t fan_in, Start start) {
  if (!spec_.bias) return None{};
  TACIT_ASSIGN_OR_RETURN(const ValueRef bias, AddTensor(name + ".bias", {size}, fan_in, start));
  return bias;
}

void LayerStack::Flatten() {
  if (shape_.size() == 1) return;
  int64_t features = 1;
  for (const int64_t dimension : shape_) features *= dimension;
  shape_ = {features};
  // reshape rather than flatten: it also gives a scalar example its one feature.
  value_ = graph_.Call("aten::reshape", {value_, std::vector<int64_t>{-1, features}}, "flatten");
}

absl::Status LayerStack::Linear(const std::string& name, int64_t outputs, Start start) {
  const int64_t features = shape_[0];
  TACIT_ASSIGN_OR_RETURN(const ValueRef weight, AddTensor(name + ".weight", {outputs, features}, features, start));
  TACIT_ASSIGN_OR_RETURN(Argument bias, AddBias(name, outputs, features, start));
  value_ = graph_.Call("aten::linear", {value_, weight, std::move(bias)}, name);
  shape_ = {outputs};
  return absl::OkStatus();
}

absl::Status LayerStack::Convolution(const std::string& name, int64_t channels) {
  const int64_t kernel = spec_.kernel_size;
  if (shape_[1] < kernel || shape_[2] < kernel) {
    return absl::InvalidArgumentError(absl::StrCat("layer '", name, "': a kernel of ", kernel, "x", kernel,
                                                   " doesn't fit what is left of the image, ", shape_[1], "x",
                                                   shape_[2]));
  }
  const int64_t fan_in = shape_[0] * kernel * kernel;
  TACIT_ASSIGN_OR_RETURN(const ValueRef weight,
                         AddTensor(name + ".weight", {channels, shape_[0], kernel, kernel}, fan_in, Start::kUniform));
  TACIT_ASSIGN_OR_RETURN(Argument bias, AddBias(name, channels, fan_in, Start::kUniform));
  const std::vector<int64_t> ones{1, 1}, zeros{0, 0};
  value_ = graph_.Call("aten::conv2d", {value_, weight, std::move(bias), ones, zeros, ones, int64_t{1}}, name);
  shape_ = {channels, shape_[1] - kernel + 1, shape_[2] - kernel + 1};
  return absl::OkStatus();
}

absl::Status LayerStack::MaxPool(const std::string& name) {
  if (shape_[1] < 2 || shape_[2] < 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "layer '", name, "': pooling by 2 doesn't fit what is left of the image, ", shape_[1], "x", shape_[2]));
  }
  const std::vector<int64_t> ones{1, 1}, zeros{0, 0}, twos{2, 2};
  value_ = graph_.Call("aten::max_pool2d", {value_, twos, twos, zeros, ones, false}, name);
  shape_ = {shape_[0], shape_[1] / 2, shape_[2] / 2};
  return absl::OkStatus();
}

absl::Status LayerStack::Activation(const std::string& source) {
  if (spec_.activation == "relu") {
    value_ = graph_.Call("aten::relu", {value_}, source);
  } else if (spec_.activation == "tanh") {
    value_ = graph_.Call("aten::tanh", {value_}, source);
  } else if (spec_.activation == "gelu") {
    value_ = graph_.Call("aten::gelu", {value_, std::string("none")}, source);
  } else {
    return absl::InvalidArgumentError(
        absl::StrCat("unknown activation '", spec_.activation, "'; one of relu, tanh, gelu"));
  }
  return absl::OkStatus();
}

absl::StatusOr<ModelArtifact> LayerStack::Build() && {
  TACIT_ASSIGN_OR_RETURN(artifact_.graph_json, GraphToJson(std::move(graph_).Build(value_)));
  return std::move(artifact_);
}

}  // namespace tacit::model
