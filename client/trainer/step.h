#pragma once

#include <memory>
#include <optional>

#include "absl/status/statusor.h"
#include "client/data/dataset.h"
#include "core/ids.h"
#include "core/parameter_vector.h"
#include "core/random_stream.h"
#include "model/api/model.h"
#include "model/api/per_sample_gradients.h"
#include "privacy/dp/random_source.h"
#include "privacy/dp/training_plan.h"

namespace tacit::trainer {

// Where the gradient of one optimizer step comes from. Not thread-safe.
class Step {
 public:
  virtual ~Step() = default;
  // Whether the examples fit the model; InvalidArgument says what doesn't.
  virtual absl::Status Check(const model::Batch& batch) const = 0;
  // At the start of a round.
  virtual void BeginRound(int64_t round) = 0;
  // The gradient at `parameters`. ResourceExhausted when no further step is allowed.
  virtual absl::StatusOr<ParameterVector> Gradient(const data::Dataset& examples,
                                                   const ParameterVector& parameters) = 0;
  // Of the last Gradient; nothing where the loss must not be known outside.
  virtual std::optional<double> ReleasableLoss() const = 0;
};

// DP-SGD (Abadi et al. 2016): spend, sample, clip, noise, divide by the expected batch size; everything from one plan
// (docs/privacy.md). `budget` and `random` must outlive it.
std::unique_ptr<Step> MakePrivateStep(dp::DpTrainingPlan plan, std::unique_ptr<model::PerSampleGradients> gradients,
                                      dp::BudgetAccount& budget, dp::RandomSource& random);

// The mean gradient of a Poisson-sampled batch, without privacy; reproducible from `seed` and the client's name.
std::unique_ptr<Step> MakeOrdinaryStep(std::unique_ptr<model::Model> model, double sampling_rate, uint64_t seed,
                                       const ClientId& client);

}  // namespace tacit::trainer
