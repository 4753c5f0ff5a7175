#include "tests/unit/model/gradient_fixtures.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/random_stream.h"

namespace tacit::model {
namespace {

void FillRandom(RandomStream& stream, float scale, std::span<float> values) {
  for (float& value : values) value = scale * static_cast<float>(2 * stream.NextUnit() - 1);
}

HostTensor RandomTarget(RandomStream& stream, const LossInfo& loss, int64_t outputs, int64_t examples) {
  if (loss.kind == LossKind::kMeanSquaredError) {
    HostTensor target = OrThrow(HostTensor::Zeros(DType::kFloat32, {examples, outputs}));
    FillRandom(stream, 2, target.mutable_values<float>());
    return target;
  }
  HostTensor target = OrThrow(HostTensor::Zeros(loss.target_dtype, {examples}));
  for (int64_t row = 0; row < examples; ++row) {
    const uint64_t label = stream.NextBelow(static_cast<uint64_t>(std::max<int64_t>(outputs, 2)));
    if (loss.target_dtype == DType::kInt64) target.mutable_values<int64_t>()[row] = static_cast<int64_t>(label);
    if (loss.target_dtype == DType::kFloat32) target.mutable_values<float>()[row] = static_cast<float>(label);
  }
  return target;
}

}  // namespace

HostTensor Floats(Shape shape, std::vector<float> values) {
  return OrThrow(HostTensor::From<float>(std::move(shape), std::span<const float>(values)));
}
HostTensor Labels(std::vector<int64_t> values) {
  return OrThrow(HostTensor::From<int64_t>({static_cast<int64_t>(values.size())}, std::span<const int64_t>(values)));
}

ArchitectureSpec SmallSpec(const std::string& kind, const std::string& loss) {
  ArchitectureSpec spec;
  spec.kind = kind;
  spec.input_shape = {1, 9, 9};
  spec.outputs = loss == "binary-cross-entropy" ? 1 : 3;
  spec.hidden = {12, 7};
  spec.channels = {4};
  spec.activation = kind == "cnn" ? "gelu" : "tanh";  // smooth, for finite differences
  spec.loss = loss;
  spec.seed = 5;
  return spec;
}

ModelArtifact SmallModel(const std::string& kind, const std::string& loss) {
  return OrThrow(BuildArchitecture(SmallSpec(kind, loss)));
}

Batch RandomBatch(const ModelArtifact& artifact, int64_t outputs, int64_t examples, uint64_t seed) {
  RandomStream stream(seed, "test batch");
  Batch batch;
  for (const InputSpec& input : artifact.inputs) {
    Shape shape{examples};
    shape.insert(shape.end(), input.example_shape.begin(), input.example_shape.end());
    HostTensor tensor = OrThrow(HostTensor::Zeros(DType::kFloat32, std::move(shape)));
    FillRandom(stream, 1, tensor.mutable_values<float>());
    batch.inputs.push_back(std::move(tensor));
  }
  batch.target = RandomTarget(stream, OrThrow(FindLoss(artifact.loss)), outputs, examples);
  return batch;
}

Batch RandomBatch(const ArchitectureSpec& spec, int64_t examples, uint64_t seed) {
  return RandomBatch(OrThrow(BuildArchitecture(spec)), spec.outputs, examples, seed);
}

ParameterVector RandomParameters(const ModelArtifact& artifact, uint64_t seed) {
  ParameterVector parameters = OrThrow(artifact.TrainableParameters());
  RandomStream stream(seed, "test parameters");
  FillRandom(stream, 0.3F, parameters.mutable_values());
  return parameters;
}

Batch Rows(const Batch& batch, const std::vector<int64_t>& rows) {
  Batch result;
  for (const HostTensor& input : batch.inputs) result.inputs.push_back(OrThrow(input.Gather(rows)));
  result.target = OrThrow(batch.target.Gather(rows));
  for (const int64_t row : rows) {
    if (!batch.weights.empty()) result.weights.push_back(batch.weights[row]);
  }
  return result;
}

std::unique_ptr<PerSampleGradients> Backend(const ModelArtifact& artifact, GradientBackend backend,
                                            int64_t max_microbatch_bytes) {
  GradientOptions options;
  options.max_microbatch_bytes = max_microbatch_bytes;
  options.allow_slow_operators = false;
  return OrThrow(MakePerSampleGradients(artifact, backend, options));
}

std::unique_ptr<Model> Load(const ModelArtifact& artifact) { return OrThrow(LoadTorchModel(artifact)); }

ModelArtifact WrapGraph(Graph graph, std::vector<ArtifactTensor> tensors, Shape input_shape, const std::string& loss) {
  ModelArtifact artifact;
  artifact.tensors = std::move(tensors);
  artifact.inputs.push_back({"input", DType::kFloat32, std::move(input_shape)});
  artifact.graph_json = OrThrow(GraphToJson(graph));
  artifact.loss = loss;
  return artifact;
}

ArtifactTensor RandomTensor(const std::string& name, Shape shape, TensorRole role) {
  HostTensor value = OrThrow(HostTensor::Zeros(DType::kFloat32, std::move(shape)));
  RandomStream stream(7, name);
  FillRandom(stream, 0.5F, value.mutable_values<float>());
  return {name, role, BufferPolicy::kLocal, std::move(value)};
}

ModelArtifact DropoutModel(double probability) {
  GraphBuilder graph;
  const ValueRef input = graph.Batch("input");
  const ValueRef hidden = graph.Call("aten::linear", {input, graph.Tensor("w1")});
  const ValueRef dropped = graph.Call("aten::dropout", {hidden, probability, true});
  const ValueRef output = graph.Call("aten::linear", {dropped, graph.Tensor("w2")});
  return WrapGraph(std::move(graph).Build(output), {RandomTensor("w1", {64, 4}), RandomTensor("w2", {3, 64})}, {4},
                   "cross-entropy");
}

double RelativeError(const std::vector<double>& a, const std::vector<double>& b) {
  double error = 0, scale = 1e-12;
  for (size_t i = 0; i < b.size(); ++i) {
    error = std::max(error, std::abs(a[i] - b[i]));
    scale = std::max(scale, std::abs(b[i]));
  }
  return a.size() == b.size() ? error / scale : INFINITY;
}

}  // namespace tacit::model
