#include "client/data/csv_reader.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/status.h"

namespace tacit::data {
namespace {

int64_t CountLineEnds(absl::string_view text) {
  int64_t count = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n' || (text[i] == '\r' && (i + 1 == text.size() || text[i + 1] != '\n'))) ++count;
  }
  return count;
}

}  // namespace

CsvReader::CsvReader(std::string path, absl::string_view text, char delimiter)
    : path_(std::move(path)), text_(text), delimiter_(delimiter) {
  if (absl::StartsWith(text_, "\xEF\xBB\xBF")) text_.remove_prefix(3);
}

absl::Status CsvReader::Error(absl::string_view message) const {
  return absl::DataLossError(absl::StrCat(path_, ":", line_, ": ", message));
}

absl::StatusOr<bool> CsvReader::Next() {
  while (position_ < text_.size()) {
    const size_t begin = position_;
    TACIT_RETURN_IF_ERROR(ReadRecord());
    const bool blank = absl::StripAsciiWhitespace(text_.substr(begin, position_ - begin)).empty();
    if (!blank || fields_.size() > 1) return true;
  }
  return false;
}

absl::Status CsvReader::ReadRecord() {
  fields_.clear();
  unescaped_.clear();
  line_ = next_line_;
  while (true) {
    TACIT_RETURN_IF_ERROR(ReadField());
    if (position_ == text_.size()) return absl::OkStatus();
    if (AtLineEnd()) break;
    ++position_;  // the delimiter
  }
  if (absl::StartsWith(text_.substr(position_), "\r\n")) ++position_;
  ++position_;
  ++next_line_;
  return absl::OkStatus();
}

absl::Status CsvReader::ReadField() {
  if (position_ < text_.size() && text_[position_] == '"') return ReadQuotedField();
  const size_t begin = position_;
  while (position_ < text_.size() && text_[position_] != delimiter_ && !AtLineEnd()) {
    if (text_[position_] == '"') {
      return Error(absl::StrCat("field ", fields_.size() + 1,
                                " has a quote but does not begin with one; put the whole field in quotes and double "
                                "the quotes inside it"));
    }
    ++position_;
  }
  fields_.push_back(text_.substr(begin, position_ - begin));
  return absl::OkStatus();
}

absl::Status CsvReader::ReadQuotedField() {
  const size_t begin = ++position_;
  bool doubled = false;
  while (true) {
    position_ = text_.find('"', position_);
    if (position_ == absl::string_view::npos) {
      position_ = text_.size();
      return Error(absl::StrCat("field ", fields_.size() + 1, " begins with a quote that is never closed"));
    }
    if (position_ + 1 == text_.size() || text_[position_ + 1] != '"') break;
    doubled = true;
    position_ += 2;
  }
  const absl::string_view inside = text_.substr(begin, position_ - begin);
  ++position_;
  if (position_ < text_.size() && text_[position_] != delimiter_ && !AtLineEnd()) {
    return Error(absl::StrCat("field ", fields_.size() + 1,
                              " goes on after its closing quote; double the quotes inside a quoted field"));
  }
  next_line_ += CountLineEnds(inside);
  if (!doubled) {
    fields_.push_back(inside);
  } else {
    fields_.push_back(unescaped_.emplace_back(absl::StrReplaceAll(inside, {{"\"\"", "\""}})));
  }
  return absl::OkStatus();
}

}  // namespace tacit::data
