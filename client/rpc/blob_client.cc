#include "client/rpc/blob_client.h"

#include <utility>

#include "client/rpc/channel.h"
#include "core/status.h"
#include "proto/codec/blob_codec.h"

namespace tacit::rpc {
namespace {

constexpr int kAttempts = 3;

}  // namespace

void BlobClient::Prepare(grpc::ClientContext& context) const { context.AddMetadata("tacit-session", session_token_); }

absl::StatusOr<std::string> BlobClient::Fetch(const Digest& digest, uint64_t size) {
  wire::BlobAssembler assembler(digest, size);
  absl::Status status;
  for (int attempt = 0; attempt < kAttempts && !assembler.complete(); ++attempt) {
    grpc::ClientContext context;
    Prepare(context);
    const std::stop_callback cancel(stop_, [&] { context.TryCancel(); });
    v1::FetchBlobRequest request;
    request.set_digest(digest.AsBytes());
    request.set_offset(assembler.received());
    const auto reader = stub_.FetchBlob(&context, request);
    v1::BlobChunk chunk;
    absl::Status added;
    while (added.ok() && reader->Read(&chunk)) added = assembler.Add(chunk);
    if (!added.ok()) context.TryCancel();
    status = FromGrpc(reader->Finish());
    if (!added.ok()) status = added;
    if (!status.ok() && !absl::IsUnavailable(status)) return status;
  }
  if (!assembler.complete() && !status.ok()) return status;
  return std::move(assembler).Finish();
}

absl::Status BlobClient::Put(const Digest& digest, const std::string& bytes) {
  absl::Status status;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    grpc::ClientContext stat_context;
    Prepare(stat_context);
    v1::StatBlobRequest stat;
    stat.set_digest(digest.AsBytes());
    v1::StatBlobReply known;
    status = FromGrpc(stub_.StatBlob(&stat_context, stat, &known));
    if (absl::IsUnavailable(status)) continue;
    TACIT_RETURN_IF_ERROR(status);

    grpc::ClientContext context;
    Prepare(context);
    const std::stop_callback cancel(stop_, [&] { context.TryCancel(); });
    v1::StatBlobReply reply;
    const auto writer = stub_.PutBlob(&context, &reply);
    v1::PutBlobRequest request;
    request.mutable_header()->set_digest(digest.AsBytes());
    request.mutable_header()->set_total_bytes(bytes.size());
    bool open = writer->Write(request);
    for (uint64_t offset = known.received_bytes(); open && offset < bytes.size();) {
      wire::MakeChunk(bytes, offset, *request.mutable_chunk());
      offset += request.chunk().data().size();
      open = writer->Write(request);
    }
    writer->WritesDone();
    status = FromGrpc(writer->Finish());
    if (status.ok() && reply.complete()) return absl::OkStatus();
    if (!status.ok() && !absl::IsUnavailable(status)) return status;
  }
  return status.ok() ? absl::UnavailableError("an upload stayed incomplete") : status;
}

}  // namespace tacit::rpc
