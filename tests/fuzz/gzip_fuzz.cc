// Input: a gzip file.
#include <string>

#include "absl/strings/string_view.h"
#include "client/data/gzip.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  constexpr uint64_t kMost = 1 << 20;
  const absl::string_view compressed(reinterpret_cast<const char*>(data), size);
  const auto whole = tacit::data::Gunzip(compressed, kMost);
  tacit::RequireOneLine(whole.status());
  if (!whole.ok()) return 0;
  tacit::Require(whole->size() <= kMost, "the limit holds");
  tacit::Require(whole->size() <= size * tacit::data::kMaxInflation, "deflate's limit holds");
  tacit::data::GzipReader reader(compressed);
  std::string pieces;
  for (size_t before = 1; pieces.size() != before;) {
    before = pieces.size();
    tacit::Require(reader.Read(1 + before / 2, pieces).ok(), "what inflates at once inflates in pieces");
  }
  tacit::Require(pieces == *whole, "pieces give the same bytes");
  return 0;
}
