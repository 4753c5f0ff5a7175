#include "privacy/accounting/rdp_accountant.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "privacy/accounting/subsampled_gaussian_rdp.h"

namespace tacit::accounting {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Epsilon of an order's sum is `sum` + constant - slope * log(delta).
struct Conversion {
  double constant;
  double slope;
};

std::vector<Conversion> MakeConversions() {
  std::vector<Conversion> conversions;
  for (const double order : RdpAccountant::Orders()) {
    conversions.push_back({std::log1p(-1 / order) - std::log(order) / (order - 1), 1 / (order - 1)});
  }
  return conversions;
}

absl::Status Validate(const PoissonSubsampledGaussian& event, int64_t count) {
  if (!(event.sampling_rate >= 0 && event.sampling_rate <= 1)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the sampling rate must lie in [0, 1], but is ", event.sampling_rate));
  }
  if (!(event.noise_multiplier >= 0 && event.noise_multiplier < kInfinity)) {
    return absl::InvalidArgumentError(
        absl::StrCat("the noise multiplier must be finite and not negative, but is ", event.noise_multiplier));
  }
  if (count < 0) {
    return absl::InvalidArgumentError(absl::StrCat("an event cannot happen ", count, " times"));
  }
  return absl::OkStatus();
}

std::vector<double> RdpByOrder(const PoissonSubsampledGaussian& event) {
  std::vector<double> rdp;
  rdp.reserve(RdpAccountant::Orders().size());
  for (const double order : RdpAccountant::Orders()) rdp.push_back(SubsampledGaussianRdp(event, order));
  return rdp;
}

}  // namespace

const std::vector<double>& RdpAccountant::Orders() {
  static const std::vector<double>* const orders = [] {
    auto* made = new std::vector<double>;
    for (int tenths = 11; tenths < 110; ++tenths) made->push_back(tenths / 10.0);
    for (int order = 12; order < 64; ++order) made->push_back(order);
    for (int order = 128; order <= 1024; order *= 2) made->push_back(order);
    return made;
  }();
  return *orders;
}

RdpAccountant::RdpAccountant() : earlier_(Orders().size(), 0.0) {}

absl::Status RdpAccountant::Add(const Event& event, int64_t count) {
  const auto& gaussian = std::get<PoissonSubsampledGaussian>(event);
  TACIT_RETURN_IF_ERROR(Validate(gaussian, count));
  if (count == 0 || gaussian.sampling_rate == 0) return absl::OkStatus();
  if (last_ == gaussian) {
    if (count > std::numeric_limits<int64_t>::max() - last_count_) {
      return absl::InvalidArgumentError(absl::StrCat(count, " more events are more than can be counted"));
    }
    last_count_ += count;
    return absl::OkStatus();
  }
  if (last_) {
    for (size_t i = 0; i < earlier_.size(); ++i) earlier_[i] += static_cast<double>(last_count_) * (*last_rdp_)[i];
  }
  last_ = gaussian;
  last_count_ = count;
  last_rdp_ = std::make_shared<const std::vector<double>>(RdpByOrder(gaussian));
  return absl::OkStatus();
}

absl::StatusOr<double> RdpAccountant::Epsilon(double delta) const {
  static const auto* const conversions = new std::vector<Conversion>(MakeConversions());
  if (!(delta >= 0 && delta <= 1)) {
    return absl::InvalidArgumentError(absl::StrCat("delta must lie in [0, 1], but is ", delta));
  }
  if (!last_ || delta == 1) return 0.0;
  if (delta == 0) return kInfinity;
  const double log_delta = std::log(delta);
  double epsilon = kInfinity;
  for (size_t i = 0; i < earlier_.size(); ++i) {
    const double rdp = earlier_[i] + static_cast<double>(last_count_) * (*last_rdp_)[i];
    epsilon = std::min(epsilon, rdp + (*conversions)[i].constant - (*conversions)[i].slope * log_delta);
  }
  return std::max(epsilon, 0.0);
}

std::unique_ptr<Accountant> RdpAccountant::Clone() const { return std::make_unique<RdpAccountant>(*this); }

}  // namespace tacit::accounting
