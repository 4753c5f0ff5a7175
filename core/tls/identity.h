#pragma once

#include <string>

#include "absl/status/statusor.h"

namespace tacit::tls {

// A certificate with its private key, and the authorities that the other side's certificate must come from. All PEM.
struct Identity {
  std::string certificate;
  std::string key;
  std::string authorities;
  std::string common_name;  // of the certificate
};

// Reads the three files and checks what can be checked before a connection: that they hold what they should, that the
// key is the certificate's, that the certificate is valid now. NotFound or InvalidArgument name the file.
absl::StatusOr<Identity> LoadIdentity(const std::string& certificate_path, const std::string& key_path,
                                      const std::string& authorities_path);

}  // namespace tacit::tls
