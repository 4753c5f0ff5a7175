#pragma once

#include <memory>
#include <string>

namespace tacit::test {

// Makes certificates for tests, with OpenSSL: one authority and what it signs. Keys are on P-256.
class CertificateAuthority {
 public:
  explicit CertificateAuthority(const std::string& name);
  ~CertificateAuthority();

  struct Pem {
    std::string certificate;
    std::string key;
  };
  struct Request {
    std::string common_name;           // empty: none
    std::string subject_alternatives;  // e.g. "IP:127.0.0.1,DNS:localhost"; empty: none
    long valid_from_seconds = -3600;   // from now
    long valid_until_seconds = 3600;
  };
  Pem Issue(const Request& request) const;
  // The authority's own certificate.
  const std::string& certificate() const { return certificate_; }

 private:
  struct State;
  std::unique_ptr<State> state_;
  std::string certificate_;
};

}  // namespace tacit::test
