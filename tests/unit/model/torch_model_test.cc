#include "model/torch/torch_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "model/api/allowed_operators.h"
#include "tests/unit/model/gradient_fixtures.h"

namespace tacit::model {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// input [B, 4] through one node to an output of 3.
ModelArtifact WithNode(const std::string& node) {
  ModelArtifact artifact;
  artifact.tensors = {RandomTensor("w", {3, 4})};
  artifact.inputs.push_back({"input", DType::kFloat32, {4}});
  artifact.loss = "cross-entropy";
  artifact.graph_json =
      R"({"inputs":[{"kind":"batch","name":"input","value":0},{"kind":"tensor","name":"w","value":1}],)"
      R"("nodes":[)" +
      node + R"(],"outputs":[9]})";
  return artifact;
}

void ExpectRefused(const ModelArtifact& artifact, const std::string& text) {
  for (const absl::Status& status :
       {LoadTorchModel(artifact).status(), MakePerSampleGradients(artifact, GradientBackend::kVmap).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kDataLoss);
    EXPECT_THAT(std::string(status.message()), HasSubstr(text));
    EXPECT_THAT(std::string(status.message()), Not(HasSubstr("\n")));
  }
}

TEST(TorchModel, EvaluatesALinearModel) {
  ArchitectureSpec spec = SmallSpec("linear", "mean-squared-error");
  spec.input_shape = {2};
  spec.outputs = 1;
  const ModelArtifact artifact = *BuildArchitecture(spec);
  ParameterVector parameters = *artifact.TrainableParameters();
  parameters.mutable_values()[0] = 2;
  parameters.mutable_values()[1] = -1;
  parameters.mutable_values()[2] = 0.5;
  Batch batch;
  batch.inputs = {Floats({2, 2}, {1, 2, 3, 4})};
  batch.target = Floats({2}, {0.5, 0});
  const std::unique_ptr<Model> model = Load(artifact);
  const auto evaluation = model->Evaluate(parameters, batch);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outputs, Floats({2, 1}, {0.5, 2.5}));
  EXPECT_EQ(evaluation->losses, (std::vector<double>{0, 6.25}));
  EXPECT_EQ(*model->Predict(parameters, batch.inputs), evaluation->outputs);
  const auto mean = model->ComputeMeanGradient(parameters, batch, 0);
  ASSERT_TRUE(mean.ok()) << mean.status();
  EXPECT_DOUBLE_EQ(mean->mean_loss, 3.125);
  EXPECT_FLOAT_EQ(mean->gradient.values()[0], 7.5);  // mean of 2 (prediction - target) x
}

TEST(TorchModel, EmptyBatches) {
  const ModelArtifact artifact = SmallModel("cnn", "cross-entropy");
  const ParameterVector parameters = RandomParameters(artifact);
  const std::unique_ptr<Model> model = Load(artifact);
  const Batch empty = RandomBatch(SmallSpec("cnn", "cross-entropy"), 0);
  const auto mean = model->ComputeMeanGradient(parameters, empty, 0);
  ASSERT_TRUE(mean.ok()) << mean.status();
  EXPECT_EQ(mean->mean_loss, 0);
  EXPECT_EQ(mean->gradient.L2Norm(), 0);
  const auto evaluation = model->Evaluate(parameters, empty);
  ASSERT_TRUE(evaluation.ok()) << evaluation.status();
  EXPECT_EQ(evaluation->outputs.shape(), (Shape{0, 3}));
  EXPECT_EQ(model->Predict(parameters, empty.inputs)->shape(), (Shape{0, 3}));
}

TEST(TorchModel, DropoutIsForTrainingOnly) {
  const ModelArtifact artifact = DropoutModel(0.5);
  const ParameterVector parameters = *artifact.TrainableParameters();
  const std::unique_ptr<Model> model = Load(artifact);
  const std::unique_ptr<Model> without = Load(DropoutModel(0));
  const Batch batch = RandomBatch(artifact, 3, 6);
  EXPECT_EQ(model->Evaluate(parameters, batch)->losses, without->Evaluate(parameters, batch)->losses);
  const auto one = model->ComputeMeanGradient(parameters, batch, 1);
  const auto two = model->ComputeMeanGradient(parameters, batch, 2);
  EXPECT_NE(one->mean_loss, two->mean_loss);
  EXPECT_EQ(one->mean_loss, model->ComputeMeanGradient(parameters, batch, 1)->mean_loss);
  EXPECT_TRUE(std::isfinite(Load(DropoutModel(1))->ComputeMeanGradient(parameters, batch, 1)->mean_loss));
}

TEST(TorchModel, DropoutKeepsTheMean) {
  // linear(dropout(linear)) is linear in the mask: its mean over masks is the model without dropout. 20000 masks, 5
  // standard errors.
  GraphBuilder graph;
  const ValueRef input = graph.Batch("input");
  const ValueRef dropped = graph.Call("aten::dropout", {input, 0.25, true});
  const ValueRef output = graph.Call("aten::linear", {dropped, graph.Tensor("w")});
  ArtifactTensor w = RandomTensor("w", {1, 1});
  w.value.mutable_values<float>()[0] = 1;
  const ModelArtifact artifact = WrapGraph(std::move(graph).Build(output), {w}, {1}, "mean-squared-error");
  constexpr int64_t kExamples = 20'000;
  Batch batch;
  batch.inputs = {Floats({kExamples, 1}, std::vector<float>(kExamples, 1))};
  batch.target = Floats({kExamples}, std::vector<float>(kExamples, 0));
  // The loss is the squared mask: (4/3)^2 with probability 3/4, mean 4/3, standard deviation 0.77.
  const double mean = Load(artifact)->ComputeMeanGradient(*artifact.TrainableParameters(), batch, 9)->mean_loss;
  EXPECT_NEAR(mean, 4.0 / 3, 5 * 0.77 / std::sqrt(static_cast<double>(kExamples)));
}

TEST(TorchModel, ATrainingFlagThatIsFalseStaysFalse) {
  ModelArtifact artifact = DropoutModel(0.5);
  const size_t at = artifact.graph_json.find("0.5,true");
  ASSERT_NE(at, std::string::npos);
  artifact.graph_json.replace(at, 8, "0.5,false");
  const Batch batch = RandomBatch(artifact, 3, 6);
  const std::unique_ptr<Model> model = Load(artifact);
  EXPECT_EQ(model->ComputeMeanGradient(*artifact.TrainableParameters(), batch, 1)->mean_loss,
            model->ComputeMeanGradient(*artifact.TrainableParameters(), batch, 2)->mean_loss);
}

TEST(TorchModel, HostileGraphsAreRefusedAtLoading) {
  ExpectRefused(WithNode(R"({"op":"aten::nonsense","args":[{"value":0}],"outputs":[9]})"),
                "node 0 (aten::nonsense): this operator is not allowed in a model");
  ExpectRefused(WithNode(R"({"op":"aten::relu_","args":[{"value":0}],"outputs":[9]})"), "not allowed");
  ExpectRefused(WithNode(R"({"op":"aten::relu","overload":"out","args":[{"value":0}],"outputs":[9]})"), "not allowed");
  ExpectRefused(WithNode(R"({"op":"aten::linear","args":[{"value":0}],"outputs":[9],"source":"head"})"),
                "graph: node 0 (aten::linear at head): argument 'weight' is missing");
  ExpectRefused(WithNode(R"({"op":"aten::linear","args":[{"value":0},3],"outputs":[9]})"),
                "argument 'weight' is an integer where the operator takes Tensor");
  ExpectRefused(WithNode(R"({"op":"aten::relu","args":[{"value":0},1],"outputs":[9]})"),
                "2 arguments for an operator that takes 1");
  ExpectRefused(WithNode(R"({"op":"aten::relu","args":[{"value":0}],"outputs":[9,10]})"), "2 outputs");
  ExpectRefused(WithNode(R"({"op":"aten::relu","args":[null],"outputs":[9]})"), "is nothing where");
  ExpectRefused(WithNode(R"({"op":"aten::softmax","overload":"int","args":[{"value":0},1,77],"outputs":[9]})"),
                "77 is no known");
  ExpectRefused(WithNode(R"({"op":"aten::group_norm","args":[{"value":0},0],"outputs":[9]})"),
                "argument 'num_groups': 0 is not between 1 and");
  // A crash of LibTorch otherwise: it divides by the square, which overflows to 0.
  ExpectRefused(WithNode(R"({"op":"aten::pixel_shuffle","args":[{"value":0},4294967296],"outputs":[9]})"),
                "is not between 1 and");
  ExpectRefused(WithNode(R"({"op":"aten::dropout","args":[{"value":0},1.5,true],"outputs":[9]})"),
                "a dropout probability of 1.5");
  ExpectRefused(
      WithNode(
          R"({"op":"aten::batch_norm","args":[{"value":0},null,null,null,null,true,0.1,1e-5,false],"outputs":[9]})"),
      "normalisation over the batch mixes examples");
}

TEST(TorchModel, GraphsThatCannotRunAreRefusedAtLoading) {
  ExpectRefused(WithNode(R"({"op":"aten::mm","args":[{"value":0},{"value":1}],"outputs":[9],"source":"head"})"),
                "the model cannot run on its declared inputs: graph: node 0 (aten::mm at head): ");
  ExpectRefused(WithNode(R"({"op":"aten::sum","args":[{"value":0}],"outputs":[9]})"), "its output for 2 examples");
  ExpectRefused(WithNode(R"({"op":"aten::unsqueeze","args":[{"value":0},1],"outputs":[9]})"),
                "the loss cross-entropy needs a model that gives a row of values");
  ExpectRefused(WithNode(R"({"op":"aten::chunk","args":[{"value":0},2,1],"outputs":[9]})"), "gives 2 tensors where 1");
  ModelArtifact artifact = SmallModel("linear", "cross-entropy");
  artifact.loss = "hinge";
  ExpectRefused(artifact, "unknown loss 'hinge'");
  artifact = SmallModel("linear", "cross-entropy");
  artifact.inputs[0].example_shape = {int64_t{1} << 40};
  ExpectRefused(artifact, "elements an example");
  artifact = SmallModel("linear", "cross-entropy");
  artifact.inputs.clear();
  ExpectRefused(artifact, "the input 'input', which isn't there");
}

TEST(TorchModel, ListsOfTensorsAreUnpacked) {
  GraphBuilder builder;
  const ValueRef input = builder.Batch("input");
  const ValueRef left = builder.Call("aten::chunk", {input, int64_t{2}, int64_t{1}});
  Graph graph = std::move(builder).Build(left);
  graph.nodes[0].outputs = {1, 2};
  graph.nodes.push_back(
      {"aten::cat", "", {std::vector<std::optional<ValueRef>>{ValueRef{2}, ValueRef{1}}, int64_t{1}}, {3}});
  graph.outputs = {3};
  const ModelArtifact artifact = WrapGraph(graph, {}, {4}, "cross-entropy");
  EXPECT_EQ(*Load(artifact)->Predict(*artifact.TrainableParameters(), {Floats({1, 4}, {1, 2, 3, 4})}),
            Floats({1, 4}, {3, 4, 1, 2}));
}

TEST(TorchModel, BadCallsAreNamed) {
  const ModelArtifact artifact = SmallModel("linear", "cross-entropy");
  const std::unique_ptr<Model> model = Load(artifact);
  const ParameterVector parameters = *artifact.TrainableParameters();
  Batch batch = RandomBatch(SmallSpec("linear", "cross-entropy"), 2);
  batch.target = Labels({0, 7});
  for (const absl::Status& status :
       {model->Evaluate(parameters, batch).status(), model->ComputeMeanGradient(parameters, batch, 0).status()}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    EXPECT_THAT(std::string(status.message()), HasSubstr("row 1: label 7 is out of range for a model with 3 classes"));
  }
  EXPECT_EQ(model->Predict(parameters, {}).status().code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tacit::model
