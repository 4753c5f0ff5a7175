#include "server/rpc/session_registry.h"

#include <gtest/gtest.h>

#include <set>

#include "tests/support/federation.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::rpc {
namespace {

using test::Client;

constexpr uint64_t kMax = 100;

v1::BlobChunk ChunkOf(const std::string& blob, uint64_t offset) {
  v1::BlobChunk chunk;
  wire::MakeChunk(blob, offset, chunk);
  return chunk;
}

TEST(SessionRegistry, ATokenIsGoodUntilItsSessionEnds) {
  SessionRegistry registry(kMax);
  const std::string token = *registry.Open(Client("a"));
  EXPECT_EQ(*registry.ClientOf(token), Client("a"));
  registry.Close(token);
  EXPECT_EQ(registry.ClientOf(token).status().code(), absl::StatusCode::kUnauthenticated);
}

TEST(SessionRegistry, EveryTokenIsAnother) {
  SessionRegistry registry(kMax);
  std::set<std::string> tokens;
  for (int i = 0; i < 100; ++i) tokens.insert(*registry.Open(Client("a")));
  EXPECT_EQ(tokens.size(), 100u);
  for (const std::string& token : tokens) EXPECT_EQ(token.size(), 64u);
  for (const std::string& wrong : {std::string(), std::string("a"), std::string(64, '0')}) {
    EXPECT_FALSE(registry.ClientOf(wrong).ok());
  }
}

TEST(SessionRegistry, ClosingOneSessionLeavesTheOthersOpen) {
  SessionRegistry registry(kMax);
  const std::string first = *registry.Open(Client("a"));
  const std::string second = *registry.Open(Client("a"));
  registry.Close(first);
  EXPECT_EQ(*registry.ClientOf(second), Client("a"));
}

TEST(SessionRegistry, AnUploadLargerThanAnUpdateIsRefused) {
  SessionRegistry registry(kMax);
  EXPECT_TRUE(FailsWith(registry.Take(Client("a"), Digest::Of("x"), kMax + 1).status(),
                        absl::StatusCode::kInvalidArgument, {"101", "100"}));
  EXPECT_TRUE(registry.Take(Client("a"), Digest::Of("x"), kMax).ok());
}

TEST(SessionRegistry, AnUploadGoesOnWhereItStopped) {
  SessionRegistry registry(kMax);
  const std::string blob = "0123456789";
  const Digest digest = Digest::Of(blob);
  SessionRegistry::Upload upload = *registry.Take(Client("a"), digest, blob.size());
  v1::BlobChunk chunk = ChunkOf(blob.substr(0, 4), 0);
  ASSERT_TRUE(upload->Add(chunk).ok());
  registry.PutBack(Client("a"), std::move(upload));
  EXPECT_EQ(registry.Received(Client("a"), digest), 4u);
  EXPECT_EQ(registry.Received(Client("b"), digest), 0u);
  EXPECT_EQ(registry.Received(Client("a"), Digest::Of("other")), 0u);

  upload = *registry.Take(Client("a"), digest, blob.size());
  EXPECT_EQ(upload->received(), 4u);
  ASSERT_TRUE(upload->Add(ChunkOf(blob, 4)).ok());
  registry.PutBack(Client("a"), std::move(upload));
  EXPECT_EQ(*registry.Finish(Client("a"), digest), blob);
  EXPECT_EQ(registry.Finish(Client("a"), digest).status().code(), absl::StatusCode::kDataLoss);
}

TEST(SessionRegistry, AnotherBlobTakesTheUnfinishedOnesPlace) {
  SessionRegistry registry(kMax);
  SessionRegistry::Upload upload = *registry.Take(Client("a"), Digest::Of("first"), 5);
  ASSERT_TRUE(upload->Add(ChunkOf("firs", 0)).ok());
  registry.PutBack(Client("a"), std::move(upload));
  EXPECT_EQ((*registry.Take(Client("a"), Digest::Of("second"), 6))->received(), 0u);
  EXPECT_EQ(registry.Received(Client("a"), Digest::Of("first")), 0u);
}

TEST(SessionRegistry, TheSameDigestWithAnotherSizeBeginsAnew) {
  SessionRegistry registry(kMax);
  SessionRegistry::Upload upload = *registry.Take(Client("a"), Digest::Of("first"), 5);
  ASSERT_TRUE(upload->Add(ChunkOf("firs", 0)).ok());
  registry.PutBack(Client("a"), std::move(upload));
  EXPECT_EQ((*registry.Take(Client("a"), Digest::Of("first"), 50))->received(), 0u);
}

TEST(SessionRegistry, WhatIsNotUploadedCannotBeFinished) {
  SessionRegistry registry(kMax);
  EXPECT_TRUE(
      FailsWith(registry.Finish(Client("a"), Digest::Of("x")).status(), absl::StatusCode::kDataLoss, {"not uploaded"}));
  SessionRegistry::Upload upload = *registry.Take(Client("a"), Digest::Of("first"), 5);
  ASSERT_TRUE(upload->Add(ChunkOf("firs", 0)).ok());
  registry.PutBack(Client("a"), std::move(upload));
  EXPECT_TRUE(
      FailsWith(registry.Finish(Client("a"), Digest::Of("first")).status(), absl::StatusCode::kDataLoss, {"4 of 5"}));
}

TEST(SessionRegistry, OneClientsUploadIsNotAnothers) {
  SessionRegistry registry(kMax);
  SessionRegistry::Upload upload = *registry.Take(Client("a"), Digest::Of("blob"), 4);
  ASSERT_TRUE(upload->Add(ChunkOf("blob", 0)).ok());
  registry.PutBack(Client("a"), std::move(upload));
  EXPECT_FALSE(registry.Finish(Client("b"), Digest::Of("blob")).ok());
  EXPECT_EQ(*registry.Finish(Client("a"), Digest::Of("blob")), "blob");
}

}  // namespace
}  // namespace tacit::rpc
