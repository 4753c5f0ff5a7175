#pragma once

#include <grpcpp/grpcpp.h>

#include "server/rpc/session_registry.h"
#include "server/store/blob_store.h"
#include "tacit/v1/federation.grpc.pb.h"

namespace tacit::rpc {

// The server's side of one blob call each, on gRPC's callback threads. The reactors delete themselves. A call whose
// "tacit-session" metadata names no open session ends with UNAUTHENTICATED.

grpc::ServerWriteReactor<v1::BlobChunk>* ServeFetch(const grpc::CallbackServerContext& context,
                                                    const v1::FetchBlobRequest& request,
                                                    const coordinator::BlobStore& blobs,
                                                    const SessionRegistry& sessions);

grpc::ServerReadReactor<v1::PutBlobRequest>* ServePut(const grpc::CallbackServerContext& context,
                                                      v1::StatBlobReply& reply, SessionRegistry& sessions);

absl::Status ServeStat(const grpc::CallbackServerContext& context, const v1::StatBlobRequest& request,
                       v1::StatBlobReply& reply, const SessionRegistry& sessions);

}  // namespace tacit::rpc
