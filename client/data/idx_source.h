#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "client/data/raw_array.h"

namespace tacit::data {

// Reads an IDX file, the format of the MNIST files (http://yann.lecun.com/exdb/mnist): two zero bytes, a type byte, the
// number of dimensions, each dimension as 4 bytes big-endian, the elements big-endian and row-major. A gzip file is
// inflated, never further than one byte past what the header announces. DataLoss for anything else than such a file,
// for one that is cut off and one that is too long; otherwise as FileSize. Allocates in proportion to the file's size.
absl::StatusOr<RawArray> ParseIdx(std::string bytes);

}  // namespace tacit::data
