#include "tests/support/certificates.h"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <atomic>

namespace tacit::test {
namespace {

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
};
using CertificatePtr = std::unique_ptr<X509, Free>;
using KeyPtr = std::unique_ptr<EVP_PKEY, Free>;

std::string TextOf(BIO* bio) {
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio, &data);
  return std::string(data, static_cast<size_t>(size));
}

std::string ToPem(X509* certificate) {
  const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_X509(bio.get(), certificate);
  return TextOf(bio.get());
}

std::string ToPem(EVP_PKEY* key) {
  const std::unique_ptr<BIO, Free> bio(BIO_new(BIO_s_mem()));
  PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr);
  return TextOf(bio.get());
}

void AddExtension(X509* certificate, X509* issuer, int nid, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const std::unique_ptr<X509_EXTENSION, Free> extension(X509V3_EXT_conf_nid(nullptr, &context, nid, value.c_str()));
  X509_add_ext(certificate, extension.get(), -1);
}

CertificatePtr Unsigned(const CertificateAuthority::Request& request, EVP_PKEY* key) {
  static std::atomic<long> serial = 1;
  CertificatePtr certificate(X509_new());
  X509_set_version(certificate.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), serial++);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), request.valid_from_seconds);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), request.valid_until_seconds);
  X509_NAME* subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "O", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("Tacit tests"), -1, -1,
                             0);
  if (!request.common_name.empty()) {
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC,
                               reinterpret_cast<const unsigned char*>(request.common_name.c_str()), -1, -1, 0);
  }
  X509_set_pubkey(certificate.get(), key);
  return certificate;
}

}  // namespace

struct CertificateAuthority::State {
  KeyPtr key;
  CertificatePtr certificate;
};

CertificateAuthority::CertificateAuthority(const std::string& name) : state_(std::make_unique<State>()) {
  state_->key.reset(EVP_EC_gen("P-256"));
  state_->certificate = Unsigned({.common_name = name}, state_->key.get());
  X509* certificate = state_->certificate.get();
  X509_set_issuer_name(certificate, X509_get_subject_name(certificate));
  AddExtension(certificate, certificate, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(certificate, certificate, NID_key_usage, "critical,keyCertSign,cRLSign");
  AddExtension(certificate, certificate, NID_subject_key_identifier, "hash");
  X509_sign(certificate, state_->key.get(), EVP_sha256());
  certificate_ = ToPem(certificate);
}

CertificateAuthority::~CertificateAuthority() = default;

CertificateAuthority::Pem CertificateAuthority::Issue(const Request& request) const {
  const KeyPtr key(EVP_EC_gen("P-256"));
  const CertificatePtr certificate = Unsigned(request, key.get());
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(state_->certificate.get()));
  if (!request.subject_alternatives.empty()) {
    AddExtension(certificate.get(), state_->certificate.get(), NID_subject_alt_name, request.subject_alternatives);
  }
  X509_sign(certificate.get(), state_->key.get(), EVP_sha256());
  return {ToPem(certificate.get()), ToPem(key.get())};
}

}  // namespace tacit::test
