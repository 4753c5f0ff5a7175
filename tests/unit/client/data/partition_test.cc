#include "client/data/partition.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "tests/unit/core/expect_error.h"

namespace tacit::data {
namespace {

using absl::StatusCode;

config::PartitionConfig Config(int64_t parts, int64_t part, double holdout = 0, bool take_holdout = false) {
  return {.parts = parts, .part = part, .holdout = holdout, .take_holdout = take_holdout, .seed = 7};
}

TEST(PartitionTest, PartsAndHoldoutCoverAllRowsOnce) {
  for (const int64_t rows : {3, 10, 101, 569}) {
    for (const double holdout : {0.0, 0.2}) {
      std::vector<int64_t> all;
      std::set<size_t> sizes;
      for (int64_t part = 0; part < 2; ++part) {
        const auto mine = PartitionRows(rows, Config(2, part, holdout));
        ASSERT_TRUE(mine.ok()) << mine.status();
        EXPECT_TRUE(std::ranges::is_sorted(*mine));
        sizes.insert(mine->size());
        all.insert(all.end(), mine->begin(), mine->end());
      }
      EXPECT_LE(*sizes.rbegin() - *sizes.begin(), 1u);
      if (holdout > 0) {
        const auto held = PartitionRows(rows, Config(2, 0, holdout, true));
        ASSERT_TRUE(held.ok()) << held.status();
        EXPECT_EQ(static_cast<int64_t>(held->size()), std::llround(holdout * static_cast<double>(rows)));
        all.insert(all.end(), held->begin(), held->end());
      }
      std::ranges::sort(all);
      std::vector<int64_t> expected(static_cast<size_t>(rows));
      std::iota(expected.begin(), expected.end(), 0);
      EXPECT_EQ(all, expected);
    }
  }
}

// Pinned: a change of it would silently give every trainer other rows than before.
TEST(PartitionTest, KnownAnswer) {
  EXPECT_EQ(*PartitionRows(12, Config(3, 0, 0.25)), (std::vector<int64_t>{2, 4, 8}));
  EXPECT_EQ(*PartitionRows(12, Config(3, 2, 0.25)), (std::vector<int64_t>{0, 5, 11}));
  EXPECT_EQ(*PartitionRows(12, Config(3, 0, 0.25, true)), (std::vector<int64_t>{1, 3, 6}));
}

TEST(PartitionTest, TheSeedDecides) {
  config::PartitionConfig other = Config(2, 0);
  other.seed = 8;
  EXPECT_NE(*PartitionRows(100, Config(2, 0)), *PartitionRows(100, other));
  EXPECT_EQ(*PartitionRows(100, Config(2, 0)), *PartitionRows(100, Config(2, 0)));
}

TEST(PartitionTest, UnevenRowsGoToTheFirstParts) {
  EXPECT_EQ(PartitionRows(11, Config(4, 0))->size(), 3u);
  EXPECT_EQ(PartitionRows(11, Config(4, 2))->size(), 3u);
  EXPECT_EQ(PartitionRows(11, Config(4, 3))->size(), 2u);
}

TEST(PartitionTest, TooFewRows) {
  EXPECT_TRUE(PartitionRows(3, Config(3, 0)).ok());
  EXPECT_TRUE(FailsWith(PartitionRows(2, Config(3, 0)).status(), StatusCode::kInvalidArgument,
                        {"partition.parts", "2 rows", "3 parts", "lower parts"}));
  EXPECT_TRUE(FailsWith(PartitionRows(10, Config(6, 0, 0.5)).status(), StatusCode::kInvalidArgument,
                        {"5 rows (10 less 5 held out)", "6 parts"}));
  EXPECT_TRUE(FailsWith(PartitionRows(4, Config(1, 0, 0.1, true)).status(), StatusCode::kInvalidArgument,
                        {"partition.holdout", "0.1 of 4 rows"}));
  const int64_t huge = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(FailsWith(PartitionRows(10, Config(huge, huge - 1)).status(), StatusCode::kInvalidArgument, {"too few"}));
}

TEST(PartitionTest, ConfigOutOfRange) {
  EXPECT_TRUE(FailsWith(PartitionRows(10, Config(2, 2)).status(), StatusCode::kInvalidArgument,
                        {"partition.part: is 2, must be from 0 to 1"}));
  EXPECT_TRUE(FailsWith(PartitionRows(10, Config(2, -1)).status(), StatusCode::kInvalidArgument, {"partition.part"}));
  EXPECT_TRUE(FailsWith(PartitionRows(10, Config(0, 0)).status(), StatusCode::kInvalidArgument, {"partition.parts"}));
  EXPECT_TRUE(
      FailsWith(PartitionRows(10, Config(2, 0, 1)).status(), StatusCode::kInvalidArgument, {"partition.holdout"}));
  config::PartitionConfig config = Config(2, 0);
  config.scheme = "dirichlet";
  EXPECT_TRUE(
      FailsWith(PartitionRows(10, config).status(), StatusCode::kInvalidArgument, {"partition.scheme", "dirichlet"}));
}

}  // namespace
}  // namespace tacit::data
