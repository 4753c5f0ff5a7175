#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/status.h"
#include "privacy/dp/random_source.h"

namespace tacit::dp {

// Delivers `good` bytes of value `value` and then fails for ever.
class FailingSource final : public RandomSource {
 public:
  explicit FailingSource(size_t good, uint8_t value = 0x5a) : left_(good), value_(value) {}
  absl::Status Fill(std::span<uint8_t> bytes) override {
    std::fill(bytes.begin(), bytes.end(), value_);
    if (bytes.size() > left_) return absl::InternalError("no entropy");
    left_ -= bytes.size();
    return absl::OkStatus();
  }
  bool IsSecure() const override { return false; }

 private:
  size_t left_;
  uint8_t value_;
};

// Delivers the given 64-bit words as little-endian bytes, then fails.
class WordSource final : public RandomSource {
 public:
  explicit WordSource(const std::vector<uint64_t>& words) {
    for (const uint64_t word : words) {
      for (int shift = 0; shift < 64; shift += 8) bytes_.push_back(static_cast<uint8_t>(word >> shift));
    }
  }
  absl::Status Fill(std::span<uint8_t> bytes) override {
    if (bytes.size() > bytes_.size() - next_) return absl::InternalError("no more words");
    std::copy_n(bytes_.begin() + static_cast<ptrdiff_t>(next_), bytes.size(), bytes.begin());
    next_ += bytes.size();
    return absl::OkStatus();
  }
  bool IsSecure() const override { return false; }
  size_t words_left() const { return (bytes_.size() - next_) / 8; }

 private:
  std::vector<uint8_t> bytes_;
  size_t next_ = 0;
};

}  // namespace tacit::dp
