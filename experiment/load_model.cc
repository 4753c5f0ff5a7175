#include "experiment/load_model.h"

#include "core/file.h"
#include "core/status.h"
#include "model/architecture/architecture.h"

namespace tacit::experiment {

absl::StatusOr<ModelArtifact> ReadArtifactFile(const std::string& path) {
  TACIT_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(path, kMaxArtifactBytes));
  absl::StatusOr<ModelArtifact> artifact = ParseArtifact(bytes);
  if (!artifact.ok()) return Annotate(artifact.status(), path);
  return artifact;
}

absl::StatusOr<ModelArtifact> LoadModel(const config::ModelConfig& config, uint64_t seed) {
  if (config.artifact) return ReadArtifactFile(*config.artifact);
  model::ArchitectureSpec spec;
  spec.kind = *config.architecture;
  spec.input_shape = config.input_shape;
  spec.outputs = config.outputs;
  spec.hidden = config.hidden;
  spec.channels = config.channels;
  spec.kernel_size = config.kernel_size;
  spec.activation = config.activation;
  spec.loss = config.loss;
  spec.seed = seed;
  absl::StatusOr<ModelArtifact> artifact = model::BuildArchitecture(spec);
  if (!artifact.ok()) return Annotate(artifact.status(), "[model]");
  return artifact;
}

}  // namespace tacit::experiment
