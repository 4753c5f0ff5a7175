#include "client/data/shown.h"

#include <gtest/gtest.h>

namespace tacit::data {
namespace {

TEST(ShownTest, OneShortLine) {
  EXPECT_EQ(Shown("abc"), "'abc'");
  EXPECT_EQ(Shown(""), "''");
  EXPECT_EQ(Shown("a\nb\r\t"), "'a\\nb\\r\\t'");
  EXPECT_EQ(Shown("größe"), "'größe'");
  EXPECT_EQ(Shown(std::string(40, 'x')), "'" + std::string(40, 'x') + "'");
  EXPECT_EQ(Shown(std::string(41, 'x')), "'" + std::string(40, 'x') + "...'");
}

TEST(ShownTest, NeverCutsACharacter) {
  std::string text(39, 'x');
  for (int i = 0; i < 10; ++i) text += "ß";  // two bytes, the first at 39
  EXPECT_EQ(Shown(text), "'" + std::string(39, 'x') + "...'");
  EXPECT_EQ(Shown(std::string(50, '\x80')), "'...'");
}

}  // namespace
}  // namespace tacit::data
