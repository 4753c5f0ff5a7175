#include "core/tls/identity.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <memory>

#include "absl/strings/str_cat.h"
#include "core/file.h"
#include "core/status.h"

namespace tacit::tls {
namespace {

constexpr uint64_t kMaxPemBytes = 1 << 20;

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using CertificatePtr = std::unique_ptr<X509, Free>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Free>;

std::unique_ptr<BIO, Free> Open(const std::string& pem) {
  return std::unique_ptr<BIO, Free>(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
}

// An encrypted key would make OpenSSL ask on the terminal; a daemon has none.
int RefusePassword(char*, int, int, void*) { return -1; }

absl::StatusOr<CertificatePtr> ParseCertificate(const std::string& pem, const std::string& path) {
  CertificatePtr certificate(PEM_read_bio_X509(Open(pem).get(), nullptr, RefusePassword, nullptr));
  if (certificate == nullptr) return absl::InvalidArgumentError(absl::StrCat(path, ": holds no PEM certificate"));
  return certificate;
}

absl::Status CheckValidNow(const X509* certificate, const std::string& path) {
  if (X509_cmp_current_time(X509_get0_notBefore(certificate)) > 0) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": the certificate is not valid yet; check the clock"));
  }
  if (X509_cmp_current_time(X509_get0_notAfter(certificate)) < 0) {
    return absl::InvalidArgumentError(absl::StrCat(path, ": the certificate has expired; issue a new one"));
  }
  return absl::OkStatus();
}

std::string CommonName(const X509* certificate) {
  char text[256] = "";
  X509_NAME_get_text_by_NID(X509_get_subject_name(certificate), NID_commonName, text, sizeof(text));
  return text;
}

}  // namespace

absl::StatusOr<Identity> LoadIdentity(const std::string& certificate_path, const std::string& key_path,
                                      const std::string& authorities_path) {
  Identity identity;
  TACIT_ASSIGN_OR_RETURN(identity.certificate, ReadFile(certificate_path, kMaxPemBytes));
  TACIT_ASSIGN_OR_RETURN(identity.key, ReadFile(key_path, kMaxPemBytes));
  TACIT_ASSIGN_OR_RETURN(identity.authorities, ReadFile(authorities_path, kMaxPemBytes));
  TACIT_ASSIGN_OR_RETURN(const CertificatePtr certificate, ParseCertificate(identity.certificate, certificate_path));
  TACIT_RETURN_IF_ERROR(CheckValidNow(certificate.get(), certificate_path));
  TACIT_ASSIGN_OR_RETURN(const CertificatePtr authority, ParseCertificate(identity.authorities, authorities_path));
  TACIT_RETURN_IF_ERROR(CheckValidNow(authority.get(), authorities_path));
  const KeyPtr key(PEM_read_bio_PrivateKey(Open(identity.key).get(), nullptr, RefusePassword, nullptr));
  if (key == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(key_path, ": holds no PEM private key without a password"));
  }
  if (X509_check_private_key(certificate.get(), key.get()) != 1) {
    return absl::InvalidArgumentError(
        absl::StrCat(key_path, ": is not the private key of the certificate in ", certificate_path));
  }
  identity.common_name = CommonName(certificate.get());
  return identity;
}

}  // namespace tacit::tls
