#include "client/data/dataset.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/data/retype.h"
#include "core/status.h"

namespace tacit::data {
namespace {

std::string Text(const Shape& shape) { return absl::StrCat("[", absl::StrJoin(shape, ", "), "]"); }

absl::StatusOr<HostTensor> ShapedInput(const HostTensor& input, const InputSpec& spec) {
  const Shape have(input.shape().begin() + 1, input.shape().end());
  TACIT_ASSIGN_OR_RETURN(const int64_t have_count, NumElements(have));
  TACIT_ASSIGN_OR_RETURN(const int64_t want_count, NumElements(spec.example_shape));
  if (have_count != want_count) {
    return absl::InvalidArgumentError(absl::StrCat("the data's examples have the shape ", Text(have), ", the model's ",
                                                   "input '", spec.name, "' has ", Text(spec.example_shape)));
  }
  Shape shape{input.shape().front()};
  shape.insert(shape.end(), spec.example_shape.begin(), spec.example_shape.end());
  absl::StatusOr<HostTensor> shaped = Retyped(input, spec.dtype, std::move(shape));
  if (!shaped.ok()) return Annotate(shaped.status(), absl::StrCat("the model's input '", spec.name, "'"));
  return shaped;
}

}  // namespace

absl::StatusOr<Dataset> Dataset::Create(std::vector<HostTensor> inputs, HostTensor target) {
  if (inputs.empty()) return absl::InvalidArgumentError("a data set needs an input");
  if (target.shape().empty()) return absl::InvalidArgumentError("the target is a scalar, not one value an example");
  for (const HostTensor& input : inputs) {
    if (input.shape().empty()) return absl::InvalidArgumentError("an input is a scalar, not one value an example");
    if (input.shape().front() != target.shape().front()) {
      return absl::InvalidArgumentError(
          absl::StrCat(input.shape().front(), " examples but ", target.shape().front(), " targets"));
    }
  }
  Dataset dataset;
  dataset.inputs_ = std::move(inputs);
  dataset.target_ = std::move(target);
  return dataset;
}

int64_t Dataset::size() const { return target_.shape().front(); }

absl::StatusOr<model::Batch> Dataset::Gather(std::span<const int64_t> rows) const {
  model::Batch batch;
  for (const HostTensor& input : inputs_) {
    TACIT_ASSIGN_OR_RETURN(HostTensor part, input.Gather(rows));
    batch.inputs.push_back(std::move(part));
  }
  TACIT_ASSIGN_OR_RETURN(batch.target, target_.Gather(rows));
  return batch;
}

absl::StatusOr<Dataset> Dataset::ShapedFor(const std::vector<InputSpec>& inputs) const {
  if (inputs.size() != inputs_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("the model has ", inputs.size(), " inputs, the data ", inputs_.size()));
  }
  Dataset shaped;
  for (size_t i = 0; i < inputs.size(); ++i) {
    TACIT_ASSIGN_OR_RETURN(HostTensor input, ShapedInput(inputs_[i], inputs[i]));
    shaped.inputs_.push_back(std::move(input));
  }
  shaped.target_ = target_;
  return shaped;
}

absl::StatusOr<Dataset> Dataset::WithTargetType(DType dtype) const {
  Dataset retyped = *this;
  if (dtype == target_.dtype()) return retyped;
  absl::StatusOr<HostTensor> target = Retyped(target_, dtype, target_.shape());
  if (!target.ok()) return Annotate(target.status(), "the target");
  retyped.target_ = *std::move(target);
  return retyped;
}

}  // namespace tacit::data
