#include "client/data/gzip.h"

#include <gtest/gtest.h>

#include "tests/unit/client/data/gzip_bytes.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::data {
namespace {

constexpr uint64_t kPlenty = 1 << 26;

std::string Text(size_t size) {
  std::string text;
  for (size_t i = 0; text.size() < size; ++i) text += std::to_string(i * i) + ",";
  text.resize(size);
  return text;
}

TEST(GzipTest, KnowsGzipByItsFirstBytes) {
  EXPECT_TRUE(IsGzip(Gzipped("x")));
  EXPECT_FALSE(IsGzip("a,b\n"));
  EXPECT_FALSE(IsGzip("\x1f"));
  EXPECT_FALSE(IsGzip(""));
}

TEST(GzipTest, RoundTrip) {
  for (const size_t size : {0, 1, 1000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, 2500000}) {
    const std::string text = Text(size);
    const auto out = Gunzip(Gzipped(text), kPlenty);
    ASSERT_TRUE(out.ok()) << out.status();
    EXPECT_EQ(*out, text) << size;
  }
}

TEST(GzipTest, MembersFollowOneAnother) {
  EXPECT_EQ(*Gunzip(Gzipped("one ") + Gzipped("") + Gzipped("two"), kPlenty), "one two");
}

TEST(GzipTest, StopsAtTheLimit) {
  const std::string compressed = Gzipped(Text(1000));
  EXPECT_TRUE(Gunzip(compressed, 1000).ok());
  EXPECT_TRUE(FailsWith(Gunzip(compressed, 999).status(), absl::StatusCode::kOutOfRange, {"999"}));
  // 16 MB of zeros in 16 kB: no more than the limit is inflated.
  const std::string bomb = Gzipped(std::string(16 << 20, '\0'));
  EXPECT_LT(bomb.size(), 30000u);
  EXPECT_LE((16 << 20) / bomb.size(), kMaxInflation);
  EXPECT_TRUE(FailsWith(Gunzip(bomb, 1 << 20).status(), absl::StatusCode::kOutOfRange, {"1048576"}));
}

TEST(GzipTest, ReadsInPieces) {
  const std::string text = Text(3000);
  const std::string compressed = Gzipped(text.substr(0, 1500)) + Gzipped(text.substr(1500));
  GzipReader reader(compressed);
  std::string out;
  while (out.size() < text.size()) {
    const size_t before = out.size();
    ASSERT_TRUE(reader.Read(7, out).ok());
    ASSERT_EQ(out.size(), std::min(before + 7, text.size()));
  }
  ASSERT_TRUE(reader.Read(7, out).ok());
  EXPECT_EQ(out, text);
}

TEST(GzipTest, EveryCutIsNoticed) {
  const std::string whole = Gzipped(Text(500));
  for (size_t size = 0; size < whole.size(); ++size) {
    const auto out = Gunzip(whole.substr(0, size), kPlenty);
    EXPECT_TRUE(FailsWith(out.status(), absl::StatusCode::kDataLoss, {"end too early"})) << size;
  }
}

TEST(GzipTest, DamageIsNoticed) {
  const std::string whole = Gzipped(Text(200));
  for (size_t i = 10; i < whole.size(); ++i) {
    std::string damaged = whole;
    damaged[i] = static_cast<char>(damaged[i] ^ 0x10);
    const auto out = Gunzip(damaged, kPlenty);
    if (out.ok()) {  // the unused bits of the last byte of the contents
      EXPECT_EQ(i, whole.size() - 9);
      EXPECT_EQ(*out, Text(200));
    } else {
      EXPECT_EQ(out.status().code(), absl::StatusCode::kDataLoss) << i;
    }
  }
}

TEST(GzipTest, TrailingBytesAreRefused) {
  EXPECT_TRUE(FailsWith(Gunzip(Gzipped("x") + "more", kPlenty).status(), absl::StatusCode::kDataLoss,
                        {"followed by something else"}));
  EXPECT_TRUE(FailsWith(Gunzip(Gzipped("x") + "\x1f", kPlenty).status(), absl::StatusCode::kDataLoss, {"followed"}));
  EXPECT_TRUE(FailsWith(Gunzip("plain", kPlenty).status(), absl::StatusCode::kDataLoss, {"corrupt"}));
}

}  // namespace
}  // namespace tacit::data
