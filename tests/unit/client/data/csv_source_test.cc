#include "client/data/csv_source.h"

#include <gtest/gtest.h>

#include "tests/unit/core/expect_error.h"

namespace tacit::data {
namespace {

using absl::StatusCode;

config::DataConfig Config(std::vector<std::string> labels = {"no", "yes"}) {
  config::DataConfig config;
  config.format = "csv";
  config.target = "y";
  config.labels = std::move(labels);
  return config;
}

config::DataConfig ValueConfig() {
  config::DataConfig config = Config({});
  config.target_type = "value";
  return config;
}

absl::StatusOr<Table> Parse(absl::string_view text, const config::DataConfig& config = Config()) {
  return ParseCsv("data.csv", text, config, true);
}

std::vector<float> Floats(const HostTensor& tensor) {
  const auto values = tensor.values<float>();
  return {values.begin(), values.end()};
}
std::vector<int64_t> Ints(const HostTensor& tensor) {
  const auto values = tensor.values<int64_t>();
  return {values.begin(), values.end()};
}

TEST(CsvSourceTest, FeaturesAndLabels) {
  const auto table = Parse("a,y,b\n1,yes,2.5\n-3e2,no,.5\n");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->features.shape(), (Shape{2, 2}));
  EXPECT_EQ(Floats(table->features), (std::vector<float>{1, 2.5, -300, 0.5}));
  EXPECT_EQ(table->target.shape(), Shape{2});
  EXPECT_EQ(Ints(table->target), (std::vector<int64_t>{1, 0}));
}

TEST(CsvSourceTest, LabelsKeepTheConfiguredOrder) {
  EXPECT_EQ(Ints(Parse("a,y\n1,yes\n1,no\n", Config({"yes", "no"}))->target), (std::vector<int64_t>{0, 1}));
}

TEST(CsvSourceTest, ChosenFeaturesInTheirOrder) {
  config::DataConfig config = Config();
  config.features = {"c", "a"};
  const auto table = Parse("a,b,c,y\n1,not read,3,no\n", config);
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(Floats(table->features), (std::vector<float>{3, 1}));
}

TEST(CsvSourceTest, ClassIndices) {
  EXPECT_EQ(Ints(Parse("a,y\n1,0\n1,7\n1,2.0\n", Config({}))->target), (std::vector<int64_t>{0, 7, 2}));
  for (const char* bad : {"-1", "1.5", "malignant", "1e30", "2147483648", "inf"}) {
    EXPECT_TRUE(FailsWith(Parse(std::string("a,y\n1,0\n1,") + bad + "\n", Config({})).status(), StatusCode::kDataLoss,
                          {"data.csv:3: column 'y': '", bad, "whole number >= 0", "labels"}));
  }
}

TEST(CsvSourceTest, ValueTargets) {
  const auto table = Parse("a,y\n1,2.5\n1,-1\n", ValueConfig());
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(table->target.shape(), Shape{2});
  EXPECT_EQ(Floats(table->target), (std::vector<float>{2.5, -1}));
  EXPECT_TRUE(FailsWith(Parse("a,y\n1,x\n", ValueConfig()).status(), StatusCode::kDataLoss,
                        {"data.csv:2: column 'y': 'x' is not a finite number"}));
  EXPECT_TRUE(FailsWith(Parse("a,y\n1,1e39\n", ValueConfig()).status(), StatusCode::kDataLoss,
                        {"data.csv:2: column 'y': '1e39' is too large"}));
}

TEST(CsvSourceTest, WithoutTarget) {
  config::DataConfig config = Config();
  for (const char* text : {"a,b\n1,2\n3,4\n", "a,y,b\n1,yes,2\n3,unheard of,4\n", "a,b,y\n1,2,\n3,4,\n"}) {
    const auto table = ParseCsv("data.csv", text, config, false);
    ASSERT_TRUE(table.ok()) << table.status();
    EXPECT_EQ(Floats(table->features), (std::vector<float>{1, 2, 3, 4}));
    EXPECT_EQ(Ints(table->target), (std::vector<int64_t>{0, 0}));
  }
  EXPECT_EQ(Floats(ParseCsv("data.csv", "a\n1\n", ValueConfig(), false)->target), std::vector<float>{0});
}

TEST(CsvSourceTest, NumbersInEverySpelling) {
  const auto table = Parse("a,y\n 1 ,no\n+2,no\n1E2,no\n-0.5e-1,no\n\"3\",no\n1e-60,no\n007,no\n");
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(Floats(table->features), (std::vector<float>{1, 2, 100, -0.05f, 3, 0, 7}));
}

TEST(CsvSourceTest, WhatIsNoNumberIsNamed) {
  for (const char* bad : {"x", "inf", "-inf", "Infinity", "nan()", "0x10", "1e999", "1 2", "--1", "+-1", "1.2.3", "-",
                          "+", "1f", "\u0661"}) {
    EXPECT_TRUE(FailsWith(Parse(std::string("a,y\n1,no\n") + bad + ",no\n").status(), StatusCode::kDataLoss,
                          {"data.csv:3: column 'a': ", "is not a finite number"}))
        << bad;
  }
  EXPECT_TRUE(FailsWith(Parse("a;y\n1,5;no\n",
                              [] {
                                config::DataConfig config = Config();
                                config.delimiter = ";";
                                return config;
                              }())
                            .status(),
                        StatusCode::kDataLoss, {"'1,5'", "decimals with a point"}));
  EXPECT_TRUE(FailsWith(Parse("a,y\n1e39,no\n").status(), StatusCode::kDataLoss,
                        {"data.csv:2: column 'a': '1e39' is too large"}));
}

TEST(CsvSourceTest, LongOrOddFieldsStayOnOneShortLine) {
  const auto status = Parse("a,y\n\"one\ntwo " + std::string(1000, 'x') + "\",no\n").status();
  EXPECT_TRUE(FailsWith(status, StatusCode::kDataLoss, {"data.csv:2:", "'one\\ntwo xxx", "...'"}));
  EXPECT_LT(status.message().size(), 150u);
}

TEST(CsvSourceTest, UnknownLabel) {
  EXPECT_TRUE(FailsWith(Parse("a,y\n1,no\n2,maybe\n").status(), StatusCode::kDataLoss,
                        {"data.csv:3: column 'y': unknown label 'maybe'", "'no', 'yes'"}));
  EXPECT_EQ(Ints(Parse("a,y\n1, yes \n")->target), std::vector<int64_t>{1});
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i) many.push_back("class" + std::to_string(i));
  EXPECT_TRUE(FailsWith(Parse("a,y\n1,x\n", Config(many)).status(), StatusCode::kDataLoss, {"'class19' and others"}));
}

TEST(CsvSourceTest, MissingValuesAreErrorsByDefault) {
  for (const char* missing : {"", " ", "NA", "NaN", "nan", "null", "NULL", "?", "\"\""}) {
    const std::string text = std::string("a,y,b\n1,no,2\n") + missing + ",no,3\n";
    EXPECT_TRUE(FailsWith(Parse(text).status(), StatusCode::kDataLoss,
                          {"data.csv:3: column 'a'", "missing", "drop-row", "fill"}))
        << missing;
  }
  EXPECT_TRUE(FailsWith(Parse("a,y\n1,\n").status(), StatusCode::kDataLoss,
                        {"data.csv:2: column 'y'", "target is missing", "drop-row"}));
}

TEST(CsvSourceTest, DropRow) {
  config::DataConfig config = Config();
  config.missing = "drop-row";
  config.features = {"a"};
  const auto table = Parse("a,b,y\n1,,no\n?,2,no\n3,4,\n5,6,yes\n", config);  // b is not used, so its gap is no gap
  ASSERT_TRUE(table.ok()) << table.status();
  EXPECT_EQ(Floats(table->features), (std::vector<float>{1, 5}));
  EXPECT_EQ(Ints(table->target), (std::vector<int64_t>{0, 1}));
  EXPECT_TRUE(FailsWith(Parse("a,y\n,no\n1,\n", config).status(), StatusCode::kDataLoss,
                        {"data.csv: every row (2)", "missing"}));
  EXPECT_TRUE(FailsWith(Parse("a,y\nx,no\n", config).status(), StatusCode::kDataLoss, {"'x' is not a finite number"}));
}

TEST(CsvSourceTest, Fill) {
  config::DataConfig config = Config();
  config.missing = "fill";
  config.fill_value = -7;
  EXPECT_EQ(Floats(Parse("a,y\nNA,no\n2,no\n", config)->features), (std::vector<float>{-7, 2}));
  EXPECT_TRUE(FailsWith(Parse("a,y\n1,NA\n", config).status(), StatusCode::kDataLoss,
                        {"data.csv:2: column 'y'", "target is missing", "drop-row"}));
  config.fill_value.reset();
  EXPECT_TRUE(FailsWith(Parse("a,y\n1,no\n", config).status(), StatusCode::kInvalidArgument, {"fill_value"}));
}

TEST(CsvSourceTest, ALabelMayLookMissing) {
  config::DataConfig config = Config({"NA", "?"});
  config.missing = "drop-row";
  EXPECT_EQ(Ints(Parse("a,y\n1,?\n1,NA\n1,null\n", config)->target), (std::vector<int64_t>{1, 0}));
}

TEST(CsvSourceTest, MissingColumns) {
  config::DataConfig config = Config();
  config.target = "diagnosys";
  EXPECT_TRUE(FailsWith(Parse("a,diagnosis\n1,no\n", config).status(), StatusCode::kNotFound,
                        {"data.csv:1: there is no column 'diagnosys'", "did you mean 'diagnosis'?"}));
  config.target = "something else";
  EXPECT_TRUE(FailsWith(Parse("a,b\n1,no\n", config).status(), StatusCode::kNotFound,
                        {"there is no column 'something else'", "there are 'a', 'b'"}));
  config = Config();
  config.features = {"a", "bb"};
  EXPECT_TRUE(FailsWith(Parse("a,quite different,y\n1,2,no\n", config).status(), StatusCode::kNotFound,
                        {"data.csv:1: there is no column 'bb'"}));
  EXPECT_TRUE(
      FailsWith(Parse("something;long;y\n1;2;no\n").status(), StatusCode::kNotFound, {"is the delimiter right?"}));
}

TEST(CsvSourceTest, BadHeaders) {
  EXPECT_TRUE(FailsWith(Parse("a,b,a,y\n1,2,3,no\n").status(), StatusCode::kDataLoss,
                        {"data.csv:1: column 'a' appears twice", "field 1", "field 3", "rename"}));
  EXPECT_TRUE(FailsWith(Parse(",a,y\n0,1,no\n").status(), StatusCode::kDataLoss,
                        {"data.csv:1: column 1 has no name", "features"}));
  EXPECT_TRUE(FailsWith(Parse("y\nno\n").status(), StatusCode::kDataLoss, {"data.csv:1:", "no column but the target"}));
  config::DataConfig config = Config();
  config.features = {"a"};
  EXPECT_TRUE(Parse(",a,y\n0,1,no\n", config).ok());
}

TEST(CsvSourceTest, WrongNumberOfFields) {
  EXPECT_TRUE(FailsWith(Parse("a,b,y\n1,2,no\n1,no\n").status(), StatusCode::kDataLoss,
                        {"data.csv:3: 2 fields where the header has 3"}));
  EXPECT_TRUE(FailsWith(Parse("a,y\n1,no,\n").status(), StatusCode::kDataLoss, {"data.csv:2: 3 fields", "has 2"}));
}

TEST(CsvSourceTest, FilesWithoutRows) {
  EXPECT_TRUE(FailsWith(Parse("").status(), StatusCode::kDataLoss, {"data.csv: the file is empty"}));
  EXPECT_TRUE(FailsWith(Parse(" \n\n").status(), StatusCode::kDataLoss, {"data.csv: the file is empty"}));
  EXPECT_TRUE(FailsWith(Parse("a,y\n").status(), StatusCode::kDataLoss, {"data.csv: has a header but no rows"}));
}

TEST(CsvSourceTest, FilesThatAreNoText) {
  EXPECT_TRUE(FailsWith(Parse(absl::string_view("a,y\n1\0,no\n", 10)).status(), StatusCode::kDataLoss, {"zero bytes"}));
  EXPECT_TRUE(FailsWith(Parse("\xFF\xFE"
                              "a")
                            .status(),
                        StatusCode::kDataLoss, {"UTF-16", "UTF-8"}));
}

TEST(CsvSourceTest, ConfigOutOfRange) {
  config::DataConfig config = Config();
  for (const char* bad : {"", ",,", "\"", "\n"}) {
    config.delimiter = bad;
    EXPECT_TRUE(FailsWith(Parse("a,y\n1,no\n", config).status(), StatusCode::kInvalidArgument, {"delimiter"}));
  }
  EXPECT_TRUE(FailsWith(Parse("a,y\n1,no\n", Config({"no", "no"})).status(), StatusCode::kInvalidArgument,
                        {"labels: 'no' is listed twice"}));
  config = Config();
  config.features = {"a", "y"};
  EXPECT_TRUE(
      FailsWith(Parse("a,y\n1,no\n", config).status(), StatusCode::kInvalidArgument, {"features: 'y' is the target"}));
  config.features = {"a", "a"};
  EXPECT_TRUE(FailsWith(Parse("a,y\n1,no\n", config).status(), StatusCode::kInvalidArgument,
                        {"features: 'a' is listed twice"}));
}

}  // namespace
}  // namespace tacit::data
