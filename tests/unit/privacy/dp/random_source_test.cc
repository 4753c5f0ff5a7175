// The tests replace OpenSSL's generator, for which it has only a deprecated interface.
#define OPENSSL_SUPPRESS_DEPRECATED
#include "privacy/dp/random_source.h"

#include <gtest/gtest.h>
#include <openssl/rand.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <vector>

namespace tacit::dp {
namespace {

// OpenSSL's generator replaced by a counter, or by failure, as long as this lives.
class ReplacedGenerator {
 public:
  explicit ReplacedGenerator(bool works) : original_(RAND_get_rand_method()) {
    next_ = 0;
    static const RAND_METHOD counting{nullptr, Count, nullptr, nullptr, Count, nullptr};
    static const RAND_METHOD failing{nullptr, Fail, nullptr, nullptr, Fail, nullptr};
    RAND_set_rand_method(works ? &counting : &failing);
  }
  ~ReplacedGenerator() { RAND_set_rand_method(original_); }

 private:
  static int Count(unsigned char* bytes, int size) {
    for (int i = 0; i < size; ++i) bytes[i] = static_cast<unsigned char>(next_++ * 7 + 3);
    return 1;
  }
  static int Fail(unsigned char*, int) { return 0; }
  static inline uint64_t next_ = 0;
  const RAND_METHOD* original_;
};

TEST(DpRules, Rule05_NoiseComesFromTheCryptographicGenerator) {
  const ReplacedGenerator generator(true);
  const auto source = MakeSecureRandomSource();
  EXPECT_TRUE(source->IsSecure());
  uint64_t expected = 0;
  for (const size_t size : {1u, 7u, 4096u, 100u, 10000u, 0u, 5u}) {
    std::vector<uint8_t> bytes(size);
    ASSERT_TRUE(source->Fill(bytes).ok());
    for (const uint8_t byte : bytes) ASSERT_EQ(byte, static_cast<uint8_t>(expected++ * 7 + 3));
  }
}

TEST(DpRules, Rule05_TheSeededSourceSaysThatItIsInsecure) {
  EXPECT_FALSE(MakeInsecureTestRandomSource(1, "noise")->IsSecure());
}

TEST(DpRules, Rule10_AFailingGeneratorIsAnErrorAndLeavesNoBytes) {
  const ReplacedGenerator generator(false);
  std::array<uint8_t, 64> bytes;
  bytes.fill(0xab);
  const auto source = MakeSecureRandomSource();
  EXPECT_EQ(source->Fill(bytes).code(), absl::StatusCode::kInternal);
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), 0), 64);
  EXPECT_EQ(source->Fill(bytes).code(), absl::StatusCode::kInternal);
}

// Two sources, or one source twice, agree in 32 bytes with probability 2^-256.
TEST(SecureRandomSource, NeverRepeats) {
  std::array<uint8_t, 32> first;
  std::array<uint8_t, 32> second;
  std::array<uint8_t, 32> other;
  const auto source = MakeSecureRandomSource();
  ASSERT_TRUE(source->Fill(first).ok());
  ASSERT_TRUE(source->Fill(second).ok());
  ASSERT_TRUE(MakeSecureRandomSource()->Fill(other).ok());
  EXPECT_NE(first, second);
  EXPECT_NE(first, other);
}

// Would both processes go on from one buffer, they would add the same noise. Equal by chance: 2^-256.
TEST(SecureRandomSource, AForkedProcessGetsOtherBytes) {
  std::array<uint8_t, 32> parent;
  std::array<uint8_t, 32> child;
  const auto source = MakeSecureRandomSource();
  ASSERT_TRUE(source->Fill(parent).ok());
  std::array<int, 2> ends;
  ASSERT_EQ(pipe(ends.data()), 0);
  const pid_t pid = fork();
  if (pid == 0) {
    const bool good = source->Fill(child).ok() && write(ends[1], child.data(), child.size()) == 32;
    _exit(good ? 0 : 1);
  }
  ASSERT_GT(pid, 0);
  int result = 1;
  ASSERT_EQ(waitpid(pid, &result, 0), pid);
  ASSERT_EQ(result, 0);
  ASSERT_EQ(read(ends[0], child.data(), child.size()), 32);
  ASSERT_TRUE(source->Fill(parent).ok());
  EXPECT_NE(parent, child);
  close(ends[0]);
  close(ends[1]);
}

TEST(InsecureTestRandomSource, DependsOnSeedAndPurposeAlone) {
  const auto draw = [](uint64_t seed, const char* purpose) {
    std::vector<uint8_t> bytes(40);
    EXPECT_TRUE(MakeInsecureTestRandomSource(seed, purpose)->Fill(bytes).ok());
    return bytes;
  };
  EXPECT_EQ(draw(1, "noise"), draw(1, "noise"));
  EXPECT_NE(draw(1, "noise"), draw(2, "noise"));
  EXPECT_NE(draw(1, "noise"), draw(1, "sampling"));
}

}  // namespace
}  // namespace tacit::dp
