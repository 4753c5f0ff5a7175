#pragma once

#include <cstdint>

namespace tacit::data {

// The largest data file that is read, and the largest size that a compressed one may have when inflated.
inline constexpr uint64_t kMaxDataBytes = uint64_t{16} << 30;
// The most dimensions that an array may have.
inline constexpr size_t kMaxDimensions = 16;

}  // namespace tacit::data
