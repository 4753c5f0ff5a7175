#include <gtest/gtest.h>

#include <numeric>

#include "client/data/npy_source.h"
#include "client/data/npy_writer.h"
#include "core/file.h"
#include "tests/unit/client/data/gzip_bytes.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::data {
namespace {

using absl::StatusCode;

std::string Golden(const std::string& name) {
  return *ReadFile(std::string(TACIT_SOURCE_DIR) + "/tests/golden/data/" + name, 1 << 20);
}

std::string Npy(const std::string& header, const std::string& payload, int major = 1) {
  std::string bytes = "\x93NUMPY";
  bytes += static_cast<char>(major);
  bytes += '\0';
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) bytes += static_cast<char>(header.size() >> (8 * i) & 0xFF);
  return bytes + header + payload;
}

std::string Header(const std::string& descr, const std::string& shape, const std::string& fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::vector<float> Floats(const absl::StatusOr<RawArray>& array) {
  EXPECT_TRUE(array.ok()) << array.status();
  if (!array.ok()) return {};
  std::vector<int64_t> rows(static_cast<size_t>(array->rows()));
  std::iota(rows.begin(), rows.end(), 0);
  const HostTensor tensor = *array->ToFloats(rows);
  return {tensor.values<float>().begin(), tensor.values<float>().end()};
}

TEST(NpySourceTest, WrittenByNumPy) {
  const auto matrix = ParseNpy(Golden("matrix_f4.npy"));
  EXPECT_EQ(Floats(matrix), (std::vector<float>{1.5, -2.25, 3e-7f, 4, 5, 6.5}));
  EXPECT_EQ(matrix->header.shape, (Shape{2, 3}));
  EXPECT_EQ(Floats(ParseNpy(Golden("vector_i8.npy"))), (std::vector<float>{3, 0, 2}));
  EXPECT_EQ(Floats(ParseNpy(Golden("flags_b1.npy"))), (std::vector<float>{1, 0, 0, 1}));
}

TEST(NpySourceTest, EveryType) {
  EXPECT_EQ(Floats(ParseNpy(Npy(Header("|i1", "(2,)"), "\x01\xFF"))), (std::vector<float>{1, -1}));
  EXPECT_EQ(Floats(ParseNpy(Npy(Header("|u1", "(2,)"), "\x01\xFF"))), (std::vector<float>{1, 255}));
  EXPECT_EQ(Floats(ParseNpy(Npy(Header("<i2", "(1,)"), "\xFE\xFF"))), std::vector<float>{-2});
  EXPECT_EQ(Floats(ParseNpy(Npy(Header("<u2", "(1,)"), "\x02\x01"))), std::vector<float>{258});
  EXPECT_EQ(Floats(ParseNpy(Npy(Header("<i4", "(1,)"), "\xFE\xFF\xFF\xFF"))), std::vector<float>{-2});
  EXPECT_EQ(Floats(ParseNpy(Npy(Header("<u4", "(1,)"), std::string("\x02\x01\0\0", 4)))), std::vector<float>{258});
  EXPECT_EQ(Floats(ParseNpy(Npy(Header("<f8", "(1,)"), std::string("\0\0\0\0\0\0\xF8\x3F", 8)))),
            std::vector<float>{1.5});
}

TEST(NpySourceTest, VersionsAndSpellings) {
  for (const int version : {1, 2, 3}) {
    EXPECT_EQ(Floats(ParseNpy(Npy(Header("|u1", "(1, 2)"), "\x01\x02", version))), (std::vector<float>{1, 2}));
  }
  EXPECT_EQ(Floats(ParseNpy(Npy("{\"shape\":(2,),\"descr\":\"|u1\",\"fortran_order\":False}   \n", "\x01\x02"))),
            (std::vector<float>{1, 2}));
  EXPECT_TRUE(FailsWith(ParseNpy(Npy(Header("|u1", "(1,)"), "x", 4)).status(), StatusCode::kDataLoss, {"version 4"}));
  EXPECT_TRUE(FailsWith(ParseNpy(Npy(Header("|u1", "(1,)"), "x", 0)).status(), StatusCode::kDataLoss, {"version 0"}));
}

TEST(NpySourceTest, WhatIsRefusedSaysWhatToDo) {
  EXPECT_TRUE(FailsWith(ParseNpy(Golden("fortran_f4.npy")).status(), StatusCode::kDataLoss,
                        {"Fortran order", "numpy.ascontiguousarray"}));
  EXPECT_TRUE(FailsWith(ParseNpy(Golden("object.npy")).status(), StatusCode::kDataLoss,
                        {"pickled Python objects", "never loaded"}));
  EXPECT_TRUE(FailsWith(ParseNpy(Golden("records.npy")).status(), StatusCode::kDataLoss, {"several fields"}));
  for (const char* descr : {">f4", "<f2", "<c8", "<u8", "<U5", "|S1", "<M8[ns]", "f4", ""}) {
    EXPECT_TRUE(FailsWith(ParseNpy(Npy(Header(descr, "(1,)"), "xxxxxxxx")).status(), StatusCode::kDataLoss,
                          {"element type", descr, ".astype("}));
  }
  EXPECT_TRUE(FailsWith(ParseNpy(Gzipped(Golden("matrix_f4.npy"))).status(), StatusCode::kDataLoss, {"gunzip"}));
  EXPECT_TRUE(FailsWith(ParseNpy("PK\x03\x04 an npz").status(), StatusCode::kDataLoss, {"not an NPY file"}));
  EXPECT_TRUE(FailsWith(ParseNpy("").status(), StatusCode::kDataLoss, {"not an NPY file"}));
}

TEST(NpySourceTest, BrokenHeaders) {
  const std::string good = "'descr': '|u1', 'fortran_order': False, 'shape': (1,)";
  ASSERT_TRUE(ParseNpy(Npy("{" + good + "}", "x")).ok());
  for (const std::string& bad :
       {std::string(), std::string("{}"), good, "{" + good, "{" + good + "} x", "{" + good + ", 'more': 1}",
        "{" + good + ", 'shape': (1,)}", "{" + good + ",,}",
        std::string("{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}"),
        std::string("{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}"),
        std::string("{'descr': '|u1', 'fortran_order': False, 'shape': (1)}"),
        std::string("{'descr': '|u1', 'fortran_order': False, 'shape': (1, }"),
        std::string("{'descr': '|u1', 'fortran_order': False, 'shape': 1}"),
        std::string("{'descr': '|u1', 'fortran_order': False, 'shape': (99999999999999999999,)}"),
        std::string("{'descr': '|u1, 'fortran_order': False, 'shape': (1,)}")}) {
    EXPECT_TRUE(FailsWith(ParseNpy(Npy(bad, "x")).status(), StatusCode::kDataLoss, {"NPY header"})) << bad;
  }
}

TEST(NpySourceTest, SizesThatDoNotFit) {
  const std::string whole = Npy(Header("<f4", "(2, 3)"), std::string(24, '\0'));
  ASSERT_TRUE(ParseNpy(whole).ok());
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(ParseNpy(whole.substr(0, size)).status().code(), StatusCode::kDataLoss) << size;
  }
  EXPECT_TRUE(FailsWith(ParseNpy(whole.substr(0, whole.size() - 1)).status(), StatusCode::kDataLoss, {"cut off"}));
  EXPECT_TRUE(FailsWith(ParseNpy(whole + "x").status(), StatusCode::kDataLoss, {"NPY header announces"}));
  EXPECT_TRUE(FailsWith(ParseNpy(Npy(Header("<f4", "()"), "xxxx")).status(), StatusCode::kDataLoss, {"single number"}));
  EXPECT_TRUE(FailsWith(ParseNpy(Npy(Header("<f4", "(0, 3)"), "")).status(), StatusCode::kDataLoss, {"no values"}));
  EXPECT_TRUE(
      FailsWith(ParseNpy(Npy(Header("<f8", "(1000000, 1000000)"), "")).status(), StatusCode::kOutOfRange, {"bytes"}));
  EXPECT_TRUE(FailsWith(ParseNpy(Npy(Header("<f8", "(1000000000000, 1000000000000)"), "")).status(),
                        StatusCode::kDataLoss, {"shape"}));
  EXPECT_TRUE(FailsWith(ParseNpy(Npy(Header("|u1", "(1,)") + std::string(1 << 17, ' '), "x", 2)).status(),
                        StatusCode::kDataLoss, {"header is longer"}));
}

TEST(NpyWriterTest, MatchesNumPyToTheByte) {
  const std::vector<float> matrix{1.5, -2.25, 3e-7f, 4, 5, 6.5};
  EXPECT_EQ(*SerializeNpy(*HostTensor::From<float>({2, 3}, matrix)), Golden("matrix_f4.npy"));
  const std::vector<int64_t> vector{3, 0, 2};
  EXPECT_EQ(*SerializeNpy(*HostTensor::From<int64_t>({3}, vector)), Golden("vector_i8.npy"));
}

TEST(NpyWriterTest, EveryTypeReadsBack) {
  for (const DType type :
       {DType::kFloat32, DType::kFloat64, DType::kInt64, DType::kInt32, DType::kUInt8, DType::kBool}) {
    HostTensor tensor = *HostTensor::Zeros(type, {3, 2});
    tensor.mutable_bytes()[0] = std::byte{1};
    const auto array = ParseNpy(*SerializeNpy(tensor));
    ASSERT_TRUE(array.ok()) << array.status();
    EXPECT_EQ(array->header.shape, (Shape{3, 2}));
    EXPECT_EQ(array->header.offset % 64, 0u);
    EXPECT_EQ(array->bytes.substr(array->header.offset),
              std::string(reinterpret_cast<const char*>(tensor.bytes().data()), tensor.bytes().size()));
  }
  EXPECT_TRUE(FailsWith(SerializeNpy(*HostTensor::Zeros(DType::kBool, Shape(17, 1))).status(),
                        StatusCode::kInvalidArgument, {"17 dimensions"}));
}

}  // namespace
}  // namespace tacit::data
