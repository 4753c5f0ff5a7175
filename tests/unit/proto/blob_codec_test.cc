#include "proto/codec/blob_codec.h"

#include <gtest/gtest.h>
#include <zlib.h>

#include <limits>
#include <string>
#include <utility>

#include "proto/codec/limits.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::wire {
namespace {

constexpr auto kDataLoss = absl::StatusCode::kDataLoss;

std::string Bytes(size_t size) {
  std::string bytes(size, '\0');
  for (size_t i = 0; i < size; ++i) bytes[i] = static_cast<char>(i * 7 + i / 256);
  return bytes;
}

v1::BlobChunk Chunk(uint64_t offset, absl::string_view data) {
  v1::BlobChunk chunk;
  chunk.set_offset(offset);
  chunk.set_data(std::string(data));
  chunk.set_crc32(static_cast<uint32_t>(
      crc32(0, reinterpret_cast<const unsigned char*>(data.data()), static_cast<unsigned>(data.size()))));
  return chunk;
}

BlobAssembler AssemblerFor(const std::string& blob) { return BlobAssembler(Digest::Of(blob), blob.size()); }

TEST(BlobCodec, ABlobOfManyChunksComesBack) {
  const std::string blob = Bytes(2 * kChunkBytes + 12345);
  BlobAssembler assembler = AssemblerFor(blob);
  int chunks = 0;
  while (!assembler.complete()) {
    v1::BlobChunk chunk;
    MakeChunk(blob, assembler.received(), chunk);
    EXPECT_LE(chunk.data().size(), kChunkBytes);
    EXPECT_LT(chunk.ByteSizeLong(), static_cast<size_t>(kMaxMessageBytes));
    ASSERT_TRUE(assembler.Add(chunk).ok());
    ++chunks;
  }
  EXPECT_EQ(chunks, 3);
  EXPECT_EQ(*std::move(assembler).Finish(), blob);
}

TEST(BlobCodec, TheChecksumIsThatOfZlib) {
  v1::BlobChunk chunk;
  MakeChunk("123456789", 0, chunk);
  EXPECT_EQ(chunk.crc32(), 0xcbf43926u);  // the check value of CRC-32/ISO-HDLC
}

TEST(BlobCodec, AnEmptyBlobIsComplete) {
  BlobAssembler assembler = AssemblerFor("");
  EXPECT_TRUE(assembler.complete());
  EXPECT_EQ(*std::move(assembler).Finish(), "");
}

TEST(BlobCodec, ADamagedChunkIsRefusedAndAddsNothing) {
  const std::string blob = Bytes(1000);
  BlobAssembler assembler = AssemblerFor(blob);
  ASSERT_TRUE(assembler.Add(Chunk(0, blob.substr(0, 400))).ok());
  v1::BlobChunk damaged = Chunk(400, blob.substr(400));
  (*damaged.mutable_data())[17] ^= 1;
  EXPECT_TRUE(FailsWith(assembler.Add(damaged), kDataLoss, {"damaged", "400"}));
  EXPECT_EQ(assembler.received(), 400u);
  ASSERT_TRUE(assembler.Add(Chunk(400, blob.substr(400))).ok());
  EXPECT_EQ(*std::move(assembler).Finish(), blob);
}

TEST(BlobCodec, AGapIsRefusedAndAddsNothing) {
  const std::string blob = Bytes(1000);
  BlobAssembler assembler = AssemblerFor(blob);
  ASSERT_TRUE(assembler.Add(Chunk(0, blob.substr(0, 100))).ok());
  EXPECT_TRUE(FailsWith(assembler.Add(Chunk(200, blob.substr(200))), kDataLoss, {"missing", "100", "200"}));
  EXPECT_TRUE(FailsWith(assembler.Add(Chunk(std::numeric_limits<uint64_t>::max(), "x")), kDataLoss, {"missing"}));
  EXPECT_EQ(assembler.received(), 100u);
}

TEST(BlobCodec, AResumedTransferMayOverlap) {
  const std::string blob = Bytes(1000);
  BlobAssembler assembler = AssemblerFor(blob);
  ASSERT_TRUE(assembler.Add(Chunk(0, blob.substr(0, 600))).ok());
  ASSERT_TRUE(assembler.Add(Chunk(0, blob.substr(0, 600))).ok());
  ASSERT_TRUE(assembler.Add(Chunk(100, blob.substr(100, 50))).ok());
  EXPECT_EQ(assembler.received(), 600u);
  ASSERT_TRUE(assembler.Add(Chunk(300, blob.substr(300))).ok());
  EXPECT_EQ(*std::move(assembler).Finish(), blob);
}

TEST(BlobCodec, MoreThanWasAnnouncedIsRefused) {
  const std::string blob = Bytes(100);
  BlobAssembler assembler = AssemblerFor(blob);
  EXPECT_TRUE(FailsWith(assembler.Add(Chunk(0, Bytes(101))), kDataLoss, {"larger", "100"}));
  ASSERT_TRUE(assembler.Add(Chunk(0, blob)).ok());
  EXPECT_TRUE(FailsWith(assembler.Add(Chunk(100, "x")), kDataLoss, {"larger"}));
  EXPECT_TRUE(FailsWith(assembler.Add(Chunk(99, "xy")), kDataLoss, {"larger"}));
  EXPECT_EQ(*std::move(assembler).Finish(), blob);
}

TEST(BlobCodec, AChunkHasALargestSize) {
  const std::string blob = Bytes(kMaxChunkBytes + 1);
  BlobAssembler assembler = AssemblerFor(blob);
  EXPECT_TRUE(FailsWith(assembler.Add(Chunk(0, blob)), kDataLoss, {"too large"}));
  EXPECT_TRUE(assembler.Add(Chunk(0, absl::string_view(blob).substr(0, kMaxChunkBytes))).ok());
}

TEST(BlobCodec, AnIncompleteBlobIsRefused) {
  BlobAssembler assembler = AssemblerFor(Bytes(10));
  ASSERT_TRUE(assembler.Add(Chunk(0, Bytes(9))).ok());
  EXPECT_FALSE(assembler.complete());
  EXPECT_TRUE(FailsWith(std::move(assembler).Finish().status(), kDataLoss, {"9 of 10"}));
}

TEST(BlobCodec, BytesOfAnotherDigestAreRefused) {
  BlobAssembler assembler(Digest::Of("something else"), 10);
  ASSERT_TRUE(assembler.Add(Chunk(0, Bytes(10))).ok());
  EXPECT_TRUE(FailsWith(std::move(assembler).Finish().status(), kDataLoss, {"digest"}));
}

TEST(BlobCodec, AnEmptyChunkChangesNothing) {
  BlobAssembler assembler = AssemblerFor(Bytes(10));
  EXPECT_TRUE(assembler.Add(Chunk(0, "")).ok());
  EXPECT_EQ(assembler.received(), 0u);
}

}  // namespace
}  // namespace tacit::wire
