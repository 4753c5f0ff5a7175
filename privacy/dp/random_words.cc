#include "privacy/dp/random_words.h"

#include <openssl/crypto.h>

#include <algorithm>
#include <bit>
#include <span>

namespace tacit::dp {

static_assert(std::endian::native == std::endian::little, "words are read from the source as little-endian");

RandomWords::~RandomWords() { OPENSSL_cleanse(words_.data(), words_.size() * sizeof(words_[0])); }

absl::Status RandomWords::Fetch() {
  const size_t count = std::clamp<size_t>(expected_, 1, words_.size());
  absl::Status status = source_.Fill({reinterpret_cast<uint8_t*>(words_.data()), count * sizeof(words_[0])});
  if (!status.ok()) return status;
  expected_ -= std::min(expected_, count);
  next_ = 0;
  fetched_ = count;
  return absl::OkStatus();
}

}  // namespace tacit::dp
