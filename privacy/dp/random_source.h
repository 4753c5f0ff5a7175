#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tacit::dp {

// Where the randomness of sampling and noise comes from. One object is used by one thread at a time.
class RandomSource {
 public:
  virtual ~RandomSource() = default;
  // Fills `bytes`, or says why not (Internal); then nothing drawn from it may be used and nothing may be released.
  virtual absl::Status Fill(std::span<uint8_t> bytes) = 0;
  // False for a source whose output can be predicted: a run that used one has no privacy guarantee, and says so.
  virtual bool IsSecure() const = 0;
};

// OpenSSL's generator for private values (RAND_priv_bytes). The only source that carries a guarantee.
std::unique_ptr<RandomSource> MakeSecureRandomSource();

// Reproducible, predictable noise for tests and demonstrations: it destroys the privacy guarantee. The stream depends
// on (seed, purpose).
std::unique_ptr<RandomSource> MakeInsecureTestRandomSource(uint64_t seed, absl::string_view purpose);

}  // namespace tacit::dp
