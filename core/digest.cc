#include "core/digest.h"

#include <openssl/evp.h>

#include <charconv>
#include <cstdlib>

#include "absl/strings/escaping.h"

namespace tacit {

struct DigestBuilder::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
  ~State() { EVP_MD_CTX_free(context); }
};

DigestBuilder::DigestBuilder() : state_(std::make_unique<State>()) {
  // Only memory exhaustion or a broken OpenSSL can fail here; going on without a digest would be unsafe.
  if (state_->context == nullptr || EVP_DigestInit_ex(state_->context, EVP_sha256(), nullptr) != 1) std::abort();
}

DigestBuilder::~DigestBuilder() = default;

void DigestBuilder::Add(absl::string_view bytes) {
  if (EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) != 1) std::abort();
}

Digest DigestBuilder::Finish() {
  Digest digest;
  if (EVP_DigestFinal_ex(state_->context, digest.bytes_.data(), nullptr) != 1) std::abort();
  return digest;
}

Digest Digest::Of(absl::string_view bytes) {
  DigestBuilder builder;
  builder.Add(bytes);
  return builder.Finish();
}

absl::StatusOr<Digest> Digest::FromHex(absl::string_view hex) {
  if (hex.size() != 64 || hex.find_first_not_of("0123456789abcdef") != absl::string_view::npos) {
    return absl::InvalidArgumentError("a SHA-256 digest is 64 lower-case hex digits");
  }
  Digest digest;
  for (size_t i = 0; i < digest.bytes_.size(); ++i) {
    std::from_chars(hex.data() + 2 * i, hex.data() + 2 * i + 2, digest.bytes_[i], 16);
  }
  return digest;
}

absl::StatusOr<Digest> Digest::FromBytes(absl::string_view bytes) {
  Digest digest;
  if (bytes.size() != digest.bytes_.size()) return absl::InvalidArgumentError("a SHA-256 digest has 32 bytes");
  for (size_t i = 0; i < digest.bytes_.size(); ++i) digest.bytes_[i] = static_cast<uint8_t>(bytes[i]);
  return digest;
}

std::string Digest::hex() const {
  return absl::BytesToHexString(absl::string_view(reinterpret_cast<const char*>(bytes_.data()), bytes_.size()));
}

}  // namespace tacit
