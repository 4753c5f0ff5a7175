#include "model/api/metrics.h"

#include <algorithm>
#include <cmath>

#include "core/status.h"

namespace tacit::model {
namespace {

int64_t CountCorrectClasses(std::span<const float> outputs, std::span<const int64_t> labels) {
  if (labels.empty()) return 0;
  const size_t classes = outputs.size() / labels.size();
  int64_t correct = 0;
  for (size_t row = 0; row < labels.size(); ++row) {
    const std::span<const float> logits = outputs.subspan(row * classes, classes);
    if (std::any_of(logits.begin(), logits.end(), [](float logit) { return std::isnan(logit); })) continue;
    correct += std::max_element(logits.begin(), logits.end()) - logits.begin() == labels[row];
  }
  return correct;
}

int64_t CountCorrectBits(std::span<const float> logits, std::span<const float> labels) {
  int64_t correct = 0;
  for (size_t row = 0; row < labels.size(); ++row) {
    correct += !std::isnan(logits[row]) && (logits[row] > 0) == (labels[row] >= 0.5F);
  }
  return correct;
}

void AddErrors(std::span<const float> outputs, std::span<const float> target, MetricSums& sums) {
  sums.values = static_cast<int64_t>(target.size());
  for (size_t i = 0; i < target.size(); ++i) {
    const double error = static_cast<double>(outputs[i]) - target[i];
    sums.squared_error += error * error;
    sums.absolute_error += std::abs(error);
  }
}

std::optional<double> Ratio(double sum, int64_t count) {
  if (count == 0) return std::nullopt;
  return sum / static_cast<double>(count);
}

}  // namespace

void MetricSums::Add(const MetricSums& other) {
  examples += other.examples;
  correct += other.correct;
  values += other.values;
  squared_error += other.squared_error;
  absolute_error += other.absolute_error;
}

std::optional<double> MetricSums::Accuracy() const {
  if (values > 0) return std::nullopt;
  return Ratio(static_cast<double>(correct), examples);
}
std::optional<double> MetricSums::MeanSquaredError() const { return Ratio(squared_error, values); }
std::optional<double> MetricSums::MeanAbsoluteError() const { return Ratio(absolute_error, values); }

absl::StatusOr<MetricSums> ComputeMetrics(const LossInfo& loss, const HostTensor& outputs, const HostTensor& target) {
  if (outputs.dtype() != DType::kFloat32 || outputs.shape().empty()) {
    return absl::InvalidArgumentError("a model's outputs are float32 with a batch dimension");
  }
  const Shape example_shape(outputs.shape().begin() + 1, outputs.shape().end());
  TACIT_RETURN_IF_ERROR(CheckPredictionShape(loss, example_shape));
  MetricSums sums;
  sums.examples = outputs.shape().front();
  TACIT_RETURN_IF_ERROR(CheckTarget(loss, example_shape, target, sums.examples));
  switch (loss.kind) {
    case LossKind::kCrossEntropy:
      sums.correct = CountCorrectClasses(outputs.values<float>(), target.values<int64_t>());
      break;
    case LossKind::kBinaryCrossEntropy:
      sums.correct = CountCorrectBits(outputs.values<float>(), target.values<float>());
      break;
    case LossKind::kMeanSquaredError:
      AddErrors(outputs.values<float>(), target.values<float>(), sums);
      break;
  }
  return sums;
}

}  // namespace tacit::model
