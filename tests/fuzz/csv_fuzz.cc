// Input: one byte that chooses the options, then the text of a CSV file.
#include "absl/strings/string_view.h"
#include "client/data/csv_source.h"
#include "tests/fuzz/require.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const uint8_t options = data[0];
  tacit::config::DataConfig config;
  config.format = "csv";
  config.target = "y";
  config.target_type = options & 1 ? "value" : "class";
  if (!(options & 1) && options & 2) config.labels = {"no", "yes", "?"};
  if (options & 4) config.features = {"a", "b"};
  if (options & 8) config.delimiter = ";";
  if (options & 16) config.missing = "drop-row";
  if ((options & 48) == 32) {
    config.missing = "fill";
    config.fill_value = -1;
  }
  const absl::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto table = tacit::data::ParseCsv("data.csv", text, config, !(options & 64));
  tacit::RequireOneLine(table.status());
  if (table.ok()) {
    const tacit::Shape& shape = table->features.shape();
    tacit::Require(shape.size() == 2 && shape[0] > 0 && shape[1] > 0, "features are [N, columns]");
    tacit::Require(table->target.shape() == tacit::Shape{shape[0]}, "one target an example");
  }
  return 0;
}
