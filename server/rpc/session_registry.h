#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/digest.h"
#include "core/ids.h"
#include "proto/codec/blob_codec.h"

namespace tacit::rpc {

// Which sessions may transfer blobs, and the one blob that each is uploading. A session's token is a secret of that
// client's, good until its session ends. Thread-safe.
class SessionRegistry {
 public:
  // `max_upload_bytes`: the largest blob that a client may upload.
  explicit SessionRegistry(uint64_t max_upload_bytes) : max_upload_bytes_(max_upload_bytes) {}

  absl::StatusOr<std::string> Open(const ClientId& client);
  // The upload survives its session, so that a client that reconnects can go on with it.
  void Close(const std::string& token);
  // Unauthenticated for a token that isn't open.
  absl::StatusOr<ClientId> ClientOf(const std::string& token) const;

  // An upload in hand; held by one call at a time.
  using Upload = std::unique_ptr<wire::BlobAssembler>;
  // Takes the client's upload of `digest` to go on with it, or begins one; an unfinished one of another digest is
  // dropped. InvalidArgument when it is too large.
  absl::StatusOr<Upload> Take(const ClientId& client, const Digest& digest, uint64_t total_bytes);
  void PutBack(const ClientId& client, Upload upload);
  // How much of the blob has arrived.
  uint64_t Received(const ClientId& client, const Digest& digest) const;
  // The complete blob, which is then forgotten here. DataLoss when it is incomplete or isn't what its digest says.
  absl::StatusOr<std::string> Finish(const ClientId& client, const Digest& digest);

 private:
  const uint64_t max_upload_bytes_;
  mutable absl::Mutex mutex_;
  std::map<std::string, ClientId> sessions_ ABSL_GUARDED_BY(mutex_);
  std::map<ClientId, Upload> uploads_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tacit::rpc
