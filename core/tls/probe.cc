#include "core/tls/probe.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <memory>

#include "absl/strings/str_cat.h"

namespace tacit::tls {
namespace {

constexpr timeval kTimeout{.tv_sec = 5, .tv_usec = 0};

struct Free {
  void operator()(BIO* bio) const { BIO_free_all(bio); }
  void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using BioPtr = std::unique_ptr<BIO, Free>;
using ContextPtr = std::unique_ptr<SSL_CTX, Free>;

BioPtr Memory(const std::string& pem) { return BioPtr(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size()))); }

ContextPtr MakeContext(const Identity& identity) {
  ContextPtr context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return nullptr;
  const BioPtr authorities = Memory(identity.authorities);
  X509_STORE* store = SSL_CTX_get_cert_store(context.get());
  while (X509* raw = PEM_read_bio_X509(authorities.get(), nullptr, nullptr, nullptr)) {
    const std::unique_ptr<X509, Free> authority(raw);
    X509_STORE_add_cert(store, authority.get());
  }
  ERR_clear_error();  // the end of the list is reported as an error
  const BioPtr chain = Memory(identity.certificate);
  const std::unique_ptr<X509, Free> own(PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr));
  const std::unique_ptr<EVP_PKEY, Free> key(
      PEM_read_bio_PrivateKey(Memory(identity.key).get(), nullptr, nullptr, nullptr));
  SSL_CTX_use_certificate(context.get(), own.get());
  while (X509* intermediate = PEM_read_bio_X509(chain.get(), nullptr, nullptr, nullptr)) {
    SSL_CTX_add0_chain_cert(context.get(), intermediate);
  }
  ERR_clear_error();
  SSL_CTX_use_PrivateKey(context.get(), key.get());
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  return context;
}

void SetTimeout(BIO* connection) {
  int socket = -1;
  BIO_get_fd(connection, &socket);
  if (socket < 0) return;
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &kTimeout, sizeof(kTimeout));
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &kTimeout, sizeof(kTimeout));
}

// The last error that OpenSSL noted, in its words.
std::string LastError() {
  const unsigned long code = ERR_peek_last_error();
  const char* reason = ERR_reason_error_string(code);
  return reason != nullptr ? reason : "the connection was closed";
}

absl::Status Handshake(BIO* connection, const std::string& address, const std::string& server_name) {
  SSL* ssl = nullptr;
  BIO_get_ssl(connection, &ssl);
  SSL_set_tlsext_host_name(ssl, server_name.c_str());
  constexpr unsigned char kHttp2[] = {2, 'h', '2'};  // a gRPC server turns everybody else away
  SSL_set_alpn_protos(ssl, kHttp2, sizeof(kHttp2));
  // A name that is an address is matched against the certificate's addresses.
  X509_VERIFY_PARAM* param = SSL_get0_param(ssl);
  if (X509_VERIFY_PARAM_set1_ip_asc(param, server_name.c_str()) != 1) SSL_set1_host(ssl, server_name.c_str());
  ERR_clear_error();
  if (BIO_do_handshake(connection) != 1) {
    const long verdict = SSL_get_verify_result(ssl);
    if (verdict != X509_V_OK) {
      return absl::PermissionDeniedError(absl::StrCat(
          "the certificate of the server at ", address, " for the name '", server_name,
          "' is not accepted: ", X509_verify_cert_error_string(verdict), "; check tls.ca and tls.server_name"));
    }
    const int reason = ERR_GET_REASON(ERR_peek_last_error());
    if (reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_UNSUPPORTED_PROTOCOL) {
      return absl::PermissionDeniedError(
          absl::StrCat("the server at ", address, " does not speak TLS; start it with a [tls] table"));
    }
    return absl::UnavailableError(absl::StrCat(address, ": TLS handshake failed: ", LastError()));
  }
  // Under TLS 1.3 the server judges our certificate after the handshake. If it accepts us, it speaks first, as HTTP/2
  // has it; if not, gRPC's servers send an alert or just close the connection.
  char byte;
  ERR_clear_error();
  const int count = SSL_read(ssl, &byte, 1);
  if (count > 0 || SSL_get_error(ssl, count) == SSL_ERROR_WANT_READ) return absl::OkStatus();
  const bool alert = ERR_GET_REASON(ERR_peek_last_error()) >= SSL_AD_REASON_OFFSET;
  return absl::PermissionDeniedError(absl::StrCat("the server at ", address, " does not accept this client's ",
                                                  "certificate: ", alert ? LastError() : "it closed the connection",
                                                  "; check tls.certificate"));
}

}  // namespace

absl::Status Probe(const std::string& address, const std::string& server_name, const Identity& identity) {
  const ContextPtr context = MakeContext(identity);
  if (context == nullptr) return absl::InternalError("OpenSSL cannot make a TLS context");
  const BioPtr plain(BIO_new_connect(address.c_str()));
  ERR_clear_error();
  if (plain == nullptr || BIO_do_connect(plain.get()) != 1) {
    return absl::UnavailableError(absl::StrCat(address, ": cannot connect: ", LastError()));
  }
  SetTimeout(plain.get());
  BIO* secured = BIO_new_ssl(context.get(), /*client=*/1);
  if (secured == nullptr) return absl::InternalError("OpenSSL cannot make a TLS connection");
  BIO_push(secured, plain.get());
  const absl::Status outcome = Handshake(secured, address, server_name);
  BIO_pop(secured);
  BIO_free(secured);
  return outcome;
}

}  // namespace tacit::tls
