// Input: a byte that names a message, then the message's bytes. What is accepted is written and read again.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <string>
#include <utility>

#include "proto/codec/blob_codec.h"
#include "proto/codec/message_codec.h"
#include "proto/codec/plan_codec.h"
#include "tests/fuzz/require.h"

namespace {

using namespace tacit::wire;  // NOLINT: the codec is what this is about
namespace v1 = tacit::v1;

// In an order of its own even for maps.
std::string Bytes(const google::protobuf::MessageLite& message) {
  std::string bytes;
  google::protobuf::io::StringOutputStream stream(&bytes);
  google::protobuf::io::CodedOutputStream coded(&stream);
  coded.SetSerializationDeterministic(true);
  tacit::Require(message.SerializeToCodedStream(&coded), "what the codec writes can be sent");
  coded.Trim();
  return bytes;
}

// Writing, reading and writing again gives the same bytes. (Not the same as the input's: what this version does not
// know is left out.)
template <typename Message, typename Domain>
void RequireStable(const Domain& value) {
  Message first;
  ToWire(value, first);
  const auto again = FromWire(first);
  tacit::Require(again.ok(), "what is written can be read");
  Message second;
  ToWire(*again, second);
  tacit::Require(Bytes(first) == Bytes(second), "and is the same");
  Message sent;
  tacit::Require(sent.ParseFromString(Bytes(first)), "and arrives");
}

template <typename Message>
void TryRead(const std::string& bytes) {
  Message message;
  if (!message.ParseFromString(bytes)) return;
  const auto value = FromWire(message);
  if (value.ok()) {
    RequireStable<Message>(*value);
  } else {
    tacit::Require(!value.status().message().empty(), "an error has a message");
  }
}

template <typename Message, typename Domain>
void TryReadTask(const std::string& bytes) {
  Message message;
  if (!message.ParseFromString(bytes)) return;
  const absl::StatusOr<Domain> task = FromWire(message);
  if (!task.ok()) return;
  v1::ServerMessage sent;
  ToWire(tacit::Task(*task), sent);
  v1::ServerMessage arrived;
  tacit::Require(arrived.ParseFromString(Bytes(sent)), "a task arrives");
}

// Chunks to a small blob, as many as there are.
void TryAssemble(const std::string& bytes) {
  constexpr uint64_t kBlobBytes = 64;
  BlobAssembler assembler(tacit::Digest(), kBlobBytes);
  v1::PutBlobRequest request;
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t size = static_cast<unsigned char>(bytes[begin++]);
    if (!request.ParseFromString(bytes.substr(begin, size))) break;
    begin += size;
    const uint64_t before = assembler.received();
    const absl::Status added = assembler.Add(request.chunk());
    tacit::RequireOneLine(added);
    tacit::Require(added.ok() || assembler.received() == before, "a refused chunk adds nothing");
    tacit::Require(assembler.received() <= kBlobBytes, "a blob never grows past its size");
  }
  tacit::Require(!std::move(assembler).Finish().ok(), "no bytes have the digest of zeros");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'h':
      TryRead<v1::Hello>(bytes);
      break;
    case 'p':
      TryRead<v1::Plan>(bytes);
      break;
    case 'u':
      TryRead<v1::Update>(bytes);
      break;
    case 'd':
      TryRead<v1::Decline>(bytes);
      break;
    case 'e':
      TryRead<v1::EvaluationReport>(bytes);
      break;
    case 't':
      TryReadTask<v1::TrainTask, tacit::TrainTask>(bytes);
      break;
    case 'v':
      TryReadTask<v1::EvaluateTask, tacit::EvaluateTask>(bytes);
      break;
    case 'f':
      TryReadTask<v1::FinishTask, tacit::FinishTask>(bytes);
      break;
    case 'b':
      TryAssemble(bytes);
      break;
    default: {
      const std::string text = CleanText(bytes);
      tacit::Require(CleanText(text) == text, "clean text stays clean");
      tacit::Require(text.size() <= kMaxReasonBytes, "clean text has its limit");
    }
  }
  return 0;
}
