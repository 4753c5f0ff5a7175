// Bytes that a program of an earlier minor version sent must still be understood. tests/golden/wire/README.md says how
// the files were made.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <string>

#include "absl/strings/str_cat.h"
#include "core/file.h"
#include "proto/codec/blob_codec.h"
#include "proto/codec/message_codec.h"
#include "proto/codec/plan_codec.h"
#include "tests/unit/proto/examples.h"

namespace tacit::wire {
namespace {

constexpr const char* kFolder = TACIT_SOURCE_DIR "/tests/golden/wire/v1.0/";

// What today's codec sends, by file name.
std::map<std::string, std::string> TodaysBytes() {
  std::map<std::string, std::string> files;
  v1::ClientMessage client;
  ToWire(ExampleInfo(), *client.mutable_hello());
  files["hello.bin"] = client.SerializeAsString();
  ToWire(ExampleUpdate(), *client.mutable_update());
  files["update.bin"] = client.SerializeAsString();
  ToWire(ExamplePrivateUpdate(), *client.mutable_update());
  client.mutable_update()->clear_training_loss();
  files["private_update.bin"] = client.SerializeAsString();
  ToWire(ExampleReport(), *client.mutable_evaluation());
  files["evaluation.bin"] = client.SerializeAsString();
  ToWire(ExampleDecline(), *client.mutable_decline());
  files["decline.bin"] = client.SerializeAsString();

  for (const auto& [name, plan] :
       {std::pair{"welcome.bin", ExamplePlan()}, std::pair{"private_welcome.bin", ExamplePrivatePlan()}}) {
    v1::ServerMessage welcome;
    SetVersion(*welcome.mutable_welcome()->mutable_version());
    ToWire(plan, *welcome.mutable_welcome()->mutable_plan());
    welcome.mutable_welcome()->set_session_token("a token");
    files[name] = welcome.SerializeAsString();
  }
  for (const auto& [name, task] :
       {std::pair{"train.bin", ExampleTrainTask()}, std::pair{"evaluate.bin", ExampleEvaluateTask()},
        std::pair{"finish.bin", ExampleFinishTask()}}) {
    v1::ServerMessage message;
    ToWire(task, message);
    files[name] = message.SerializeAsString();
  }
  v1::ServerMessage receipt;
  receipt.mutable_receipt()->set_round(4);
  files["receipt.bin"] = receipt.SerializeAsString();
  v1::ServerMessage refusal;
  refusal.mutable_refusal()->set_round(4);
  refusal.mutable_refusal()->set_reason("the round is closed");
  files["refusal.bin"] = refusal.SerializeAsString();
  v1::PutBlobRequest put;
  put.mutable_header()->set_digest(Digest::Of("a change").AsBytes());
  put.mutable_header()->set_total_bytes(8);
  files["put_header.bin"] = put.SerializeAsString();
  MakeChunk("a change", 0, *put.mutable_chunk());
  files["put_chunk.bin"] = put.SerializeAsString();
  return files;
}

template <typename Message>
Message Golden(const std::string& name) {
  const absl::StatusOr<std::string> bytes = ReadFile(kFolder + name, 1 << 20);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  Message message;
  EXPECT_TRUE(bytes.ok() && message.ParseFromString(*bytes)) << name;
  return message;
}

// While the minor version stays the same, so do the bytes. Writes them instead where TACIT_WRITE_GOLDEN_WIRE says.
TEST(GoldenWire, TheBytesSentAreThoseOfTheVersion) {
  const char* folder = std::getenv("TACIT_WRITE_GOLDEN_WIRE");
  for (const auto& [name, bytes] : TodaysBytes()) {
    if (folder != nullptr) {
      ASSERT_TRUE(WriteFileAtomically(absl::StrCat(folder, "/", name), bytes).ok());
      continue;
    }
    const absl::StatusOr<std::string> golden = ReadFile(kFolder + name, 1 << 20);
    ASSERT_TRUE(golden.ok()) << golden.status();
    EXPECT_EQ(*golden, bytes) << name;
  }
}

TEST(GoldenWire, ClientMessagesOf1_0AreRead) {
  ExpectSame(*FromWire(Golden<v1::ClientMessage>("hello.bin").hello()), ExampleInfo());
  ExpectSame(*FromWire(Golden<v1::ClientMessage>("update.bin").update()), ExampleUpdate());
  ExpectSame(*FromWire(Golden<v1::ClientMessage>("private_update.bin").update()), ExamplePrivateUpdate());
  ExpectSame(*FromWire(Golden<v1::ClientMessage>("evaluation.bin").evaluation()), ExampleReport());
  ExpectSame(*FromWire(Golden<v1::ClientMessage>("decline.bin").decline()), ExampleDecline());
}

TEST(GoldenWire, ServerMessagesOf1_0AreRead) {
  const auto welcome = Golden<v1::ServerMessage>("welcome.bin").welcome();
  EXPECT_TRUE(CheckVersion(welcome.version()).ok());
  ExpectSame(*FromWire(welcome.plan()), ExamplePlan());
  EXPECT_EQ(welcome.session_token(), "a token");
  ExpectSame(*FromWire(Golden<v1::ServerMessage>("private_welcome.bin").welcome().plan()), ExamplePrivatePlan());
  EXPECT_EQ(FromWire(Golden<v1::ServerMessage>("train.bin").train())->round, 4);
  EXPECT_EQ(FromWire(Golden<v1::ServerMessage>("evaluate.bin").evaluate())->parameters, Digest::Of("parameters"));
  EXPECT_EQ(FromWire(Golden<v1::ServerMessage>("finish.bin").finish()).outcome,
            absl::DeadlineExceededError("only 2 of 3 trainers joined"));
  EXPECT_EQ(Golden<v1::ServerMessage>("receipt.bin").receipt().round(), 4);
  EXPECT_EQ(Golden<v1::ServerMessage>("refusal.bin").refusal().reason(), "the round is closed");
}

TEST(GoldenWire, BlobMessagesOf1_0AreRead) {
  const auto header = Golden<v1::PutBlobRequest>("put_header.bin").header();
  BlobAssembler assembler(*Digest::FromBytes(header.digest()), header.total_bytes());
  EXPECT_TRUE(assembler.Add(Golden<v1::PutBlobRequest>("put_chunk.bin").chunk()).ok());
  EXPECT_EQ(*std::move(assembler).Finish(), "a change");
}

// A later minor version adds fields; this one must read past them.
TEST(GoldenWire, UnknownFieldsAreReadPast) {
  const std::string bytes = *ReadFile(absl::StrCat(kFolder, "update.bin"), 1 << 20);
  const std::string news = "\xc2\x3e\x04news\xc8\x3e\x05";  // field 1000: "news"; field 1001: 5
  v1::ClientMessage extended;
  ASSERT_TRUE(extended.ParseFromString(bytes));
  ASSERT_TRUE(extended.mutable_update()->MergeFromString(news));
  v1::ClientMessage read;
  ASSERT_TRUE(read.ParseFromString(extended.SerializeAsString()));
  ExpectSame(*FromWire(read.update()), ExampleUpdate());
}

}  // namespace
}  // namespace tacit::wire
