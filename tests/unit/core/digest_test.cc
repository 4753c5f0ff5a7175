#include "core/digest.h"

#include <gtest/gtest.h>

#include "tests/unit/core/expect_error.h"

namespace tacit {
namespace {

// FIPS 180-4 examples.
TEST(DigestTest, KnownAnswers) {
  EXPECT_EQ(Digest::Of("").hex(), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(Digest::Of("abc").hex(), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(Digest::Of("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex(),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(Digest::Of(std::string(1000000, 'a')).hex(),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(DigestTest, PiecesGiveTheSameDigest) {
  DigestBuilder builder;
  for (const char* piece : {"a", "", "bc"}) builder.Add(piece);
  EXPECT_EQ(builder.Finish(), Digest::Of("abc"));
}

TEST(DigestTest, HexRoundTrip) {
  const Digest digest = Digest::Of("abc");
  EXPECT_EQ(*Digest::FromHex(digest.hex()), digest);
  EXPECT_NE(digest, Digest::Of("abd"));
  std::string hex = digest.hex();
  for (const std::string& bad : {std::string(), hex.substr(1), hex + "0", "BA" + hex.substr(2), "g" + hex.substr(1)}) {
    EXPECT_TRUE(FailsWith(Digest::FromHex(bad).status(), absl::StatusCode::kInvalidArgument, {"64"})) << bad;
  }
}

TEST(DigestTest, BytesRoundTrip) {
  const Digest digest = Digest::Of("abc");
  EXPECT_EQ(digest.AsBytes().size(), 32u);
  EXPECT_EQ(*Digest::FromBytes(digest.AsBytes()), digest);
  EXPECT_EQ(Digest::FromBytes("short").status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tacit
