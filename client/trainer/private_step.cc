#include <cstring>
#include <utility>

#include "client/trainer/step.h"
#include "core/log.h"
#include "core/status.h"

namespace tacit::trainer {
namespace {

class PrivateStep final : public Step {
 public:
  PrivateStep(dp::DpTrainingPlan plan, std::unique_ptr<model::PerSampleGradients> gradients, dp::BudgetAccount& budget,
              dp::RandomSource& random)
      : plan_(std::move(plan)), gradients_(std::move(gradients)), budget_(budget), random_(random) {}

  absl::Status Check(const model::Batch& batch) const override { return gradients_->Check(batch); }

  void BeginRound(int64_t) override {}

  absl::StatusOr<ParameterVector> Gradient(const data::Dataset& examples, const ParameterVector& parameters) override {
    if (steps_ >= plan_.terms().steps) {
      return absl::ResourceExhaustedError("the plan's steps are all taken; more would pass the budget");
    }
    // Spent first: whatever goes wrong below, no result can exist that was not accounted for.
    TACIT_RETURN_IF_ERROR(budget_.Spend(plan_.step_event()));
    ++steps_;
    TACIT_ASSIGN_OR_RETURN(const std::vector<int64_t> rows, plan_.SampleBatch(examples.size(), random_));
    TACIT_ASSIGN_OR_RETURN(const model::Batch batch, examples.Gather(rows));
    TACIT_ASSIGN_OR_RETURN(const uint64_t seed, DrawSeed());
    TACIT_ASSIGN_OR_RETURN(const model::ClippedGradients clipped,
                           gradients_->Compute(parameters, batch, plan_.clip_norm(), seed));
    if (clipped.non_finite > 0) {
      Log(LogLevel::kWarning, "non_finite_gradients", {{"examples", clipped.non_finite}, {"counted_as", "zero"}});
    }
    TACIT_ASSIGN_OR_RETURN(const std::vector<double> mean, plan_.NoisyMean(clipped.sum, random_));
    return ParameterVector::Create(parameters.shared_schema(), std::vector<float>(mean.begin(), mean.end()));
  }

  std::optional<double> ReleasableLoss() const override { return std::nullopt; }

 private:
  absl::StatusOr<uint64_t> DrawSeed() {
    uint8_t bytes[sizeof(uint64_t)];
    TACIT_RETURN_IF_ERROR(random_.Fill(bytes));
    uint64_t seed;
    std::memcpy(&seed, bytes, sizeof(seed));
    return seed;
  }

  const dp::DpTrainingPlan plan_;
  const std::unique_ptr<model::PerSampleGradients> gradients_;
  dp::BudgetAccount& budget_;
  dp::RandomSource& random_;
  int64_t steps_ = 0;
};

}  // namespace

std::unique_ptr<Step> MakePrivateStep(dp::DpTrainingPlan plan, std::unique_ptr<model::PerSampleGradients> gradients,
                                      dp::BudgetAccount& budget, dp::RandomSource& random) {
  return std::make_unique<PrivateStep>(std::move(plan), std::move(gradients), budget, random);
}

}  // namespace tacit::trainer
