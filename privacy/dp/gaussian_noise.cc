#include "privacy/dp/gaussian_noise.h"

#include <bit>
#include <cmath>
#include <numbers>

#include "absl/strings/str_cat.h"
#include "core/status.h"
#include "privacy/dp/random_words.h"

namespace tacit::dp {
namespace {

// Uniform on (0, 1): the upper 52 bits of a word are the fraction, and the number of zeros that come before the first
// one, counted from the lower 12 bits on, is the binary exponent, as in an endless string of fair bits.
absl::StatusOr<double> NextOpenUnit(RandomWords& words) {
  constexpr int kExponentBits = 12;
  TACIT_ASSIGN_OR_RETURN(const uint64_t word, words.Next());
  const uint64_t exponent_bits = word << (64 - kExponentBits);
  const double fraction = 1 + static_cast<double>(word >> kExponentBits) * 0x1p-52;
  if (exponent_bits != 0) return std::ldexp(fraction, -1 - std::countl_zero(exponent_bits));
  int zeros = kExponentBits;
  constexpr int kImpossible = 1000;  // happens with probability 2^-1000 unless the source is broken
  while (zeros < kImpossible) {
    TACIT_ASSIGN_OR_RETURN(const uint64_t more, words.Next());
    zeros += std::countl_zero(more);
    if (more != 0) return std::ldexp(fraction, -1 - zeros);
  }
  return absl::InternalError("the random source delivers nothing but zeros");
}

}  // namespace

absl::StatusOr<std::vector<double>> DrawStandardNormals(int64_t count, RandomSource& source) {
  if (count < 0) return absl::InvalidArgumentError(absl::StrCat("cannot draw ", count, " numbers"));
  std::vector<double> normals(static_cast<size_t>(count));
  RandomWords words(source, normals.size() + normals.size() % 2);
  for (size_t i = 0; i < normals.size(); i += 2) {
    TACIT_ASSIGN_OR_RETURN(const double unit, NextOpenUnit(words));
    TACIT_ASSIGN_OR_RETURN(const uint64_t turn, words.Next());
    const double radius = std::sqrt(-2 * std::log(unit));
    const double angle = 2 * std::numbers::pi * (static_cast<double>(turn >> 11) * 0x1p-53);
    normals[i] = radius * std::cos(angle);
    if (i + 1 < normals.size()) normals[i + 1] = radius * std::sin(angle);
  }
  return normals;
}

}  // namespace tacit::dp
