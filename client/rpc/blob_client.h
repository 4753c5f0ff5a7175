#pragma once

#include <memory>
#include <stop_token>
#include <string>

#include "absl/status/statusor.h"
#include "core/digest.h"
#include "tacit/v1/federation.grpc.pb.h"

namespace tacit::rpc {

// Blob transfers of one session. Not thread-safe.
class BlobClient {
 public:
  BlobClient(v1::Federation::StubInterface& stub, std::string session_token, std::stop_token stop)
      : stub_(stub), session_token_(std::move(session_token)), stop_(std::move(stop)) {}

  // The blob, whose size is known; a transfer that breaks off goes on from where it was. NotFound when the coordinator
  // no longer has it; DataLoss when the bytes are not the blob's.
  absl::StatusOr<std::string> Fetch(const Digest& digest, uint64_t size);
  absl::Status Put(const Digest& digest, const std::string& bytes);

 private:
  void Prepare(grpc::ClientContext& context) const;
  v1::Federation::StubInterface& stub_;
  std::string session_token_;
  std::stop_token stop_;
};

}  // namespace tacit::rpc
