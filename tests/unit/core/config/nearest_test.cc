#include "core/config/nearest.h"

#include <gtest/gtest.h>

namespace tacit::config {
namespace {

const std::vector<std::string> kKeys{"rounds", "steps_per_round", "sampling_rate", "optimizer"};

TEST(NearestTest, SlipsOfTheKeyboard) {
  EXPECT_EQ(Nearest("round", kKeys), "rounds");
  EXPECT_EQ(Nearest("ruonds", kKeys), "rounds");
  EXPECT_EQ(Nearest("step_per_round", kKeys), "steps_per_round");
  EXPECT_EQ(Nearest("samplingrate", kKeys), "sampling_rate");
  EXPECT_EQ(Nearest("rounds", kKeys), "rounds");
}

TEST(NearestTest, SomethingElse) {
  EXPECT_EQ(Nearest("quorum", kKeys), std::nullopt);
  EXPECT_EQ(Nearest("", kKeys), std::nullopt);
  EXPECT_EQ(Nearest("rounds", {}), std::nullopt);
}

TEST(NearestTest, TheFirstOfEquallyNear) { EXPECT_EQ(Nearest("ab", {"ac", "ad"}), "ac"); }

}  // namespace
}  // namespace tacit::config
