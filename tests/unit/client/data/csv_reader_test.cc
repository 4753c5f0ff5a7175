#include "client/data/csv_reader.h"

#include <gtest/gtest.h>

#include "tests/unit/core/expect_error.h"

namespace tacit::data {
namespace {

using Records = std::vector<std::vector<std::string>>;

// All records, each with its line in front.
absl::StatusOr<Records> ReadAll(absl::string_view text, char delimiter = ',') {
  CsvReader reader("data.csv", text, delimiter);
  Records records;
  while (true) {
    const auto more = reader.Next();
    if (!more.ok()) return more.status();
    if (!*more) return records;
    std::vector<std::string> record{std::to_string(reader.line())};
    for (const absl::string_view field : reader.fields()) record.emplace_back(field);
    records.push_back(record);
  }
}

TEST(CsvReaderTest, PlainFields) {
  EXPECT_EQ(*ReadAll("a,b\n1,2\n"), (Records{{"1", "a", "b"}, {"2", "1", "2"}}));
  EXPECT_EQ(*ReadAll("a,b\n1,2"), (Records{{"1", "a", "b"}, {"2", "1", "2"}}));
  EXPECT_EQ(*ReadAll("a\tb\n", '\t'), (Records{{"1", "a", "b"}}));
  EXPECT_EQ(*ReadAll("a, b ,\n"), (Records{{"1", "a", " b ", ""}}));
  EXPECT_EQ(*ReadAll(",\n"), (Records{{"1", "", ""}}));
  EXPECT_EQ(*ReadAll("a,"), (Records{{"1", "a", ""}}));
  EXPECT_EQ(*ReadAll(""), Records{});
}

TEST(CsvReaderTest, EveryLineEnd) {
  EXPECT_EQ(*ReadAll("a,b\r\n1,2\r\n"), (Records{{"1", "a", "b"}, {"2", "1", "2"}}));
  EXPECT_EQ(*ReadAll("a,b\r1,2\r"), (Records{{"1", "a", "b"}, {"2", "1", "2"}}));
  EXPECT_EQ(*ReadAll("a,b\r\n1,2\n3,4\r5,6"),
            (Records{{"1", "a", "b"}, {"2", "1", "2"}, {"3", "3", "4"}, {"4", "5", "6"}}));
}

TEST(CsvReaderTest, ByteOrderMark) {
  EXPECT_EQ(*ReadAll("\xEF\xBB\xBF"
                     "a,b\n"),
            (Records{{"1", "a", "b"}}));
}

TEST(CsvReaderTest, BlankLinesAreSkippedButCounted) {
  EXPECT_EQ(*ReadAll("\n\na\n  \r\n1\n\n"), (Records{{"3", "a"}, {"5", "1"}}));
}

TEST(CsvReaderTest, QuotedFields) {
  EXPECT_EQ(*ReadAll("\"a\",\"b,c\"\n"), (Records{{"1", "a", "b,c"}}));
  EXPECT_EQ(*ReadAll("\"say \"\"hi\"\"\",\"\"\"\",\"\"\n"), (Records{{"1", "say \"hi\"", "\"", ""}}));
  EXPECT_EQ(*ReadAll("\"a\""), (Records{{"1", "a"}}));
  EXPECT_EQ(*ReadAll("\"\"\n"), (Records{{"1", ""}}));  // quoted, so not a blank line
}

TEST(CsvReaderTest, LineNumbersCountLineEndsInsideQuotes) {
  EXPECT_EQ(*ReadAll("\"a\nb\",c\n\"\r\n\r\n\",2\n3,4\n"),
            (Records{{"1", "a\nb", "c"}, {"3", "\r\n\r\n", "2"}, {"6", "3", "4"}}));
}

TEST(CsvReaderTest, ManyUnescapedFieldsStayValid) {
  std::string line;
  for (int i = 0; i < 100; ++i) line += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\"\"\"";
  const Records records = *ReadAll(line);
  ASSERT_EQ(records.front().size(), 101u);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(records.front()[i + 1], std::to_string(i) + "\"");
}

TEST(CsvReaderTest, MisplacedQuotesAreErrorsWithALine) {
  EXPECT_TRUE(FailsWith(ReadAll("a,b\n1,2\"3\n").status(), absl::StatusCode::kDataLoss,
                        {"data.csv:2: field 2", "double the quotes"}));
  EXPECT_TRUE(FailsWith(ReadAll("a,b\n\"1\" ,2\n").status(), absl::StatusCode::kDataLoss,
                        {"data.csv:2: field 1", "goes on after its closing quote"}));
  EXPECT_TRUE(FailsWith(ReadAll("a,b\n1,\"2\n3,4\n").status(), absl::StatusCode::kDataLoss,
                        {"data.csv:2: field 2", "never closed"}));
  EXPECT_TRUE(FailsWith(ReadAll("\"").status(), absl::StatusCode::kDataLoss, {"data.csv:1: field 1", "never closed"}));
}

}  // namespace
}  // namespace tacit::data
