#include "server/rpc/federation_service.h"

#include "server/rpc/blob_service.h"
#include "server/rpc/session.h"

namespace tacit::rpc {

FederationService::FederationService(coordinator::Coordinator& coordinator, coordinator::BlobStore& blobs)
    : coordinator_(coordinator), blobs_(blobs), sessions_(ParameterVector::SerializedSize(*coordinator.schema())) {}

grpc::ServerBidiReactor<v1::ClientMessage, v1::ServerMessage>* FederationService::Session(
    grpc::CallbackServerContext* context) {
  return new rpc::Session(*context, coordinator_, sessions_);
}

grpc::ServerWriteReactor<v1::BlobChunk>* FederationService::FetchBlob(grpc::CallbackServerContext* context,
                                                                      const v1::FetchBlobRequest* request) {
  return ServeFetch(*context, *request, blobs_, sessions_);
}

grpc::ServerUnaryReactor* FederationService::StatBlob(grpc::CallbackServerContext* context,
                                                      const v1::StatBlobRequest* request, v1::StatBlobReply* reply) {
  grpc::ServerUnaryReactor* reactor = context->DefaultReactor();
  reactor->Finish(ToGrpc(ServeStat(*context, *request, *reply, sessions_)));
  return reactor;
}

grpc::ServerReadReactor<v1::PutBlobRequest>* FederationService::PutBlob(grpc::CallbackServerContext* context,
                                                                        v1::StatBlobReply* reply) {
  return ServePut(*context, *reply, sessions_);
}

}  // namespace tacit::rpc
