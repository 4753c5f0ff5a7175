#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "client/data/dataset.h"
#include "core/model_artifact.h"
#include "model/api/model_backend.h"

namespace tacit::experiment {

// What a model says about every example: float32 [N, outputs].
absl::StatusOr<HostTensor> Predict(const ModelArtifact& artifact, const data::Dataset& dataset,
                                   const model::ModelBackend& backend);

// Outputs as CSV, one row an example. Cross-entropy: the predicted class (its name where `labels` has one) and every
// class's probability; binary cross-entropy: the class and the probability of class 1; otherwise the values.
absl::StatusOr<std::string> PredictionsAsCsv(const HostTensor& outputs, const std::string& loss,
                                             const std::vector<std::string>& labels);

}  // namespace tacit::experiment
