#include "client/rpc/blob_client.h"

#include <gtest/gtest.h>

#include <vector>

#include "proto/codec/blob_codec.h"
#include "proto/codec/limits.h"
#include "tests/unit/client/rpc/scripted_server.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::rpc {
namespace {

const grpc::Status kBroken(grpc::StatusCode::UNAVAILABLE, "the connection broke");

std::string Bytes(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 13 + i / 1000);
  return bytes;
}

class BlobClientTest : public ::testing::Test {
 protected:
  BlobClientTest() : stub(server.NewStub()), client(*stub, "token", {}) {}

  // Sends `blob` from the offset that was asked for, at most `chunks` chunks of it.
  grpc::Status Send(const v1::FetchBlobRequest& request, grpc::ServerWriter<v1::BlobChunk>& writer, int chunks) {
    offsets.push_back(request.offset());
    uint64_t offset = request.offset();
    for (int i = 0; i < chunks && offset < blob.size(); ++i) {
      v1::BlobChunk chunk;
      wire::MakeChunk(blob, offset, chunk);
      offset += chunk.data().size();
      writer.Write(chunk);
    }
    return offset == blob.size() ? grpc::Status::OK : kBroken;
  }
  // Takes an upload, at most `chunks` chunks of it.
  grpc::Status Receive(grpc::ServerReader<v1::PutBlobRequest>& reader, v1::StatBlobReply& reply, int chunks) {
    v1::PutBlobRequest request;
    reader.Read(&request);
    EXPECT_EQ(request.header().total_bytes(), blob.size());
    while (chunks-- > 0 && reader.Read(&request)) {
      if (!assembler.Add(request.chunk()).ok()) return grpc::Status(grpc::StatusCode::DATA_LOSS, "damaged");
    }
    reply.set_received_bytes(assembler.received());
    reply.set_complete(assembler.complete());
    return assembler.complete() ? grpc::Status::OK : kBroken;
  }

  const std::string blob = Bytes(2 * wire::kChunkBytes + 1000);
  const Digest digest = Digest::Of(blob);
  wire::BlobAssembler assembler{digest, blob.size()};
  std::vector<uint64_t> offsets;
  ScriptedServer server;
  const std::unique_ptr<v1::Federation::Stub> stub;
  BlobClient client;
};

TEST_F(BlobClientTest, FetchesABlobInChunks) {
  server.fetch = [&](const auto& request, auto& writer) { return Send(request, writer, 100); };
  EXPECT_EQ(*client.Fetch(digest, blob.size()), blob);
}

TEST_F(BlobClientTest, AFetchThatBreaksOffGoesOnFromWhereItWas) {
  server.fetch = [&](const auto& request, auto& writer) { return Send(request, writer, 1); };
  EXPECT_EQ(*client.Fetch(digest, blob.size()), blob);
  server.Settle();
  EXPECT_EQ(offsets, (std::vector<uint64_t>{0, wire::kChunkBytes, 2 * wire::kChunkBytes}));
}

TEST_F(BlobClientTest, AFetchThatKeepsBreakingOffIsUnavailable) {
  server.fetch = [&](const auto&, auto&) { return kBroken; };
  EXPECT_EQ(client.Fetch(digest, blob.size()).status().code(), absl::StatusCode::kUnavailable);
}

TEST_F(BlobClientTest, ABlobThatIsGoneIsNotFound) {
  server.fetch = [&](const auto&, auto&) { return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such blob"); };
  EXPECT_EQ(client.Fetch(digest, blob.size()).status(), absl::NotFoundError("no such blob"));
}

TEST_F(BlobClientTest, DamageIsDataLoss) {
  server.fetch = [&](const auto&, auto& writer) {
    v1::BlobChunk chunk;
    wire::MakeChunk(blob, 0, chunk);
    chunk.set_crc32(chunk.crc32() + 1);
    writer.Write(chunk);
    return grpc::Status::OK;
  };
  EXPECT_TRUE(FailsWith(client.Fetch(digest, blob.size()).status(), absl::StatusCode::kDataLoss, {"damaged"}));
}

TEST_F(BlobClientTest, AnotherBlobThanAskedForIsDataLoss) {
  server.fetch = [&](const auto& request, auto& writer) { return Send(request, writer, 100); };
  EXPECT_TRUE(FailsWith(client.Fetch(Digest::Of("x"), blob.size()).status(), absl::StatusCode::kDataLoss, {"digest"}));
}

TEST_F(BlobClientTest, AServerThatSendsMoreThanAnnouncedIsCutOff) {
  server.fetch = [&](const auto& request, auto& writer) { return Send(request, writer, 100); };
  EXPECT_TRUE(FailsWith(client.Fetch(digest, 10).status(), absl::StatusCode::kDataLoss, {"larger"}));
}

TEST_F(BlobClientTest, AServerThatSendsTooLittleIsDataLoss) {
  server.fetch = [&](const auto&, auto&) { return grpc::Status::OK; };
  EXPECT_TRUE(FailsWith(client.Fetch(digest, blob.size()).status(), absl::StatusCode::kDataLoss, {"ends after 0"}));
}

TEST_F(BlobClientTest, UploadsABlobInChunks) {
  server.stat = [](auto&) { return grpc::Status::OK; };
  server.put = [&](auto& reader, auto& reply) { return Receive(reader, reply, 100); };
  EXPECT_TRUE(client.Put(digest, blob).ok());
  server.Settle();
  EXPECT_EQ(*std::move(assembler).Finish(), blob);
}

TEST_F(BlobClientTest, AnUploadThatBreaksOffGoesOnFromWhereItWas) {
  server.stat = [&](auto& reply) {
    reply.set_received_bytes(assembler.received());
    return grpc::Status::OK;
  };
  server.put = [&](auto& reader, auto& reply) { return Receive(reader, reply, 1); };
  EXPECT_TRUE(client.Put(digest, blob).ok());
  server.Settle();
  EXPECT_EQ(*std::move(assembler).Finish(), blob);
}

TEST_F(BlobClientTest, ARefusedUploadSaysWhy) {
  server.stat = [](auto&) { return grpc::Status::OK; };
  server.put = [](auto&, auto&) { return grpc::Status(grpc::StatusCode::INVALID_ARGUMENT, "too large"); };
  EXPECT_EQ(client.Put(digest, blob), absl::InvalidArgumentError("too large"));
}

TEST_F(BlobClientTest, AnUploadThatNeverCompletesIsUnavailable) {
  server.stat = [](auto&) { return grpc::Status::OK; };
  server.put = [](auto&, auto&) { return grpc::Status::OK; };
  EXPECT_EQ(client.Put(digest, blob).code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace tacit::rpc
