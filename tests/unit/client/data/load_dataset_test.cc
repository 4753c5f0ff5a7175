#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "client/data/dataset.h"
#include "core/file.h"
#include "tests/unit/client/data/gzip_bytes.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::data {
namespace {

using absl::StatusCode;

std::string Golden(const std::string& name) { return std::string(TACIT_SOURCE_DIR) + "/tests/golden/data/" + name; }

class LoadDatasetTest : public testing::Test {
 protected:
  LoadDatasetTest() : folder_(testing::TempDir() + "load_dataset_" + std::to_string(::getpid())) {}
  ~LoadDatasetTest() override { std::filesystem::remove_all(folder_); }

  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = folder_ + "/" + name;
    EXPECT_TRUE(WriteFileAtomically(path, bytes).ok());
    return path;
  }

  std::string folder_;
};

config::DataConfig Csv(const std::string& path) {
  config::DataConfig config;
  config.format = "csv";
  config.path = path;
  config.target = "y";
  return config;
}

config::DataConfig BreastCancer() {
  config::DataConfig config = Csv(Golden("breast_cancer_excerpt.csv"));
  config.target = "diagnosis";
  config.labels = {"benign", "malignant"};
  return config;
}

config::DataConfig Digits() {
  config::DataConfig config;
  config.format = "idx";
  config.path = Golden("digits-images-idx3-ubyte.gz");
  config.target_path = Golden("digits-labels-idx1-ubyte.gz");
  return config;
}

TEST_F(LoadDatasetTest, Csv) {
  const auto dataset = LoadDataset(BreastCancer());
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ(dataset->size(), 12);
  EXPECT_EQ(dataset->inputs()[0].shape(), (Shape{12, 30}));
  EXPECT_EQ(dataset->inputs()[0].values<float>()[0], 17.99f);
  for (int64_t i = 0; i < 12; ++i) EXPECT_EQ(dataset->target().values<int64_t>()[i], i < 6 ? 1 : 0);
}

TEST_F(LoadDatasetTest, CompressedCsv) {
  config::DataConfig config = Csv(Golden("digits8x8_excerpt.csv.gz"));
  config.target = "label";
  const auto dataset = LoadDataset(config);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ(dataset->inputs()[0].shape(), (Shape{8, 64}));
  EXPECT_EQ(dataset->inputs()[0].values<float>()[2], 5);
}

TEST_F(LoadDatasetTest, Idx) {
  const auto dataset = LoadDataset(Digits());
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ(dataset->inputs()[0].shape(), (Shape{10, 28, 28}));
  EXPECT_EQ(dataset->target().values<int64_t>()[1], 8);
  const auto shaped = dataset->ShapedFor({{.name = "x", .example_shape = {1, 28, 28}}});
  ASSERT_TRUE(shaped.ok()) << shaped.status();
  EXPECT_EQ(shaped->inputs()[0].shape(), (Shape{10, 1, 28, 28}));
}

TEST_F(LoadDatasetTest, Npy) {
  config::DataConfig config;
  config.format = "npy";
  config.path = Golden("matrix_f4.npy");
  config.target_path = Golden("flags_b1.npy");
  config.target_type = "value";
  const auto dataset = LoadDataset(config);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ(dataset->inputs()[0].shape(), (Shape{2, 3}));
  EXPECT_EQ(dataset->target(), *HostTensor::From<float>({2, 2}, std::vector<float>{1, 0, 0, 1}));
}

TEST_F(LoadDatasetTest, Standardised) {
  config::DataConfig config = Digits();
  config.standardise = config::StandardiseConfig{.mean = {127.5}, .standard_deviation = {127.5}};
  const auto dataset = LoadDataset(config);
  ASSERT_TRUE(dataset.ok()) << dataset.status();
  EXPECT_EQ(dataset->inputs()[0].values<float>()[0], -1);
  config.standardise->mean = {1, 2, 3};
  EXPECT_TRUE(FailsWith(LoadDataset(config).status(), StatusCode::kInvalidArgument,
                        {config.path, "standardise.mean", "3 values for 784 features"}));
}

// The same rows whichever way the examples are stored: csv gathers after parsing, arrays before converting.
TEST_F(LoadDatasetTest, PartitionsAgreeBetweenFormats) {
  std::string csv = "x,y\n", idx_x{0, 0, 8, 1, 0, 0, 0, 20}, idx_y = idx_x;
  for (char i = 0; i < 20; ++i) {
    csv += std::to_string(i) + "," + std::to_string(i + 20) + "\n";
    idx_x += i;
    idx_y += static_cast<char>(i + 20);
  }
  config::DataConfig from_csv = Csv(Write("p.csv", csv));
  config::DataConfig from_idx = Digits();
  from_idx.path = Write("x.idx", idx_x);
  from_idx.target_path = Write("y.idx", idx_y);
  for (int64_t part = 0; part < 3; ++part) {
    const config::PartitionConfig partition{.parts = 3, .part = part, .holdout = 0.2, .seed = 1};
    from_csv.partition = from_idx.partition = partition;
    const auto a = LoadDataset(from_csv);
    const auto b = LoadDataset(from_idx);
    ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
    EXPECT_EQ(a->target(), b->target());
    for (int64_t i = 0; i < a->size(); ++i) {
      EXPECT_EQ(a->inputs()[0].values<float>()[i], b->inputs()[0].values<float>()[i]);
      EXPECT_EQ(a->target().values<int64_t>()[i], static_cast<int64_t>(a->inputs()[0].values<float>()[i]) + 20);
    }
  }
  from_csv.partition = config::PartitionConfig{.parts = 50};
  EXPECT_TRUE(
      FailsWith(LoadDataset(from_csv).status(), StatusCode::kInvalidArgument, {"p.csv", "20 rows", "50 parts"}));
}

TEST_F(LoadDatasetTest, InputsWithoutTargets) {
  config::DataConfig config = Csv(Write("inputs.csv", "a,b\n1,2\n3,4\n"));
  const auto inputs = LoadInputs(config);
  ASSERT_TRUE(inputs.ok()) << inputs.status();
  EXPECT_EQ(inputs->inputs()[0].shape(), (Shape{2, 2}));
  EXPECT_EQ(inputs->target(), *HostTensor::Zeros(DType::kInt64, {2}));
  EXPECT_TRUE(FailsWith(LoadDataset(config).status(), StatusCode::kNotFound, {"inputs.csv:1", "no column 'y'"}));

  config = Digits();
  config.target_path = "/nowhere";
  EXPECT_EQ(LoadInputs(config)->target(), *HostTensor::Zeros(DType::kInt64, {10}));
  config.target_path.reset();
  EXPECT_TRUE(LoadInputs(config).ok());
  EXPECT_TRUE(FailsWith(LoadDataset(config).status(), StatusCode::kInvalidArgument, {"target_path"}));
}

TEST_F(LoadDatasetTest, ErrorsNameTheFile) {
  EXPECT_TRUE(FailsWith(LoadDataset(Csv("/nowhere/data.csv")).status(), StatusCode::kNotFound, {"/nowhere/data.csv"}));
  EXPECT_TRUE(FailsWith(LoadDataset(Csv(Write("bad.csv", "a,y\nx,0\n"))).status(), StatusCode::kDataLoss,
                        {folder_ + "/bad.csv:2: column 'a': 'x'"}));
  EXPECT_TRUE(FailsWith(LoadDataset(Csv(Write("bad.csv.gz", Gzipped("a,y\n1,0\n").substr(0, 20)))).status(),
                        StatusCode::kDataLoss, {folder_ + "/bad.csv.gz: ", "too early"}));
  config::DataConfig config = Digits();
  config.path = Golden("matrix_f4.npy");
  EXPECT_TRUE(FailsWith(LoadDataset(config).status(), StatusCode::kDataLoss, {config.path, "not an IDX file"}));
  config = Digits();
  config.target_path = "/nowhere/labels";
  EXPECT_TRUE(FailsWith(LoadDataset(config).status(), StatusCode::kNotFound, {"/nowhere/labels"}));
  config = Digits();
  config.target_path = Write("nine.idx", std::string("\0\0\x08\x01\0\0\0\x01", 8) + "\x09");
  EXPECT_TRUE(FailsWith(LoadDataset(config).status(), StatusCode::kDataLoss,
                        {"nine.idx: has 1 targets", config.path, "10 examples"}));
  config.format = "parquet";
  EXPECT_TRUE(FailsWith(LoadDataset(config).status(), StatusCode::kInvalidArgument, {"parquet", "csv, idx, npy"}));
}

}  // namespace
}  // namespace tacit::data
