#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "privacy/dp/random_source.h"

namespace tacit::dp {
namespace {

// The one test on real randomness: bytes are uniform. Chi-square with 255 degrees of freedom has mean 255 and deviation
// 22.6; it exceeds 255 + 250 with probability below 1e-15. False alarm: below 1e-15 a run.
TEST(SecureSourceStatistics, BytesAreUniform) {
  std::vector<uint8_t> bytes(1 << 20);
  ASSERT_TRUE(MakeSecureRandomSource()->Fill(bytes).ok());
  std::array<double, 256> counts{};
  for (const uint8_t byte : bytes) counts[byte] += 1;
  const double expected = static_cast<double>(bytes.size()) / 256;
  double chi_square = 0;
  for (const double count : counts) chi_square += (count - expected) * (count - expected) / expected;
  EXPECT_LT(chi_square, 255 + 250);
}

}  // namespace
}  // namespace tacit::dp
