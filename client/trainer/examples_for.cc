#include "client/trainer/examples_for.h"

#include "core/status.h"
#include "model/api/loss.h"

namespace tacit::trainer {

absl::StatusOr<data::Dataset> ExamplesFor(const data::Dataset& dataset, const ModelArtifact& artifact) {
  TACIT_ASSIGN_OR_RETURN(const model::LossInfo loss, model::FindLoss(artifact.loss));
  TACIT_ASSIGN_OR_RETURN(const data::Dataset shaped, dataset.ShapedFor(artifact.inputs));
  return shaped.WithTargetType(loss.target_dtype);
}

}  // namespace tacit::trainer
