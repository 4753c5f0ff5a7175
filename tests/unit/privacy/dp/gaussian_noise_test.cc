#include "privacy/dp/gaussian_noise.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/unit/privacy/dp/test_random_sources.h"

namespace tacit::dp {
namespace {

// A word whose lower 12 bits begin with `zeros` zeros and then a one; the fraction is `fraction` / 2^52.
uint64_t UnitWord(uint64_t fraction, int zeros) { return fraction << 12 | uint64_t{0x800} >> zeros; }

TEST(DrawStandardNormals, FollowsBoxAndMuller) {
  WordSource source({UnitWord(0, 0), 0, UnitWord(uint64_t{1} << 51, 2), uint64_t{1} << 62});
  const auto normals = *DrawStandardNormals(4, source);
  ASSERT_EQ(normals.size(), 4u);
  // u = 1/2, no turn.
  EXPECT_DOUBLE_EQ(normals[0], std::sqrt(2 * std::numbers::ln2));
  EXPECT_EQ(normals[1], 0);
  // u = 1.5 / 2^3, a quarter turn.
  EXPECT_NEAR(normals[2], 0, 1e-15);
  EXPECT_DOUBLE_EQ(normals[3], std::sqrt(-2 * std::log(1.5 / 8)));
  EXPECT_EQ(source.words_left(), 0u);
}

TEST(DrawStandardNormals, UnitsNearOneGiveTheCentre) {
  WordSource source({UnitWord((uint64_t{1} << 52) - 1, 0), 0});
  const auto normals = *DrawStandardNormals(2, source);
  EXPECT_GT(normals[0], 0);
  EXPECT_LT(normals[0], 2e-8);
}

// 12 zeros in the first word and 40 and 70 more: the tail goes on past the 8.57 of a plain 53-bit uniform.
TEST(DrawStandardNormals, TinyUnitsKeepTheirPrecision) {
  WordSource source({0, uint64_t{1} << 23, 0, 0, 0, uint64_t{1} << 57, 0});
  const auto near = *DrawStandardNormals(1, source);
  EXPECT_DOUBLE_EQ(near[0], std::sqrt(2 * 53 * std::numbers::ln2));
  const auto far = *DrawStandardNormals(1, source);
  EXPECT_DOUBLE_EQ(far[0], std::sqrt(2 * 83 * std::numbers::ln2));
}

TEST(DrawStandardNormals, AnOddCountAndNone) {
  const auto draw = [](int64_t count) {
    const auto source = MakeInsecureTestRandomSource(7, "noise");
    return *DrawStandardNormals(count, *source);
  };
  EXPECT_TRUE(draw(0).empty());
  const auto three = draw(3);
  const auto four = draw(4);
  ASSERT_EQ(three.size(), 3u);
  for (size_t i = 0; i < 3; ++i) EXPECT_EQ(three[i], four[i]);
}

TEST(DrawStandardNormals, RefusesANegativeCount) {
  FailingSource source(1 << 20);
  EXPECT_EQ(DrawStandardNormals(-1, source).status().code(), absl::StatusCode::kInvalidArgument);
}

// Wherever the source fails, early or late, there is no result.
TEST(DpRules, Rule10_NoNormalsWithoutTheSource) {
  for (const size_t good : {0u, 4096u, 8192u}) {
    FailingSource source(good);
    EXPECT_EQ(DrawStandardNormals(5000, source).status().code(), absl::StatusCode::kInternal) << good;
  }
}

TEST(DpRules, Rule10_ASourceOfZerosIsAnErrorNotAnEndlessLoop) {
  FailingSource source(1 << 20, 0);
  EXPECT_EQ(DrawStandardNormals(2, source).status().code(), absl::StatusCode::kInternal);
}

}  // namespace
}  // namespace tacit::dp
