#pragma once

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "privacy/dp/random_source.h"

namespace tacit::dp {

// `count` >= 0 independent standard normals, or the source's error and none at all. Internal when the source delivers
// nothing but zeros.
//
// By Box and Muller: radius sqrt(-2 log u) and a uniform angle give two normals. u has 53 significant bits however
// small it is, so the tails are right as far as they are ever drawn (a plain 53-bit u ends at 8.57), and the angle has
// 53 bits. Evaluated in double: relative error of some 1e-15, and values lie on the irregular grid that this leaves
// (docs/privacy.md, "What is not protected yet").
absl::StatusOr<std::vector<double>> DrawStandardNormals(int64_t count, RandomSource& source);

}  // namespace tacit::dp
