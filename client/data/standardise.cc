#include "client/data/standardise.h"

#include <cmath>
#include <span>

#include "absl/strings/str_cat.h"
#include "core/status.h"

namespace tacit::data {
namespace {

absl::Status CheckCount(absl::string_view key, size_t count, size_t features) {
  if (count == 1 || count == features) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("standardise.", key, ": ", count, " values for ", features,
                                                 " features; give one for each, or one for all"));
}

}  // namespace

absl::Status Standardise(const config::StandardiseConfig& config, HostTensor& features) {
  size_t width = 1;
  for (size_t i = 1; i < features.shape().size(); ++i) width *= static_cast<size_t>(features.shape()[i]);
  TACIT_RETURN_IF_ERROR(CheckCount("mean", config.mean.size(), width));
  TACIT_RETURN_IF_ERROR(CheckCount("standard_deviation", config.standard_deviation.size(), width));
  for (const double deviation : config.standard_deviation) {
    if (!(deviation > 0)) return absl::InvalidArgumentError("standardise.standard_deviation: must be above 0");
  }
  const size_t mean_step = config.mean.size() == 1 ? 0 : 1;
  const size_t deviation_step = config.standard_deviation.size() == 1 ? 0 : 1;
  const std::span<float> values = features.mutable_values<float>();
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t feature = i % width;
    const double centred = values[i] - config.mean[feature * mean_step];
    values[i] = static_cast<float>(centred / config.standard_deviation[feature * deviation_step]);
    if (!std::isfinite(values[i])) {
      return absl::OutOfRangeError(absl::StrCat("standardise: feature ", feature + 1, " of example ", i / width,
                                                " (from 0) becomes too large for a 32-bit number"));
    }
  }
  return absl::OkStatus();
}

}  // namespace tacit::data
