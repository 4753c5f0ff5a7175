#pragma once

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "model/api/batch.h"
#include "model/api/loss.h"
#include "model/architecture/architecture.h"
#include "model/graph/builder.h"
#include "model/torch/torch_model.h"

namespace tacit::model {

// Never clips.
inline constexpr double kHuge = 1e12;

// The value, or an exception, which fails the test that is running.
template <typename Value>
Value OrThrow(absl::StatusOr<Value> value) {
  if (!value.ok()) throw std::runtime_error(value.status().ToString());
  return *std::move(value);
}

HostTensor Floats(Shape shape, std::vector<float> values);
HostTensor Labels(std::vector<int64_t> values);

// A small model of every kind: "linear", "mlp" or "cnn" on 1x9x9 images.
ArchitectureSpec SmallSpec(const std::string& kind, const std::string& loss);
ModelArtifact SmallModel(const std::string& kind, const std::string& loss);

// Reproducible examples that fit the artifact and its loss.
Batch RandomBatch(const ModelArtifact& artifact, int64_t outputs, int64_t examples, uint64_t seed = 1);
Batch RandomBatch(const ArchitectureSpec& spec, int64_t examples, uint64_t seed = 1);
// Parameters off their starting point, where nothing is zero by accident.
ParameterVector RandomParameters(const ModelArtifact& artifact, uint64_t seed = 1);
// Rows `rows` of `batch`.
Batch Rows(const Batch& batch, const std::vector<int64_t>& rows);

// With slow operators forbidden.
std::unique_ptr<PerSampleGradients> Backend(const ModelArtifact& artifact, GradientBackend backend,
                                            int64_t max_microbatch_bytes = int64_t{256} << 20);
std::unique_ptr<Model> Load(const ModelArtifact& artifact);

// An artifact around a graph: trainable tensors as given, one float32 input "input".
ModelArtifact WrapGraph(Graph graph, std::vector<ArtifactTensor> tensors, Shape input_shape, const std::string& loss);
ArtifactTensor RandomTensor(const std::string& name, Shape shape, TensorRole role = TensorRole::kTrainable);

// linear(dropout(linear(input))) on 4 features and 3 classes.
ModelArtifact DropoutModel(double probability);

// max |a - b| / max(1e-12, max |b|)
double RelativeError(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace tacit::model
