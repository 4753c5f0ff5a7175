#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/host_tensor.h"
#include "core/parameter_vector.h"

namespace tacit {

// What happens to a tensor of a model during a run.
enum class TensorRole {
  kTrainable,  // trained and exchanged; float32
  kFrozen,     // a constant of the model
  kBuffer,     // state that the model keeps beside its parameters
};

// Where a buffer lives.
enum class BufferPolicy { kLocal, kAverage, kServer };

struct ArtifactTensor {
  std::string name;
  TensorRole role = TensorRole::kTrainable;
  BufferPolicy policy = BufferPolicy::kLocal;  // buffers only
  HostTensor value;
};

// One example's share of an input of the graph: its type and its shape without the batch dimension.
struct InputSpec {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape example_shape;
};

// A model as data: its tensors with their roles, its graph of ATen operators and its loss. The coordinator reads the
// tensors and never looks into the graph; model/ gives the graph its meaning.
//
// On disk it is one safetensors file: 8 bytes little-endian header length, a JSON header, the raw tensors in manifest
// order, contiguous from offset 0. The header's __metadata__ holds "tacit.format" ("1"), "tacit.manifest" (roles,
// policies and inputs, JSON), "tacit.graph" (JSON, model/api/graph.h) and "tacit.loss" (the name of a loss).
// docs/artifact_format.md describes it to the byte.
struct ModelArtifact {
  std::vector<ArtifactTensor> tensors;
  std::vector<InputSpec> inputs;
  std::string graph_json;
  std::string loss;

  // The trainable tensors' schema, in manifest order.
  absl::StatusOr<std::shared_ptr<const Schema>> TrainableSchema() const;
  absl::StatusOr<ParameterVector> TrainableParameters() const;
  // InvalidArgument when the schema is another.
  absl::Status SetTrainableParameters(const ParameterVector& parameters);
};

inline constexpr uint64_t kMaxArtifactBytes = uint64_t{16} << 30;
inline constexpr uint64_t kMaxArtifactHeaderBytes = uint64_t{64} << 20;
inline constexpr size_t kMaxArtifactNameBytes = 256;
inline constexpr size_t kMaxArtifactRank = 16;

// The same artifact always gives the same bytes. InvalidArgument for what ParseArtifact would refuse: a bad or repeated
// name, a trainable tensor that isn't float32, a trainable or frozen value that isn't finite.
absl::StatusOr<std::string> SerializeArtifact(const ModelArtifact& artifact);

// DataLoss names what is wrong, on one line: not an artifact, another format version, a header longer than the file,
// tensors that overlap, leave gaps or reach past the end, a role or type that doesn't exist, a manifest that names
// other tensors, a trainable or frozen value that isn't finite. Allocates in proportion to bytes.size(), whatever the
// header claims.
absl::StatusOr<ModelArtifact> ParseArtifact(absl::string_view bytes);

// Whether `text` is one JSON value in UTF-8, without repeated keys in an object and nested at most `max_depth` deep
// (a scalar has depth 0). DataLoss says what is wrong. Needs memory for the keys alone, so that text from outside can
// be checked before anything is built from it.
absl::Status CheckStrictJson(absl::string_view text, int max_depth);

}  // namespace tacit
