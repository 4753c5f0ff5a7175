#include "core/random_stream.h"

#include <openssl/evp.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/digest.h"

namespace tacit {

struct RandomStream::State {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  std::array<uint8_t, 4096> block;
  size_t used = sizeof(block);
  ~State() { EVP_CIPHER_CTX_free(context); }

  void Refill() {
    static constexpr std::array<uint8_t, sizeof(block)> kZeros{};
    int length = 0;
    if (EVP_EncryptUpdate(context, block.data(), &length, kZeros.data(), sizeof(block)) != 1) std::abort();
    used = 0;
  }
};

RandomStream::RandomStream(uint64_t seed, absl::string_view purpose) : state_(std::make_unique<State>()) {
  const Digest key = Digest::Of(absl::StrCat("tacit random stream ", seed, " ", purpose));
  const std::array<uint8_t, 16> counter{};
  if (state_->context == nullptr ||
      EVP_EncryptInit_ex(state_->context, EVP_chacha20(), nullptr, key.bytes().data(), counter.data()) != 1) {
    std::abort();  // OpenSSL without ChaCha20 or out of memory: nothing sensible can follow
  }
}

RandomStream::~RandomStream() = default;
RandomStream::RandomStream(RandomStream&&) noexcept = default;
RandomStream& RandomStream::operator=(RandomStream&&) noexcept = default;

void RandomStream::Fill(std::span<uint8_t> bytes) {
  size_t done = 0;
  while (done < bytes.size()) {
    if (state_->used == state_->block.size()) state_->Refill();
    const size_t count = std::min(bytes.size() - done, state_->block.size() - state_->used);
    std::memcpy(bytes.data() + done, state_->block.data() + state_->used, count);
    state_->used += count;
    done += count;
  }
}

uint64_t RandomStream::NextUint64() {
  std::array<uint8_t, 8> bytes;
  Fill(bytes);
  uint64_t value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

uint64_t RandomStream::NextBelow(uint64_t bound) {
  const uint64_t reject_below = (0 - bound) % bound;  // 2^64 mod bound
  uint64_t value = NextUint64();
  while (value < reject_below) value = NextUint64();
  return value % bound;
}

double RandomStream::NextUnit() { return static_cast<double>(NextUint64() >> 11) * 0x1p-53; }

void RandomStream::Shuffle(std::span<int64_t> values) {
  for (size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[NextBelow(i)]);
}

}  // namespace tacit
