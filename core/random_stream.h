#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "absl/strings/string_view.h"

namespace tacit {

// A reproducible stream of pseudo-random numbers, the same on every machine: ChaCha20 keyed by SHA-256 of a seed and a
// purpose, so that streams for different purposes are independent. For initial parameters, data splits and the batches
// of runs without privacy. Never for anything that a privacy guarantee rests on (privacy/dp/random_source.h).
// Not thread-safe.
class RandomStream {
 public:
  RandomStream(uint64_t seed, absl::string_view purpose);
  ~RandomStream();
  RandomStream(RandomStream&&) noexcept;
  RandomStream& operator=(RandomStream&&) noexcept;

  void Fill(std::span<uint8_t> bytes);
  uint64_t NextUint64();
  // Uniform on [0, bound), without bias; bound > 0.
  uint64_t NextBelow(uint64_t bound);
  // Uniform on [0, 1), 53 bits.
  double NextUnit();
  // Fisher-Yates: every order of `values` equally likely.
  void Shuffle(std::span<int64_t> values);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacit
