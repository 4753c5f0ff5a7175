#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tacit {

// SHA-256 of some bytes; the name under which a blob, a model artifact or a config is known.
class Digest {
 public:
  Digest() = default;
  static Digest Of(absl::string_view bytes);
  // 64 lower-case hex digits, or InvalidArgument.
  static absl::StatusOr<Digest> FromHex(absl::string_view hex);
  // 32 raw bytes, or InvalidArgument.
  static absl::StatusOr<Digest> FromBytes(absl::string_view bytes);
  std::string hex() const;
  std::string AsBytes() const { return std::string(bytes_.begin(), bytes_.end()); }
  const std::array<uint8_t, 32>& bytes() const { return bytes_; }
  friend auto operator<=>(const Digest&, const Digest&) = default;
  template <typename H>
  friend H AbslHashValue(H h, const Digest& digest) {
    return H::combine(std::move(h), digest.bytes_);
  }

 private:
  friend class DigestBuilder;
  std::array<uint8_t, 32> bytes_{};
};

// SHA-256 of bytes that arrive in pieces. Not thread-safe.
class DigestBuilder {
 public:
  DigestBuilder();
  ~DigestBuilder();
  DigestBuilder(const DigestBuilder&) = delete;
  DigestBuilder& operator=(const DigestBuilder&) = delete;
  void Add(absl::string_view bytes);
  // Ends the digest; nothing may be added afterwards.
  Digest Finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacit
