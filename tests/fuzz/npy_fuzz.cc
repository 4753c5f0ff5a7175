// Input: an NPY file. What can be read is written and read again.
#include <numeric>
#include <string>
#include <vector>

#include "client/data/npy_source.h"
#include "client/data/npy_writer.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const auto array = tacit::data::ParseNpy(std::string(reinterpret_cast<const char*>(data), size));
  tacit::RequireOneLine(array.status());
  if (!array.ok()) return 0;
  std::vector<int64_t> rows(static_cast<size_t>(array->rows()));
  std::iota(rows.begin(), rows.end(), int64_t{0});
  tacit::RequireOneLine(array->ToClasses(rows).status());
  const auto floats = array->ToFloats(rows);
  tacit::RequireOneLine(floats.status());
  if (!floats.ok()) return 0;
  const auto again = tacit::data::ParseNpy(*tacit::data::SerializeNpy(*floats));
  tacit::Require(again.ok(), "what is written can be read");
  tacit::Require(*again->ToFloats(rows) == *floats, "and is the same");
  return 0;
}
