#pragma once

#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "client/data/dataset.h"
#include "core/model_artifact.h"
#include "core/parameter_vector.h"
#include "model/api/loss.h"
#include "model/api/model_backend.h"

namespace tacit::trainer {

struct EvaluationResult {
  int64_t examples = 0;
  double loss = 0;                        // mean
  std::map<std::string, double> metrics;  // accuracy; or mean squared and absolute error
};

// Evaluates a model on a data set, batch by batch. Not thread-safe.
class Evaluator {
 public:
  // InvalidArgument when the data doesn't fit the model; DataLoss for a bad artifact.
  static absl::StatusOr<Evaluator> Create(const ModelArtifact& artifact, const data::Dataset& dataset,
                                          const model::ModelBackend& backend);

  const std::shared_ptr<const Schema>& schema() const { return model_->schema(); }
  // FailedPrecondition when there is no example; Cancelled when stopped.
  absl::StatusOr<EvaluationResult> Evaluate(const ParameterVector& parameters, std::stop_token stop);

 private:
  Evaluator(std::unique_ptr<model::Model> model, data::Dataset examples, model::LossInfo loss)
      : model_(std::move(model)), examples_(std::move(examples)), loss_(std::move(loss)) {}
  std::unique_ptr<model::Model> model_;
  data::Dataset examples_;
  model::LossInfo loss_;
};

}  // namespace tacit::trainer
