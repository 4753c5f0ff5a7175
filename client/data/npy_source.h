#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "client/data/raw_array.h"

namespace tacit::data {

// Reads a NumPy .npy file, versions 1 to 3 (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html):
// little-endian f4, f8, i1, i2, i4, i8, u1, u2, u4 or b1, in C order. DataLoss, saying what to do, for Fortran order,
// other types and above all pickled objects, which are code; for a header or size that doesn't fit; otherwise as
// FileSize.
absl::StatusOr<RawArray> ParseNpy(std::string bytes);

}  // namespace tacit::data
