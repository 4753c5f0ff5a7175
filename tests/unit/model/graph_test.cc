#include "model/api/graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "model/api/allowed_operators.h"
#include "model/graph/builder.h"

namespace tacit::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Graph EveryKindOfArgument() {
  GraphBuilder builder;
  const ValueRef x = builder.Batch("x");
  const ValueRef w = builder.Tensor("w");
  const ValueRef y = builder.Call(
      "aten::thing.overload",
      {None{}, true, int64_t{-3}, 2.0, 0.1, std::string("text"), x, std::vector<int64_t>{1, 2}, std::vector<int64_t>{},
       std::vector<double>{0.5, -std::numeric_limits<double>::infinity()}, std::vector<bool>{true, false},
       std::vector<std::optional<ValueRef>>{x, std::nullopt, w}, std::numeric_limits<double>::infinity()},
      "encoder.0");
  return std::move(builder).Build(builder.Call("aten::relu", {y}));
}

std::string Error(const std::string& json) {
  const absl::StatusOr<Graph> graph = ParseGraph(json);
  EXPECT_FALSE(graph.ok()) << json;
  if (graph.ok()) return "";
  EXPECT_EQ(graph.status().code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(graph.status().message()), Not(HasSubstr("\n")));
  return std::string(graph.status().message());
}

std::string WithNode(const std::string& node) {
  return R"({"inputs":[{"kind":"batch","name":"x","value":0}],"nodes":[)" + node + R"(],"outputs":[0]})";
}

TEST(Graph, JsonRoundTrip) {
  const Graph graph = EveryKindOfArgument();
  const absl::StatusOr<std::string> json = GraphToJson(graph);
  ASSERT_TRUE(json.ok()) << json.status();
  const absl::StatusOr<Graph> parsed = ParseGraph(*json);
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(*parsed, graph);
  EXPECT_EQ(*GraphToJson(*parsed), *json);
}

TEST(Graph, JsonIsAsDocumented) {
  GraphBuilder builder;
  const ValueRef x = builder.Batch("x");
  const ValueRef w = builder.Tensor("w");
  EXPECT_EQ(*GraphToJson(
                std::move(builder).Build(builder.Call("aten::softmax.int", {x, int64_t{1}, None{}, w, 1.0}, "head"))),
            R"({"inputs":[{"kind":"batch","name":"x","value":0},{"kind":"tensor","name":"w","value":1}],)"
            R"("nodes":[{"args":[{"value":0},1,null,{"value":1},1.0],"op":"aten::softmax","outputs":[2],)"
            R"("overload":"int","source":"head"}],"outputs":[2]})");
}

TEST(Graph, RefusesWhatIsNoGraph) {
  EXPECT_THAT(Error(""), HasSubstr("not valid JSON"));
  EXPECT_THAT(Error("[]"), HasSubstr("not an object"));
  EXPECT_THAT(Error(R"({"inputs":[],"nodes":[]})"), HasSubstr("'outputs' is missing"));
  EXPECT_THAT(Error(R"({"inputs":[],"nodes":[],"outputs":[],"code":1})"), HasSubstr("unknown key 'code'"));
  EXPECT_THAT(Error(R"({"inputs":[],"nodes":[],"outputs":[]})"), HasSubstr("no output"));
  EXPECT_THAT(Error(R"({"inputs":[],"nodes":[],"outputs":[],"outputs":[0]})"), HasSubstr("repeats the key"));
  EXPECT_THAT(Error(R"({"inputs":[{"kind":"file","name":"x","value":0}],"nodes":[],"outputs":[0]})"),
              HasSubstr("input 0: its kind is neither"));
  EXPECT_THAT(Error(std::string(100'000, '[')), HasSubstr("nested more than"));
}

TEST(Graph, ErrorsNameTheNode) {
  EXPECT_THAT(Error(WithNode(R"({"op":"aten::relu","args":[{"value":1}],"outputs":[1]})")),
              HasSubstr("node 0 (aten::relu): argument 0: value 1 is used before it is assigned"));
  EXPECT_THAT(Error(WithNode(R"({"op":"aten::relu","args":[{"value":0}],"outputs":[0],"source":"a.b"})")),
              HasSubstr("node 0 (aten::relu at a.b): value 0 is assigned twice"));
  EXPECT_THAT(Error(WithNode(R"({"op":"aten::relu","args":[{"value":0}],"outputs":[9000000]})")),
              HasSubstr("out of range"));
  EXPECT_THAT(Error(WithNode(R"({"op":"aten::relu","args":[{"value":0}],"outputs":[]})")), HasSubstr("outputs"));
  EXPECT_THAT(Error(WithNode(R"({"op":"aten::relu","args":[[1,2.5]],"outputs":[1]})")),
              HasSubstr("node 0 (aten::relu): argument 0: a list of different types"));
  EXPECT_THAT(Error(WithNode(R"({"op":"aten::relu","args":[{"tensor":0}],"outputs":[1]})")),
              HasSubstr("an object that is neither"));
  EXPECT_THAT(Error(WithNode(R"({"op":"aten::relu","args":[18446744073709551615],"outputs":[1]})")),
              HasSubstr("too large"));
  EXPECT_THAT(Error(WithNode(R"({"op":"aten::relu","args":[[[1]]],"outputs":[1]})")),
              HasSubstr("a list within a list"));
  EXPECT_THAT(Error(WithNode("{\"op\":\"a\\nb\",\"args\":[],\"outputs\":[1]}")), HasSubstr("printable"));
  EXPECT_THAT(Error(WithNode(R"({"op":")" + std::string(300, 'a') + R"(","args":[],"outputs":[1]})")),
              HasSubstr("too long"));
}

TEST(Graph, CyclesAreUsesBeforeAssignment) {
  EXPECT_THAT(Error(R"({"inputs":[],"nodes":[{"op":"aten::relu","args":[{"value":1}],"outputs":[0]},)"
                    R"({"op":"aten::relu","args":[{"value":0}],"outputs":[1]}],"outputs":[1]})"),
              HasSubstr("node 0 (aten::relu): argument 0: value 1 is used before"));
}

TEST(Graph, LimitsHold) {
  std::string args = "0";
  for (int i = 0; i < 100; ++i) args += ",0";
  EXPECT_THAT(Error(WithNode(R"({"op":"aten::relu","args":[)" + args + R"(],"outputs":[1]})")),
              HasSubstr("too many arguments"));
  Graph graph = EveryKindOfArgument();
  graph.nodes[0].arguments = {std::vector<int64_t>(GraphLimits::kListElements + 1)};
  EXPECT_EQ(ValidateGraph(graph).code(), absl::StatusCode::kInvalidArgument);
}

TEST(Graph, MustFitTheArtifact) {
  ModelArtifact artifact;
  artifact.inputs.push_back({"x", DType::kFloat32, {2}});
  artifact.graph_json = R"({"inputs":[{"kind":"tensor","name":"w","value":0}],"nodes":[],"outputs":[0]})";
  EXPECT_THAT(std::string(ParseModelGraph(artifact).status().message()),
              HasSubstr("the tensor 'w', which isn't there"));
  artifact.graph_json = WithNode(R"({"op":"aten::relu_","args":[{"value":0}],"outputs":[1],"source":"act"})");
  const absl::Status status = ParseModelGraph(artifact).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(status.message()), HasSubstr("node 0 (aten::relu_ at act): this operator is not allowed"));
}

TEST(AllowedOperators, AreSortedAndUnique) {
  const std::vector<absl::string_view>& names = AllowedOperators();
  for (size_t i = 1; i < names.size(); ++i) EXPECT_LT(names[i - 1], names[i]);
}

TEST(AllowedOperators, NothingInPlaceOrOutside) {
  for (const absl::string_view name : AllowedOperators()) {
    const std::string op(name.substr(0, name.find('.')));
    EXPECT_NE(op.back(), '_') << op;
    EXPECT_THAT(std::string(name), Not(HasSubstr(".out")));
  }
}

TEST(AllowedOperators, RefusesOthers) {
  for (const std::string op :
       {"aten::add_.Tensor", "aten::from_file", "aten::item", "aten::nonzero", "aten::rand", "aten::masked_select",
        "aten::set_", "aten::as_strided", "prim::Print", "aten::relu.out"}) {
    GraphBuilder builder;
    const ValueRef x = builder.Batch("x");
    const Graph graph = std::move(builder).Build(builder.Call(op, {x}));
    EXPECT_EQ(CheckOperatorsAllowed(graph).code(), absl::StatusCode::kInvalidArgument) << op;
  }
}

}  // namespace
}  // namespace tacit::model
