#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tacit/v1/federation.grpc.pb.h"

namespace tacit::rpc {

// A function that the test's thread sets and the server's threads call.
template <typename Function>
class Script {
 public:
  Script& operator=(Function function) {
    const std::lock_guard lock(mutex_);
    function_ = std::move(function);
    return *this;
  }
  template <typename... Arguments>
  grpc::Status Run(Arguments&... arguments) const {
    std::unique_lock lock(mutex_);
    const Function function = function_;
    lock.unlock();
    grpc::Status status =
        function ? function(arguments...) : grpc::Status(grpc::StatusCode::UNIMPLEMENTED, "not scripted");
    Settle();
    return status;
  }
  // After this a thread sees what the calls that have ended did.
  void Settle() const { const std::lock_guard lock(mutex_); }

 private:
  mutable std::mutex mutex_;
  Function function_;
};

// A server on loopback whose every answer is a function of the test's.
class ScriptedServer final : public v1::Federation::Service {
 public:
  using Stream = grpc::ServerReaderWriter<v1::ServerMessage, v1::ClientMessage>;
  Script<std::function<grpc::Status(Stream&)>> session;
  Script<std::function<grpc::Status(const v1::FetchBlobRequest&, grpc::ServerWriter<v1::BlobChunk>&)>> fetch;
  Script<std::function<grpc::Status(v1::StatBlobReply&)>> stat;
  Script<std::function<grpc::Status(grpc::ServerReader<v1::PutBlobRequest>&, v1::StatBlobReply&)>> put;

  ScriptedServer() {
    grpc::ServerBuilder builder;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port_);
    builder.RegisterService(this);
    server_ = builder.BuildAndStart();
  }
  ~ScriptedServer() override { server_->Shutdown(std::chrono::system_clock::now()); }

  // To be called before the test looks at what its scripts have noted.
  void Settle() const {
    session.Settle();
    fetch.Settle();
    stat.Settle();
    put.Settle();
  }

  std::unique_ptr<v1::Federation::Stub> NewStub() const {
    return v1::Federation::NewStub(
        grpc::CreateChannel(absl::StrCat("127.0.0.1:", port_), grpc::InsecureChannelCredentials()));
  }

  grpc::Status Session(grpc::ServerContext*, Stream* stream) override { return session.Run(*stream); }
  grpc::Status FetchBlob(grpc::ServerContext*, const v1::FetchBlobRequest* request,
                         grpc::ServerWriter<v1::BlobChunk>* writer) override {
    return fetch.Run(*request, *writer);
  }
  grpc::Status StatBlob(grpc::ServerContext*, const v1::StatBlobRequest*, v1::StatBlobReply* reply) override {
    return stat.Run(*reply);
  }
  grpc::Status PutBlob(grpc::ServerContext*, grpc::ServerReader<v1::PutBlobRequest>* reader,
                       v1::StatBlobReply* reply) override {
    return put.Run(*reader, *reply);
  }

 private:
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
};

}  // namespace tacit::rpc
