#include "core/file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "tests/unit/core/expect_error.h"

namespace tacit {
namespace {

using absl::StatusCode;

class FileTest : public testing::Test {
 protected:
  FileTest() : folder_(testing::TempDir() + "file_test_" + std::to_string(::getpid())) {
    std::filesystem::create_directories(folder_);
  }
  ~FileTest() override { std::filesystem::remove_all(folder_); }

  int64_t FilesIn(const std::string& folder) const {
    return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
  }

  const std::string folder_;
};

TEST_F(FileTest, RoundTrip) {
  const std::string path = folder_ + "/a";
  for (const size_t size : {0, 1, 65536, 65537, 1000000}) {
    const std::string bytes(size, '\xA5');
    ASSERT_TRUE(WriteFileAtomically(path, bytes).ok());
    EXPECT_EQ(*ReadFile(path, size), bytes);
  }
  EXPECT_EQ(FilesIn(folder_), 1);  // no temporary file is left
}

TEST_F(FileTest, ReadLimits) {
  const std::string path = folder_ + "/a";
  ASSERT_TRUE(WriteFileAtomically(path, "12345").ok());
  EXPECT_TRUE(ReadFile(path, 5).ok());
  EXPECT_TRUE(FailsWith(ReadFile(path, 4).status(), StatusCode::kOutOfRange, {path, "5 bytes", "4 allowed"}));
}

// A pipe has no size: the limit holds while it is read.
TEST_F(FileTest, ReadLimitsWithoutASize) {
  EXPECT_TRUE(FailsWith(ReadFile("/dev/zero", 100000).status(), StatusCode::kOutOfRange, {"/dev/zero", "100000"}));
}

TEST_F(FileTest, ReadErrorsNameThePath) {
  EXPECT_TRUE(FailsWith(ReadFile(folder_ + "/none", 10).status(), StatusCode::kNotFound,
                        {folder_ + "/none", "cannot open", "No such file"}));
  EXPECT_TRUE(FailsWith(ReadFile(folder_, 10).status(), StatusCode::kDataLoss, {folder_, "directory"}));
}

TEST_F(FileTest, WriteMakesFolders) {
  const std::string path = folder_ + "/b/c/d";
  ASSERT_TRUE(WriteFileAtomically(path, "x").ok());
  EXPECT_EQ(*ReadFile(path, 1), "x");
}

TEST_F(FileTest, AFailedWriteLeavesTheOldFile) {
  const std::string path = folder_ + "/a";
  std::filesystem::create_directories(path + "/inside");  // a folder cannot be replaced by a file
  EXPECT_TRUE(FailsWith(WriteFileAtomically(path, "x"), StatusCode::kDataLoss, {path, "cannot write"}));
  EXPECT_TRUE(std::filesystem::exists(path + "/inside"));
  EXPECT_EQ(FilesIn(folder_), 1);  // no half file is left
}

TEST_F(FileTest, WriteErrorsNameThePath) {
  ASSERT_TRUE(WriteFileAtomically(folder_ + "/file", "x").ok());
  EXPECT_TRUE(FailsWith(WriteFileAtomically(folder_ + "/file/below", "x"), StatusCode::kDataLoss, {folder_ + "/file"}));
  EXPECT_TRUE(FailsWith(WriteFileAtomically("/proc/nothing/here", "x"), StatusCode::kNotFound, {"/proc/nothing"}));
  if (::geteuid() != 0) {  // root writes everywhere
    ASSERT_EQ(::chmod(folder_.c_str(), 0500), 0);
    EXPECT_TRUE(FailsWith(WriteFileAtomically(folder_ + "/new", "x"), StatusCode::kDataLoss,
                          {folder_ + "/new", "Permission denied"}));
    ASSERT_EQ(::chmod(folder_.c_str(), 0700), 0);
  }
}

TEST_F(FileTest, MakeFolders) {
  EXPECT_TRUE(MakeFolders(folder_ + "/x/y").ok());
  EXPECT_TRUE(MakeFolders(folder_ + "/x/y").ok());
  EXPECT_TRUE(std::filesystem::is_directory(folder_ + "/x/y"));
}

}  // namespace
}  // namespace tacit
