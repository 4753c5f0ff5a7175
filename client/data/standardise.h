#pragma once

#include "absl/status/status.h"
#include "core/config/sections.h"
#include "core/host_tensor.h"

namespace tacit::data {

// features = (features - mean) / standard_deviation, in place; `features` is float32 [N, ...], and a feature is one of
// the elements of an example. mean and standard_deviation hold one value for all features or one each; another number
// of them, or a deviation that isn't positive, is InvalidArgument. OutOfRange when a result is too large for float32.
absl::Status Standardise(const config::StandardiseConfig& config, HostTensor& features);

}  // namespace tacit::data
