#include "privacy/dp/bounded_sum.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"

namespace tacit::dp {
namespace {

// As many as a model's schema may have.
constexpr int64_t kMaxDimension = int64_t{1} << 31;

// Room for the rounding of a backend that scales in float32.
constexpr double kScalingSlack = 1e-4;

template <typename T>
double L2Norm(std::span<const T> values) {
  double squares = 0;
  for (const T value : values) squares += static_cast<double>(value) * static_cast<double>(value);
  return std::sqrt(squares);
}

}  // namespace

const char* Describe(NeighbouringRelation relation) {
  switch (relation) {
    case NeighbouringRelation::kAddOrRemoveOneExample:
      return "add or remove one example";
    case NeighbouringRelation::kAddOrRemoveOneClient:
      return "add or remove one client";
  }
  return "unknown";
}

absl::StatusOr<ClippedSumBuilder> ClippedSumBuilder::Create(int64_t dimension, double clip_norm,
                                                            NeighbouringRelation relation) {
  if (dimension < 0 || dimension > kMaxDimension) {
    return absl::InvalidArgumentError(absl::StrCat("the dimension must lie in [0, 2^31], but is ", dimension));
  }
  if (!(clip_norm > 0 && std::isfinite(clip_norm))) {
    return absl::InvalidArgumentError(absl::StrCat("the clip norm must be positive and finite, but is ", clip_norm));
  }
  ClippedSumBuilder builder;
  builder.sum_.values_.resize(static_cast<size_t>(dimension));
  builder.sum_.sensitivity_ = clip_norm;
  builder.sum_.relation_ = relation;
  return builder;
}

double ClippedSumBuilder::ClipFactor(double norm) const {
  if (!std::isfinite(norm) || norm < 0) return 0;
  return norm <= sum_.sensitivity_ ? 1 : sum_.sensitivity_ / norm;
}

absl::Status ClippedSumBuilder::AddScaled(std::span<const double> sum, int64_t count) {
  if (sum.size() != sum_.values_.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("a sum of dimension ", sum.size(), " was added to one of dimension ", sum_.values_.size()));
  }
  if (count < 0) return absl::InvalidArgumentError(absl::StrCat("a sum cannot have ", count, " records"));
  const double norm = L2Norm(sum);
  // Also false for a NaN; the message leaves the norm out, because it depends on the data.
  if (!(norm <= static_cast<double>(count) * sum_.sensitivity_ * (1 + kScalingSlack)) || !std::isfinite(norm)) {
    return absl::InternalError(
        absl::StrCat("a sum of ", count, " clipped records is not finite or longer than clipping allows"));
  }
  for (size_t i = 0; i < sum.size(); ++i) sum_.values_[i] += sum[i];
  sum_.count_ += count;
  return absl::OkStatus();
}

bool ClippedSumBuilder::AddRecord(std::span<const float> record) {
  sum_.count_ += 1;
  const double norm = L2Norm(record);
  if (record.size() != sum_.values_.size() || !std::isfinite(norm)) return false;
  const double factor = ClipFactor(norm);
  for (size_t i = 0; i < record.size(); ++i) sum_.values_[i] += factor * static_cast<double>(record[i]);
  return true;
}

BoundedSum ClippedSumBuilder::Build() && { return std::move(sum_); }

}  // namespace tacit::dp
