#include "core/random_stream.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace tacit {
namespace {

// Computed with an independent implementation of SHA-256 and ChaCha20 (RFC 8439, nonce and counter zero).
TEST(RandomStreamTest, KnownAnswers) {
  RandomStream zero(0, "test");
  for (const uint64_t expected :
       {0xcf4ed7aec1fb928cULL, 0x375bab81d1d4cdb3ULL, 0xcf5d8b8f2cedd8b2ULL, 0x51ef72dcf9d3a9a4ULL}) {
    EXPECT_EQ(zero.NextUint64(), expected);
  }
  RandomStream other(12345, "partition");
  EXPECT_EQ(other.NextUint64(), 0x1d37ff40d8976827ULL);
  EXPECT_EQ(other.NextUint64(), 0x37b25233704eee3aULL);
}

TEST(RandomStreamTest, KnownAnswersPastOneBuffer) {
  RandomStream random(7, "long");
  std::vector<uint64_t> values(1000);
  for (uint64_t& value : values) value = random.NextUint64();
  EXPECT_EQ(values[511], 0x91387376dda4af4aULL);
  EXPECT_EQ(values[512], 0xf7dca24956bc4a77ULL);
  EXPECT_EQ(values[999], 0xf728a2e854c7425bULL);
}

TEST(RandomStreamTest, KnownAnswersOfWhatIsDerived) {
  RandomStream below(1, "below");
  for (const uint64_t expected : {8, 2, 5, 1, 1, 8, 4, 7, 0, 1, 7, 6}) EXPECT_EQ(below.NextBelow(10), expected);
  RandomStream unit(1, "unit");
  for (const double expected : {0.5029878671989241, 0.5923624242783841, 0.04121721894800123}) {
    EXPECT_EQ(unit.NextUnit(), expected);
  }
  std::vector<int64_t> values(10);
  std::iota(values.begin(), values.end(), 0);
  RandomStream(3, "shuffle").Shuffle(values);
  EXPECT_EQ(values, (std::vector<int64_t>{2, 5, 6, 9, 7, 3, 8, 0, 4, 1}));
}

TEST(RandomStreamTest, FillInAnyPiecesIsTheSameStream) {
  std::vector<uint8_t> whole(10000), pieces(10000);
  RandomStream(5, "fill").Fill(whole);
  RandomStream random(5, "fill");
  size_t at = 0;
  for (size_t size = 0; at < pieces.size(); size = size * 2 + 1) {
    const size_t count = std::min(size, pieces.size() - at);
    random.Fill(std::span(pieces).subspan(at, count));
    at += count;
  }
  EXPECT_EQ(whole, pieces);
}

TEST(RandomStreamTest, SeedAndPurposeBothMatter) {
  const uint64_t value = RandomStream(1, "a").NextUint64();
  EXPECT_EQ(RandomStream(1, "a").NextUint64(), value);
  EXPECT_NE(RandomStream(2, "a").NextUint64(), value);
  EXPECT_NE(RandomStream(1, "b").NextUint64(), value);
  EXPECT_NE(RandomStream(1, "a ").NextUint64(), value);
  // "1 1" must not mean seed 1 with purpose "1" and seed 11 with none alike.
  EXPECT_NE(RandomStream(1, "1").NextUint64(), RandomStream(11, "").NextUint64());
}

// Correlation of two streams over n draws is about normal with deviation 1/sqrt(n). The seeds are fixed, so the outcome
// is too; with fresh seeds the bound of 5 deviations would fail once in 1.7 million runs.
TEST(RandomStreamTest, PurposesAreUncorrelated) {
  constexpr int kDraws = 10000;
  RandomStream a(9, "noise"), b(9, "noise2");
  double sum = 0;
  for (int i = 0; i < kDraws; ++i) sum += (a.NextUnit() - 0.5) * (b.NextUnit() - 0.5) * 12;
  EXPECT_LT(std::abs(sum / kDraws), 5 / std::sqrt(kDraws));
}

// Chi-square with bound - 1 degrees of freedom; its deviation is sqrt(2 (bound - 1)). Bounds that divide 2^64 badly
// would show a bias if rejection were left out only for huge ones: 3 * 2^62 makes a third of the range twice as likely.
TEST(RandomStreamTest, NextBelowIsUniform) {
  constexpr int kDraws = 60000;
  for (const uint64_t cells : {2u, 3u, 6u, 10u, 97u}) {
    RandomStream random(cells, "chi-square");
    std::vector<int> counts(cells);
    for (int i = 0; i < kDraws; ++i) ++counts[random.NextBelow(cells)];
    const double expected = static_cast<double>(kDraws) / static_cast<double>(cells);
    double chi_square = 0;
    for (const int count : counts) chi_square += (count - expected) * (count - expected) / expected;
    const double freedom = static_cast<double>(cells - 1);
    EXPECT_LT(chi_square, freedom + 6 * std::sqrt(2 * freedom) + 10) << cells;
  }
  const uint64_t bound = uint64_t{3} << 62;
  RandomStream random(1, "rejection");
  int low = 0;
  for (int i = 0; i < kDraws; ++i) {
    const uint64_t value = random.NextBelow(bound);
    ASSERT_LT(value, bound);
    low += value < (uint64_t{1} << 62) ? 1 : 0;
  }
  EXPECT_NEAR(low, kDraws / 3.0, 6 * std::sqrt(kDraws * 2 / 9.0));  // a half without rejection
  EXPECT_EQ(RandomStream(1, "one").NextBelow(1), 0u);
}

TEST(RandomStreamTest, ShuffleGivesEveryOrder) {
  RandomStream random(1, "orders");
  std::vector<int> counts(6);
  constexpr int kTrials = 6000;
  for (int i = 0; i < kTrials; ++i) {
    std::vector<int64_t> values{0, 1, 2};
    random.Shuffle(values);
    ++counts[static_cast<size_t>(values[0] * 2 + (values[1] > values[2] ? 1 : 0))];
  }
  double chi_square = 0;
  for (const int count : counts) chi_square += (count - 1000.0) * (count - 1000.0) / 1000;
  EXPECT_LT(chi_square, 30);  // 5 degrees of freedom: exceeded with probability 1.5e-5 for fresh seeds
  random.Shuffle({});
}

}  // namespace
}  // namespace tacit
