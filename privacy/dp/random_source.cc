#include "privacy/dp/random_source.h"

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/rand.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "core/random_stream.h"
#include "core/status.h"

namespace tacit::dp {
namespace {

// RAND_priv_bytes, through a small buffer because a call of it is dear. Bytes are handed out once and wiped.
class SecureRandomSource final : public RandomSource {
 public:
  ~SecureRandomSource() override { OPENSSL_cleanse(buffer_.data(), buffer_.size()); }

  absl::Status Fill(std::span<uint8_t> bytes) override {
    // After a fork both processes would hand out what the buffer holds.
    if (getpid() != filled_by_) used_ = buffer_.size();
    absl::Status status = Draw(bytes);
    if (!status.ok()) OPENSSL_cleanse(bytes.data(), bytes.size());
    return status;
  }

  bool IsSecure() const override { return true; }

 private:
  absl::Status Draw(std::span<uint8_t> bytes) {
    while (!bytes.empty()) {
      if (used_ == buffer_.size()) TACIT_RETURN_IF_ERROR(Refill());
      const size_t count = std::min(bytes.size(), buffer_.size() - used_);
      std::memcpy(bytes.data(), buffer_.data() + used_, count);
      OPENSSL_cleanse(buffer_.data() + used_, count);
      used_ += count;
      bytes = bytes.subspan(count);
    }
    return absl::OkStatus();
  }

  absl::Status Refill() {
    if (RAND_priv_bytes(buffer_.data(), static_cast<int>(buffer_.size())) != 1) {
      std::array<char, 256> reason{};
      ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
      return absl::InternalError(absl::StrCat("OpenSSL's random generator failed: ", reason.data()));
    }
    used_ = 0;
    filled_by_ = getpid();
    return absl::OkStatus();
  }

  std::array<uint8_t, 4096> buffer_{};
  size_t used_ = sizeof(buffer_);
  pid_t filled_by_ = -1;
};

class InsecureTestRandomSource final : public RandomSource {
 public:
  InsecureTestRandomSource(uint64_t seed, absl::string_view purpose) : stream_(seed, absl::StrCat("dp ", purpose)) {}

  absl::Status Fill(std::span<uint8_t> bytes) override {
    stream_.Fill(bytes);
    return absl::OkStatus();
  }

  bool IsSecure() const override { return false; }

 private:
  RandomStream stream_;
};

}  // namespace

std::unique_ptr<RandomSource> MakeSecureRandomSource() { return std::make_unique<SecureRandomSource>(); }

std::unique_ptr<RandomSource> MakeInsecureTestRandomSource(uint64_t seed, absl::string_view purpose) {
  return std::make_unique<InsecureTestRandomSource>(seed, purpose);
}

}  // namespace tacit::dp
