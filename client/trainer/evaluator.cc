#include "client/trainer/evaluator.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "client/trainer/examples_for.h"
#include "core/status.h"
#include "model/api/metrics.h"

namespace tacit::trainer {
namespace {

constexpr int64_t kBatch = 256;

void AddMetric(const char* name, const std::optional<double>& value, EvaluationResult& result) {
  if (value) result.metrics[name] = *value;
}

}  // namespace

absl::StatusOr<Evaluator> Evaluator::Create(const ModelArtifact& artifact, const data::Dataset& dataset,
                                            const model::ModelBackend& backend) {
  TACIT_ASSIGN_OR_RETURN(model::LossInfo loss, model::FindLoss(artifact.loss));
  TACIT_ASSIGN_OR_RETURN(data::Dataset examples, ExamplesFor(dataset, artifact));
  TACIT_ASSIGN_OR_RETURN(std::unique_ptr<model::Model> model, backend.LoadModel(artifact));
  return Evaluator(std::move(model), std::move(examples), std::move(loss));
}

absl::StatusOr<EvaluationResult> Evaluator::Evaluate(const ParameterVector& parameters, std::stop_token stop) {
  if (examples_.size() == 0) return absl::FailedPreconditionError("the evaluation data has no examples");
  EvaluationResult result;
  model::MetricSums sums;
  for (int64_t begin = 0; begin < examples_.size(); begin += kBatch) {
    if (stop.stop_requested()) return absl::CancelledError("evaluation was stopped");
    std::vector<int64_t> rows(std::min(kBatch, examples_.size() - begin));
    std::iota(rows.begin(), rows.end(), begin);
    TACIT_ASSIGN_OR_RETURN(const model::Batch batch, examples_.Gather(rows));
    TACIT_ASSIGN_OR_RETURN(const model::Evaluation evaluation, model_->Evaluate(parameters, batch));
    result.loss += std::accumulate(evaluation.losses.begin(), evaluation.losses.end(), 0.0);
    TACIT_ASSIGN_OR_RETURN(const model::MetricSums part,
                           model::ComputeMetrics(loss_, evaluation.outputs, batch.target));
    sums.Add(part);
  }
  result.examples = examples_.size();
  result.loss /= static_cast<double>(result.examples);
  AddMetric("accuracy", sums.Accuracy(), result);
  AddMetric("mean_squared_error", sums.MeanSquaredError(), result);
  AddMetric("mean_absolute_error", sums.MeanAbsoluteError(), result);
  return result;
}

}  // namespace tacit::trainer
