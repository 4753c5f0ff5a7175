#include "server/rpc/session_registry.h"

#include <openssl/rand.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace tacit::rpc {

absl::StatusOr<std::string> SessionRegistry::Open(const ClientId& client) {
  unsigned char bytes[32];
  if (RAND_bytes(bytes, sizeof(bytes)) != 1) return absl::InternalError("OpenSSL's random generator failed");
  std::string token = absl::BytesToHexString(std::string(reinterpret_cast<const char*>(bytes), sizeof(bytes)));
  absl::MutexLock lock(&mutex_);
  sessions_[token] = client;
  return token;
}

void SessionRegistry::Close(const std::string& token) {
  absl::MutexLock lock(&mutex_);
  sessions_.erase(token);
}

absl::StatusOr<ClientId> SessionRegistry::ClientOf(const std::string& token) const {
  absl::MutexLock lock(&mutex_);
  const auto found = sessions_.find(token);
  if (found == sessions_.end()) return absl::UnauthenticatedError("the call belongs to no open session");
  return found->second;
}

absl::StatusOr<SessionRegistry::Upload> SessionRegistry::Take(const ClientId& client, const Digest& digest,
                                                              uint64_t total_bytes) {
  if (total_bytes > max_upload_bytes_) {
    return absl::InvalidArgumentError(
        absl::StrCat("a blob of ", total_bytes, " bytes, where an update has ", max_upload_bytes_));
  }
  absl::MutexLock lock(&mutex_);
  Upload upload = std::exchange(uploads_[client], nullptr);
  if (upload != nullptr && upload->digest() == digest && upload->total_bytes() == total_bytes) return upload;
  return std::make_unique<wire::BlobAssembler>(digest, total_bytes);
}

void SessionRegistry::PutBack(const ClientId& client, Upload upload) {
  absl::MutexLock lock(&mutex_);
  uploads_[client] = std::move(upload);
}

uint64_t SessionRegistry::Received(const ClientId& client, const Digest& digest) const {
  absl::MutexLock lock(&mutex_);
  const auto found = uploads_.find(client);
  if (found == uploads_.end() || found->second == nullptr || found->second->digest() != digest) return 0;
  return found->second->received();
}

absl::StatusOr<std::string> SessionRegistry::Finish(const ClientId& client, const Digest& digest) {
  Upload upload;
  {
    absl::MutexLock lock(&mutex_);
    const auto found = uploads_.find(client);
    if (found == uploads_.end() || found->second == nullptr || found->second->digest() != digest) {
      return absl::DataLossError("the update's tensors were not uploaded");
    }
    upload = std::exchange(found->second, nullptr);
  }
  return std::move(*upload).Finish();
}

}  // namespace tacit::rpc
