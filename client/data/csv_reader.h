#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tacit::data {

// Splits CSV text into records and fields (RFC 4180): a field may be in double quotes, and then holds delimiters, line
// ends and doubled quotes. Lines end with LF, CRLF or CR; the last one need not. A UTF-8 byte order mark and blank
// lines are skipped. A quote inside an unquoted field is an error, as its meaning differs from reader to reader. Not
// thread-safe.
class CsvReader {
 public:
  // `text` must outlive the reader; `path` is for messages.
  CsvReader(std::string path, absl::string_view text, char delimiter);

  // Moves to the next record; false after the last. DataLoss, naming file and line, for text that is no CSV.
  absl::StatusOr<bool> Next();
  // The current record's fields, as they are in the file but for quotes; valid until Next. At least one.
  const std::vector<absl::string_view>& fields() const { return fields_; }

  // DataLoss "PATH:LINE: message", with the line (from 1) on which the current record begins.
  absl::Status Error(absl::string_view message) const;
  const std::string& path() const { return path_; }
  int64_t line() const { return line_; }

 private:
  absl::Status ReadRecord();
  absl::Status ReadField();
  absl::Status ReadQuotedField();
  bool AtLineEnd() const { return text_[position_] == '\n' || text_[position_] == '\r'; }

  std::string path_;
  absl::string_view text_;
  char delimiter_;
  size_t position_ = 0;
  int64_t line_ = 0;
  int64_t next_line_ = 1;
  std::vector<absl::string_view> fields_;
  std::deque<std::string> unescaped_;  // what fields_ points to for fields with doubled quotes
};

}  // namespace tacit::data
