#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/model_artifact.h"
#include "model/api/model.h"
#include "model/api/per_sample_gradients.h"

namespace tacit::model {

// What turns an artifact into something that computes. The programs plug LibTorch in here; whatever trains knows this
// alone. Thread-safe.
class ModelBackend {
 public:
  virtual ~ModelBackend() = default;
  virtual absl::StatusOr<std::unique_ptr<Model>> LoadModel(const ModelArtifact& artifact) const = 0;
  // `method`: "vmap" or "loop".
  virtual absl::StatusOr<std::unique_ptr<PerSampleGradients>> LoadPerSampleGradients(
      const ModelArtifact& artifact, absl::string_view method) const = 0;
};

}  // namespace tacit::model
