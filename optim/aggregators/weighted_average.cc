#include "optim/aggregators/weighted_average.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/status.h"

namespace tacit::optim {
namespace {

// Where element `index` lies, for messages.
std::string NameOf(const Schema& schema, size_t index) {
  size_t tensor = 0;
  while (schema.offset(tensor + 1) <= static_cast<int64_t>(index)) ++tensor;
  return absl::StrCat("tensor '", schema.specs()[tensor].name, "'");
}

}  // namespace

WeightedAverage::WeightedAverage(std::shared_ptr<const Schema> schema)
    : schema_(std::move(schema)), sums_(static_cast<size_t>(schema_->size())) {}

// Scaling by a power of two is exact, and so is the conversion of a whole number below 2^127.
WeightedAverage::Fixed WeightedAverage::ToFixed(double value) {
  return static_cast<Fixed>(std::nearbyint(value / kGrid));
}

absl::Status WeightedAverage::CheckAddend(const ParameterVector& update, double weight) const {
  if (update.schema().hash() != schema_->hash()) return absl::InvalidArgumentError("an update of another model");
  if (!(weight >= kMinWeight && weight <= kMaxWeight)) {
    return absl::InvalidArgumentError(absl::StrCat("an update's weight is ", weight, ", must be from 2^-30 to 2^36"));
  }
  const std::span<const float> values = update.values();
  for (size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i])) {
      return absl::InvalidArgumentError(absl::StrCat(NameOf(*schema_, i), " of an update is not finite"));
    }
    if (std::abs(weight * values[i]) > kMaxProduct) {
      return absl::InvalidArgumentError(
          absl::StrCat(NameOf(*schema_, i), " of an update is too large: |weight x value| is above 2^36"));
    }
  }
  if (count_ == kMaxCount) return absl::ResourceExhaustedError("an average of more than 2^20 updates");
  return absl::OkStatus();
}

absl::Status WeightedAverage::Add(const ParameterVector& update, double weight) {
  TACIT_RETURN_IF_ERROR(CheckAddend(update, weight));
  const std::span<const float> values = update.values();
  for (size_t i = 0; i < values.size(); ++i) sums_[i] += ToFixed(weight * values[i]);
  weight_sum_ += ToFixed(weight);
  ++count_;
  return absl::OkStatus();
}

absl::StatusOr<ParameterVector> WeightedAverage::Finish() {
  if (count_ == 0) return absl::FailedPreconditionError("there is no update to average");
  ParameterVector average(schema_);
  const std::span<float> values = average.mutable_values();
  const double total = static_cast<double>(weight_sum_);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<float>(static_cast<double>(sums_[i]) / total);
  }
  std::ranges::fill(sums_, Fixed{0});
  weight_sum_ = 0;
  count_ = 0;
  return average;
}

}  // namespace tacit::optim
