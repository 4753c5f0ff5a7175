#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/host_tensor.h"

namespace tacit::data {

// `tensor` as a NumPy .npy file, version 1.0, little-endian, C order. InvalidArgument for more than kMaxDimensions
// dimensions. The same tensor always gives the same bytes.
absl::StatusOr<std::string> SerializeNpy(const HostTensor& tensor);

}  // namespace tacit::data
