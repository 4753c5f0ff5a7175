#include "client/data/csv_source.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "client/data/csv_columns.h"
#include "client/data/csv_reader.h"
#include "client/data/shown.h"
#include "core/config/nearest.h"
#include "core/status.h"

namespace tacit::data {
namespace {

bool IsMissing(absl::string_view text) {
  return text.empty() || text == "?" || absl::EqualsIgnoreCase(text, "NA") || absl::EqualsIgnoreCase(text, "NaN") ||
         absl::EqualsIgnoreCase(text, "null");
}

// The finite number that `text` spells, in double.
std::optional<double> Number(absl::string_view text) {
  const char* begin = text.data();
  const char* const end = begin + text.size();
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') ++begin;
  double value = 0;
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string NotANumber(absl::string_view text) {
  const absl::string_view remedy = absl::StrContains(text, ',') ? "; write decimals with a point" : "";
  return absl::StrCat(Shown(text), " is not a finite number", remedy);
}

// Turns the fields of records into numbers, row by row.
class TableBuilder {
 public:
  TableBuilder(const CsvReader& reader, const config::DataConfig& config, CsvColumns columns)
      : reader_(reader), config_(config), columns_(std::move(columns)) {
    for (size_t i = 0; i < config.labels.size(); ++i) labels_.emplace(config.labels[i], static_cast<int64_t>(i));
  }

  // Adds the record at which the reader stands, or drops it.
  absl::Status AddRow();
  absl::StatusOr<Table> Finish();

 private:
  bool is_class() const { return config_.target_type == "class"; }
  absl::Status ErrorIn(size_t column, absl::string_view message) const {
    return reader_.Error(absl::StrCat("column ", Shown(columns_.names[column]), ": ", message));
  }
  std::optional<int64_t> LabelOf(absl::string_view field) const;
  bool HasGap() const;
  absl::Status AddFeature(size_t column);
  absl::Status AddTarget(size_t column);
  absl::StatusOr<int64_t> ParseClass(absl::string_view field) const;
  std::string UnknownLabel(absl::string_view field) const;

  const CsvReader& reader_;
  const config::DataConfig& config_;
  CsvColumns columns_;
  absl::flat_hash_map<std::string, int64_t> labels_;
  std::vector<float> features_;
  std::vector<int64_t> classes_;
  std::vector<float> values_;
  int64_t rows_ = 0;
  int64_t dropped_ = 0;
};

std::optional<int64_t> TableBuilder::LabelOf(absl::string_view field) const {
  auto found = labels_.find(field);
  if (found == labels_.end()) found = labels_.find(absl::StripAsciiWhitespace(field));
  if (found == labels_.end()) return std::nullopt;
  return found->second;
}

bool TableBuilder::HasGap() const {
  const auto missing = [&](size_t column) { return IsMissing(absl::StripAsciiWhitespace(reader_.fields()[column])); };
  if (columns_.target && missing(*columns_.target) && !LabelOf(reader_.fields()[*columns_.target])) return true;
  return std::ranges::any_of(columns_.features, missing);
}

absl::Status TableBuilder::AddRow() {
  const size_t count = reader_.fields().size();
  if (count != columns_.names.size()) {
    return reader_.Error(
        absl::StrCat(count, count == 1 ? " field" : " fields", " where the header has ", columns_.names.size()));
  }
  if (config_.missing == "drop-row" && HasGap()) {
    ++dropped_;
    return absl::OkStatus();
  }
  for (const size_t column : columns_.features) TACIT_RETURN_IF_ERROR(AddFeature(column));
  if (columns_.target) TACIT_RETURN_IF_ERROR(AddTarget(*columns_.target));
  ++rows_;
  return absl::OkStatus();
}

absl::Status TableBuilder::AddFeature(size_t column) {
  const absl::string_view field = absl::StripAsciiWhitespace(reader_.fields()[column]);
  std::optional<double> value = Number(field);
  if (!value && IsMissing(field)) {
    if (config_.missing != "fill") {
      return ErrorIn(column, "the value is missing; set missing to \"drop-row\" or \"fill\", or complete the file");
    }
    value = config_.fill_value;
  }
  if (!value) return ErrorIn(column, NotANumber(field));
  features_.push_back(static_cast<float>(*value));
  if (!std::isfinite(features_.back())) return ErrorIn(column, absl::StrCat(Shown(field), " is too large"));
  return absl::OkStatus();
}

absl::Status TableBuilder::AddTarget(size_t column) {
  const absl::string_view raw = reader_.fields()[column];
  const absl::string_view field = absl::StripAsciiWhitespace(raw);
  if (IsMissing(field) && !LabelOf(raw)) {
    return ErrorIn(column, "the target is missing; set missing to \"drop-row\", or complete the file");
  }
  if (is_class()) {
    const absl::StatusOr<int64_t> index = ParseClass(raw);
    if (!index.ok()) return ErrorIn(column, index.status().message());
    classes_.push_back(*index);
    return absl::OkStatus();
  }
  const std::optional<double> value = Number(field);
  if (!value) return ErrorIn(column, NotANumber(field));
  values_.push_back(static_cast<float>(*value));
  if (!std::isfinite(values_.back())) return ErrorIn(column, absl::StrCat(Shown(field), " is too large"));
  return absl::OkStatus();
}

absl::StatusOr<int64_t> TableBuilder::ParseClass(absl::string_view field) const {
  if (!labels_.empty()) {
    if (const auto index = LabelOf(field)) return *index;
    return absl::DataLossError(UnknownLabel(field));
  }
  const std::optional<double> value = Number(absl::StripAsciiWhitespace(field));
  if (value && *value >= 0 && *value < 0x1p31 && *value == std::floor(*value)) return static_cast<int64_t>(*value);
  return absl::DataLossError(
      absl::StrCat(Shown(field), " is not a class index, a whole number >= 0; name the classes in labels"));
}

std::string TableBuilder::UnknownLabel(absl::string_view field) const {
  constexpr size_t kMostListed = 20;
  const size_t listed = std::min(config_.labels.size(), kMostListed);
  const auto show = [](std::string* out, const std::string& label) { *out += Shown(label); };
  const std::string known = absl::StrJoin(config_.labels.begin(), config_.labels.begin() + listed, ", ", show);
  return absl::StrCat("unknown label ", Shown(field), "; labels has ", known,
                      listed < config_.labels.size() ? " and others" : "");
}

absl::StatusOr<Table> TableBuilder::Finish() {
  if (rows_ == 0) {
    return absl::DataLossError(dropped_ == 0 ? absl::StrCat(reader_.path(), ": has a header but no rows")
                                             : absl::StrCat(reader_.path(), ": every row (", dropped_,
                                                            ") has a missing value and is dropped"));
  }
  Table table;
  const auto width = static_cast<int64_t>(columns_.features.size());
  TACIT_ASSIGN_OR_RETURN(table.features, HostTensor::From<float>({rows_, width}, features_));
  if (is_class()) {
    classes_.resize(static_cast<size_t>(rows_));  // zeros without a target
    TACIT_ASSIGN_OR_RETURN(table.target, HostTensor::From<int64_t>({rows_}, classes_));
  } else {
    values_.resize(static_cast<size_t>(rows_));
    TACIT_ASSIGN_OR_RETURN(table.target, HostTensor::From<float>({rows_}, values_));
  }
  return table;
}

absl::Status CheckConfig(const config::DataConfig& config) {
  if (config.delimiter.size() != 1 || absl::StrContains("\"\r\n", config.delimiter)) {
    return absl::InvalidArgumentError("delimiter: must be one character, and no quote or line end");
  }
  if ((config.missing == "fill") != config.fill_value.has_value()) {
    return absl::InvalidArgumentError("fill_value: goes with missing = \"fill\", and only there");
  }
  std::vector<std::string> labels = config.labels;
  std::ranges::sort(labels);
  if (const auto twice = std::ranges::adjacent_find(labels); twice != labels.end()) {
    return absl::InvalidArgumentError(absl::StrCat("labels: ", Shown(*twice), " is listed twice"));
  }
  return absl::OkStatus();
}

// Text that no CSV file holds; better said at once than as a column that isn't there.
absl::Status CheckText(const std::string& path, absl::string_view text) {
  const auto fail = [&](absl::string_view what) { return absl::DataLossError(absl::StrCat(path, ": ", what)); };
  if (absl::StripAsciiWhitespace(text).empty()) return fail("the file is empty");
  if (absl::StartsWith(text, "\xFF\xFE") || absl::StartsWith(text, "\xFE\xFF")) {
    return fail("the file is in UTF-16; save it as UTF-8");
  }
  if (text.find('\0') != absl::string_view::npos) return fail("the file has zero bytes: it is not text");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Table> ParseCsv(const std::string& path, absl::string_view text, const config::DataConfig& config,
                               bool with_target) {
  TACIT_RETURN_IF_ERROR(CheckConfig(config));
  TACIT_RETURN_IF_ERROR(CheckText(path, text));
  CsvReader reader(path, text, config.delimiter.front());
  TACIT_ASSIGN_OR_RETURN(bool more, reader.Next());
  if (!more) return absl::DataLossError(absl::StrCat(path, ": the file is empty"));
  TACIT_ASSIGN_OR_RETURN(CsvColumns columns, ChooseColumns(reader, config, with_target));
  TableBuilder builder(reader, config, std::move(columns));
  while (true) {
    TACIT_ASSIGN_OR_RETURN(more, reader.Next());
    if (!more) return builder.Finish();
    TACIT_RETURN_IF_ERROR(builder.AddRow());
  }
}

}  // namespace tacit::data
