#include "server/rpc/blob_service.h"

#include <optional>
#include <utility>

#include "core/status.h"
#include "proto/codec/blob_codec.h"
#include "server/rpc/session.h"

namespace tacit::rpc {
namespace {

absl::StatusOr<ClientId> Caller(const grpc::CallbackServerContext& context, const SessionRegistry& sessions) {
  const auto& metadata = context.client_metadata();
  const auto token = metadata.find("tacit-session");
  if (token == metadata.end()) return absl::UnauthenticatedError("the call names no session");
  return sessions.ClientOf(std::string(token->second.data(), token->second.size()));
}

class FetchReactor final : public grpc::ServerWriteReactor<v1::BlobChunk> {
 public:
  FetchReactor(absl::Status refused, coordinator::BlobStore::Blob blob, uint64_t offset)
      : blob_(std::move(blob)), next_(offset) {
    if (refused.ok() && blob_ == nullptr) refused = absl::NotFoundError("no such blob; it may be of an earlier round");
    if (refused.ok() && next_ > blob_->size()) refused = absl::OutOfRangeError("the blob ends before the offset");
    if (!refused.ok()) {
      Finish(ToGrpc(refused));
    } else {
      WriteNext();
    }
  }
  void OnWriteDone(bool ok) override { ok ? WriteNext() : Finish(grpc::Status(grpc::StatusCode::UNAVAILABLE, "")); }
  void OnDone() override { delete this; }

 private:
  void WriteNext() {
    if (next_ >= blob_->size()) return Finish(grpc::Status::OK);
    wire::MakeChunk(*blob_, next_, chunk_);
    next_ += chunk_.data().size();
    StartWrite(&chunk_);
  }

  coordinator::BlobStore::Blob blob_;
  uint64_t next_;
  v1::BlobChunk chunk_;
};

class PutReactor final : public grpc::ServerReadReactor<v1::PutBlobRequest> {
 public:
  PutReactor(absl::StatusOr<ClientId> client, v1::StatBlobReply& reply, SessionRegistry& sessions)
      : client_(std::move(client)), reply_(reply), sessions_(sessions) {
    if (!client_.ok()) {
      Finish(ToGrpc(client_.status()));
    } else {
      StartRead(&request_);
    }
  }

  void OnReadDone(bool ok) override {
    if (!ok) return End(upload_ == nullptr ? absl::InvalidArgumentError("the upload has no header") : absl::OkStatus());
    const absl::Status taken = Take();
    if (!taken.ok()) return End(taken);
    StartRead(&request_);
  }
  void OnDone() override {
    if (upload_ != nullptr) sessions_.PutBack(*client_, std::move(upload_));
    delete this;
  }

 private:
  absl::Status Take() {
    if (request_.has_chunk()) {
      if (upload_ == nullptr) return absl::InvalidArgumentError("the upload has no header");
      return upload_->Add(request_.chunk());
    }
    if (upload_ != nullptr || !request_.has_header()) return absl::InvalidArgumentError("the upload has two headers");
    TACIT_ASSIGN_OR_RETURN(const Digest digest, Digest::FromBytes(request_.header().digest()));
    TACIT_ASSIGN_OR_RETURN(upload_, sessions_.Take(*client_, digest, request_.header().total_bytes()));
    return absl::OkStatus();
  }

  // The upload goes back before the client hears of it, since the client may then refer to it.
  void End(const absl::Status& status) {
    if (upload_ != nullptr) {
      reply_.set_received_bytes(upload_->received());
      reply_.set_complete(upload_->complete());
      sessions_.PutBack(*client_, std::move(upload_));
    }
    Finish(ToGrpc(status));
  }

  const absl::StatusOr<ClientId> client_;
  v1::StatBlobReply& reply_;
  SessionRegistry& sessions_;
  v1::PutBlobRequest request_;
  SessionRegistry::Upload upload_;
};

}  // namespace

grpc::ServerWriteReactor<v1::BlobChunk>* ServeFetch(const grpc::CallbackServerContext& context,
                                                    const v1::FetchBlobRequest& request,
                                                    const coordinator::BlobStore& blobs,
                                                    const SessionRegistry& sessions) {
  absl::Status status = Caller(context, sessions).status();
  const absl::StatusOr<Digest> digest = Digest::FromBytes(request.digest());
  status.Update(digest.status());
  coordinator::BlobStore::Blob blob = status.ok() ? blobs.Get(*digest) : nullptr;
  return new FetchReactor(status, std::move(blob), request.offset());
}

grpc::ServerReadReactor<v1::PutBlobRequest>* ServePut(const grpc::CallbackServerContext& context,
                                                      v1::StatBlobReply& reply, SessionRegistry& sessions) {
  return new PutReactor(Caller(context, sessions), reply, sessions);
}

absl::Status ServeStat(const grpc::CallbackServerContext& context, const v1::StatBlobRequest& request,
                       v1::StatBlobReply& reply, const SessionRegistry& sessions) {
  TACIT_ASSIGN_OR_RETURN(const ClientId client, Caller(context, sessions));
  TACIT_ASSIGN_OR_RETURN(const Digest digest, Digest::FromBytes(request.digest()));
  reply.set_received_bytes(sessions.Received(client, digest));
  return absl::OkStatus();
}

}  // namespace tacit::rpc
