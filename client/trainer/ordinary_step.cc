#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "client/trainer/step.h"
#include "core/status.h"

namespace tacit::trainer {
namespace {

class OrdinaryStep final : public Step {
 public:
  OrdinaryStep(std::unique_ptr<model::Model> model, double sampling_rate, uint64_t seed, const ClientId& client)
      : model_(std::move(model)), sampling_rate_(sampling_rate), seed_(seed), client_(client), random_(seed, "") {}

  absl::Status Check(const model::Batch& batch) const override { return model_->Check(batch); }

  // A stream for each round, so that a round's batches don't depend on how many rounds this process has seen.
  void BeginRound(int64_t round) override {
    random_ = RandomStream(seed_, absl::StrCat("batches of ", client_.str(), " in round ", round));
  }

  absl::StatusOr<ParameterVector> Gradient(const data::Dataset& examples, const ParameterVector& parameters) override {
    std::vector<int64_t> rows;
    for (int64_t row = 0; row < examples.size(); ++row) {
      if (random_.NextUnit() < sampling_rate_) rows.push_back(row);
    }
    TACIT_ASSIGN_OR_RETURN(const model::Batch batch, examples.Gather(rows));
    TACIT_ASSIGN_OR_RETURN(model::MeanGradient mean,
                           model_->ComputeMeanGradient(parameters, batch, random_.NextUint64()));
    loss_ = rows.empty() ? std::nullopt : std::optional(mean.mean_loss);
    return std::move(mean.gradient);
  }

  std::optional<double> ReleasableLoss() const override { return loss_; }

 private:
  const std::unique_ptr<model::Model> model_;
  const double sampling_rate_;
  const uint64_t seed_;
  const ClientId client_;
  RandomStream random_;
  std::optional<double> loss_;
};

}  // namespace

std::unique_ptr<Step> MakeOrdinaryStep(std::unique_ptr<model::Model> model, double sampling_rate, uint64_t seed,
                                       const ClientId& client) {
  return std::make_unique<OrdinaryStep>(std::move(model), sampling_rate, seed, client);
}

}  // namespace tacit::trainer
