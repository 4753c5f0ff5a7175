#pragma once

#include "server/round/coordinator.h"
#include "server/rpc/session_registry.h"
#include "server/store/blob_store.h"
#include "tacit/v1/federation.grpc.pb.h"

namespace tacit::rpc {

// tacit.v1.Federation for one coordinator. What it is given must outlive it and all its calls.
class FederationService final : public v1::Federation::CallbackService {
 public:
  FederationService(coordinator::Coordinator& coordinator, coordinator::BlobStore& blobs);

  grpc::ServerBidiReactor<v1::ClientMessage, v1::ServerMessage>* Session(grpc::CallbackServerContext* context) override;
  grpc::ServerWriteReactor<v1::BlobChunk>* FetchBlob(grpc::CallbackServerContext* context,
                                                     const v1::FetchBlobRequest* request) override;
  grpc::ServerUnaryReactor* StatBlob(grpc::CallbackServerContext* context, const v1::StatBlobRequest* request,
                                     v1::StatBlobReply* reply) override;
  grpc::ServerReadReactor<v1::PutBlobRequest>* PutBlob(grpc::CallbackServerContext* context,
                                                       v1::StatBlobReply* reply) override;

 private:
  coordinator::Coordinator& coordinator_;
  coordinator::BlobStore& blobs_;
  SessionRegistry sessions_;
};

}  // namespace tacit::rpc
