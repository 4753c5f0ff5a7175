#include "tests/layering/layering.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace tacit::layering {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

Rules Parse(const std::string& text) {
  std::istringstream in(text);
  return ReadRules(in);
}

Rules OwnRules() {
  std::ifstream in(TACIT_SOURCE_DIR "/tests/layering/rules.txt");
  return ReadRules(in);
}

// A small tree in a temporary folder.
class LayeringTest : public ::testing::Test {
 protected:
  LayeringTest() { fs::create_directories(root_); }
  ~LayeringTest() override { fs::remove_all(root_); }

  void Write(const std::string& file, const std::string& text) {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  std::vector<std::string> Found(const std::string& rules) { return Violations(root_, Parse(rules)); }

  const fs::path root_ = fs::path(::testing::TempDir()) /
                         (std::string("layering_") + ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST(TacitTree, KeepsItsLayers) { EXPECT_THAT(Violations(TACIT_SOURCE_DIR, OwnRules()), IsEmpty()); }

TEST(TacitTree, IsReadAtAll) {
  EXPECT_GT(Violations(TACIT_SOURCE_DIR, Rules{}).size(), 100) << "without rules, every file belongs to no layer";
}

TEST_F(LayeringTest, LetsAFileUseItsOwnLayerAndThoseNamed) {
  Write("core/a.h", "");
  Write("core/b.h", "#include \"core/a.h\"\n#include <vector>\n");
  Write("optim/c.cc", "#include \"core/b.h\"\n#include \"optim/d.h\"\n");
  Write("optim/d.h", "");
  EXPECT_THAT(Found("[layers]\ncore =\noptim = core\n"), IsEmpty());
}

TEST_F(LayeringTest, FindsAnIncludeAgainstTheDirection) {
  Write("core/a.h", "  #  include \"optim/d.h\"\n");
  Write("optim/d.h", "");
  EXPECT_THAT(Found("[layers]\ncore =\noptim = core\n"),
              ElementsAre("core/a.h includes optim/d.h, but core may not use optim"));
}

TEST_F(LayeringTest, TheLongestPathThatFitsIsTheLayer) {
  Write("core/a.h", "#include \"core/tls/b.h\"\n");
  Write("core/tls/b.h", "#include \"core/c.h\"\n");
  Write("core/c.h", "");
  Write("core/x_command.cc", "#include \"core/tls/b.h\"\n");
  EXPECT_THAT(Found("[layers]\ncore =\ncore/tls = core\ncore/*_command.cc = core/tls\n"),
              ElementsAre("core/a.h includes core/tls/b.h, but core may not use core/tls"));
}

TEST_F(LayeringTest, FindsAFileWithoutALayer) {
  Write("core/a.h", "");
  Write("cores/b.cc", "");
  EXPECT_THAT(Found("[layers]\ncore =\n"), ElementsAre("cores/b.cc belongs to no layer"));
}

TEST_F(LayeringTest, FindsAHeaderBeyondItsBorder) {
  Write("model/torch/t.cc", "#include <torch/torch.h>\n");
  Write("server/s.cc", "#include <torch/torch.h>\n");
  EXPECT_THAT(Found("[layers]\nmodel =\nserver =\n[headers]\ntorch/ ATen/ = model/torch\n"),
              ElementsAre("server/s.cc -> torch/torch.h: a header not for this path"));
}

TEST_F(LayeringTest, FindsAHeaderThatAnotherHeaderBrings) {
  Write("client/main.cc", "#include \"model/torch/t.h\"\n");
  Write("model/torch/t.h", "#include \"model/torch/u.h\"\n");
  Write("model/torch/u.h", "#include \"model/torch/t.h\"\n#include <ATen/ATen.h>\n");  // a circle
  EXPECT_THAT(
      Found("[layers]\nmodel =\nclient = model\n[headers]\ntorch/ ATen/ = model/torch\n"),
      ElementsAre("client/main.cc -> model/torch/t.h -> model/torch/u.h -> ATen/ATen.h: a header not for this path"));
}

TEST_F(LayeringTest, FindsAWordBeyondItsBorderButNotInAComment) {
  Write("model/compat.cc", "#if TORCH_VERSION_MAJOR > 1\n#endif\n");
  Write("model/a.cc", "int a;  // TORCH_VERSION_MAJOR lies in compat.cc\n");
  Write("model/b.cc", "#if TORCH_VERSION_MAJOR > 1\n#endif\n");
  EXPECT_THAT(Found("[layers]\nmodel =\n[words]\nTORCH_VERSION_ = model/compat.cc\n"),
              ElementsAre("model/b.cc says TORCH_VERSION_"));
}

TEST_F(LayeringTest, LeavesHiddenAndBuildFoldersOut) {
  Write("build/dev/CMakeCache.txt", "");
  Write("build/dev/generated.pb.cc", "");
  Write(".git/x.cc", "");
  EXPECT_THAT(Found("[layers]\ncore =\n"), IsEmpty());
}

TEST(Rules, RefuseWhatTheyDoNotUnderstand) {
  const auto error = [](const std::string& text) -> std::string {
    try {
      Parse(text);
    } catch (const std::runtime_error& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(error("# words\n\n[layers]\ncore =\n"), "none");
  EXPECT_THAT(error("core =\n"), HasSubstr("line 1"));
  EXPECT_THAT(error("[layers]\ncore optim\n"), HasSubstr("line 2"));
  EXPECT_THAT(error("[layers]\noptim = cor\n"), HasSubstr("optim uses cor"));
}

// The borders of the real rules hold against what they are there to stop.
TEST_F(LayeringTest, TheRealRulesStopTorchAndProtobuf) {
  Write("server/main.cc", "#include \"model/torch/runtime.h\"\n");
  Write("model/torch/runtime.h", "");
  Write("optim/o.cc", "#include <ATen/core/Tensor.h>\n");
  Write("model/torch/program.cc", "#include <ATen/functorch/DynamicLayer.h>\n");
  Write("core/update.h", "#include \"tacit/v1/federation.pb.h\"\n");
  Write("client/trainer/t.cc", "#include <grpcpp/grpcpp.h>\n");
  EXPECT_THAT(Violations(root_, OwnRules()),
              ElementsAre(HasSubstr("client/trainer/t.cc -> grpcpp"), HasSubstr("core/update.h -> tacit/v1"),
                          HasSubstr("model/torch/program.cc -> ATen/functorch"), HasSubstr("optim/o.cc -> ATen"),
                          HasSubstr("server/main.cc may not use model/torch")));
}

}  // namespace
}  // namespace tacit::layering
