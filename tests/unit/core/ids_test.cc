#include "core/ids.h"

#include <gtest/gtest.h>

#include "tests/unit/core/expect_error.h"

namespace tacit {
namespace {

TEST(ValidateNameTest, GoodNames) {
  for (const std::string& name :
       {std::string("a"), std::string("Trainer-1.site_b"), std::string("_x"), std::string("1"), std::string(64, 'x')}) {
    EXPECT_TRUE(ValidateName(name).ok()) << name;
  }
}

TEST(ValidateNameTest, EveryRuleHasItsMessage) {
  const auto code = absl::StatusCode::kInvalidArgument;
  EXPECT_TRUE(FailsWith(ValidateName(""), code, {"empty"}));
  EXPECT_TRUE(FailsWith(ValidateName(std::string(65, 'x')), code, {"64"}));
  EXPECT_TRUE(FailsWith(ValidateName(".hidden"), code, {"'.hidden'", "starts with"}));
  EXPECT_TRUE(FailsWith(ValidateName("-flag"), code, {"'-flag'", "starts with"}));
  for (const char* bad : {"a b", "a/b", "..\\x", "a\nb", "ä", "a:b", "a\"b"}) {
    EXPECT_EQ(ValidateName(bad).code(), code) << bad;
  }
  EXPECT_TRUE(FailsWith(ValidateName("a\nb"), code, {"only letters"}));
  EXPECT_EQ(ValidateName(absl::string_view("a\0b", 3)).code(), code);
}

TEST(NameTest, CreateChecks) {
  EXPECT_EQ(RunId::Create("run-1")->str(), "run-1");
  EXPECT_EQ(*ClientId::Create("a"), *ClientId::Create("a"));
  EXPECT_LT(*ClientId::Create("a"), *ClientId::Create("b"));
  EXPECT_FALSE(RunId::Create("a b").ok());
}

}  // namespace
}  // namespace tacit
