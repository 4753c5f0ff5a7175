#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "absl/status/statusor.h"
#include "privacy/dp/random_source.h"

namespace tacit::dp {

// 64-bit words from a RandomSource, fetched a few KiB at a time and wiped at the end. Not thread-safe.
class RandomWords {
 public:
  // Fetches no more than `expected` words ahead; asking for more than that is allowed. `source` must outlive this.
  RandomWords(RandomSource& source, size_t expected) : source_(source), expected_(expected) {}
  ~RandomWords();
  RandomWords(const RandomWords&) = delete;
  RandomWords& operator=(const RandomWords&) = delete;

  // Uniform on [0, 2^64), little-endian from the source's bytes; or the source's error.
  absl::StatusOr<uint64_t> Next() {
    if (next_ == fetched_) {
      if (absl::Status status = Fetch(); !status.ok()) return status;
    }
    return words_[next_++];
  }

 private:
  absl::Status Fetch();

  RandomSource& source_;
  size_t expected_;
  size_t next_ = 0;
  size_t fetched_ = 0;
  std::array<uint64_t, 512> words_;
};

}  // namespace tacit::dp
