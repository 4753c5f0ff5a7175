// Input: an IDX file, plain or compressed.
#include <numeric>
#include <string>
#include <vector>

#include "client/data/idx_source.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto array = tacit::data::ParseIdx(std::string(reinterpret_cast<const char*>(data), size));
  tacit::RequireOneLine(array.status());
  if (!array.ok()) return 0;
  tacit::Require(array->bytes.size() == *tacit::data::FileSize(array->header), "the size is the header's");
  std::vector<int64_t> rows(static_cast<size_t>(array->rows()));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  tacit::RequireOneLine(array->ToFloats(rows).status());
  tacit::RequireOneLine(array->ToClasses(rows).status());
  return 0;
}
