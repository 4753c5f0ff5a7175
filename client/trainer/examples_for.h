#pragma once

#include "absl/status/statusor.h"
#include "client/data/dataset.h"
#include "core/model_artifact.h"

namespace tacit::trainer {

// The examples in the shapes and types that a model and its loss take. InvalidArgument or DataLoss where they cannot
// take them.
absl::StatusOr<data::Dataset> ExamplesFor(const data::Dataset& dataset, const ModelArtifact& artifact);

}  // namespace tacit::trainer
