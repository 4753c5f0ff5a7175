#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/config/sections.h"
#include "core/model_artifact.h"

namespace tacit::experiment {

// The artifact that a [model] table names or describes; `seed` decides the initial parameters of an architecture.
absl::StatusOr<ModelArtifact> LoadModel(const config::ModelConfig& config, uint64_t seed);

// An artifact's file; errors name the path.
absl::StatusOr<ModelArtifact> ReadArtifactFile(const std::string& path);

}  // namespace tacit::experiment
