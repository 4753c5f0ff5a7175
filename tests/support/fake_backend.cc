#include "tests/support/fake_backend.h"

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "core/status.h"
#include "model/api/loss.h"

namespace tacit::test {
namespace {

// The arithmetic of the one model there is. Its parameters are the weights and, last, the bias.
class Linear {
 public:
  static absl::StatusOr<Linear> Create(const ModelArtifact& artifact, FakeBackend::Gradients gradients) {
    Linear linear;
    TACIT_ASSIGN_OR_RETURN(linear.schema_, artifact.TrainableSchema());
    TACIT_ASSIGN_OR_RETURN(linear.loss_, model::FindLoss(artifact.loss));
    linear.inputs_ = artifact.inputs;
    linear.gradients_ = gradients;
    if (artifact.inputs.size() != 1 || linear.schema_->specs().size() != 2 ||
        linear.schema_->specs()[1].shape[0] != 1) {
      return absl::InvalidArgumentError("the fake backend knows linear models with one output only");
    }
    return linear;
  }

  const std::shared_ptr<const Schema>& schema() const { return schema_; }
  const std::vector<InputSpec>& inputs() const { return inputs_; }
  size_t features() const { return static_cast<size_t>(schema_->size()) - 1; }

  absl::Status Check(const ParameterVector& parameters) const {
    if (parameters.schema().hash() == schema_->hash()) return absl::OkStatus();
    return absl::InvalidArgumentError("parameters of another schema");
  }
  absl::Status CheckTarget(const model::Batch& batch) const {
    return model::CheckTarget(loss_, {1}, batch.target, batch.size());
  }

  double Output(const ParameterVector& parameters, const HostTensor& input, int64_t row) const {
    const std::span<const float> x = input.values<float>().subspan(static_cast<size_t>(row) * features(), features());
    double output = parameters.values().back();
    for (size_t i = 0; i < x.size(); ++i) output += static_cast<double>(parameters.values()[i]) * x[i];
    return output;
  }
  double Loss(double output, double target) const {
    if (loss_.kind == model::LossKind::kMeanSquaredError) return (output - target) * (output - target);
    return std::log1p(std::exp(-std::abs(output))) + std::max(output, 0.0) - output * target;
  }
  std::vector<float> Gradient(const ParameterVector& parameters, const model::Batch& batch, int64_t row) const {
    const HostTensor& input = batch.inputs.front();
    const std::span<const float> x = input.values<float>().subspan(static_cast<size_t>(row) * features(), features());
    const double output = Output(parameters, input, row);
    const double target = batch.target.values<float>()[static_cast<size_t>(row)];
    double slope =
        loss_.kind == model::LossKind::kMeanSquaredError ? 2 * (output - target) : 1 / (1 + std::exp(-output)) - target;
    if (gradients_ == FakeBackend::Gradients::kZero) slope = 0;
    if (gradients_ == FakeBackend::Gradients::kNan) slope = std::numeric_limits<double>::quiet_NaN();
    std::vector<float> gradient;
    for (const float feature : x) gradient.push_back(static_cast<float>(slope * feature));
    gradient.push_back(static_cast<float>(slope));
    return gradient;
  }

 private:
  std::shared_ptr<const Schema> schema_;
  std::vector<InputSpec> inputs_;
  model::LossInfo loss_;
  FakeBackend::Gradients gradients_ = FakeBackend::Gradients::kTrue;
};

}  // namespace

class FakeBackend::LinearModel final : public model::Model {
 public:
  LinearModel(Linear linear, const FakeBackend& backend) : linear_(std::move(linear)), backend_(backend) {}

  const std::shared_ptr<const Schema>& schema() const override { return linear_.schema(); }
  const std::vector<InputSpec>& inputs() const override { return linear_.inputs(); }

  absl::Status Check(const model::Batch& batch) const override { return linear_.CheckTarget(batch); }

  absl::StatusOr<model::MeanGradient> ComputeMeanGradient(const ParameterVector& parameters, const model::Batch& batch,
                                                          uint64_t) override {
    TACIT_RETURN_IF_ERROR(backend_.CountGradient(batch));
    TACIT_RETURN_IF_ERROR(linear_.Check(parameters));
    TACIT_RETURN_IF_ERROR(linear_.CheckTarget(batch));
    std::vector<double> sum(static_cast<size_t>(linear_.schema()->size()));
    double loss = 0;
    for (int64_t row = 0; row < batch.size(); ++row) {
      const std::vector<float> gradient = linear_.Gradient(parameters, batch, row);
      for (size_t i = 0; i < sum.size(); ++i) sum[i] += gradient[i];
      loss += linear_.Loss(linear_.Output(parameters, batch.inputs.front(), row), batch.target.values<float>()[row]);
    }
    model::MeanGradient mean{ParameterVector(linear_.schema()), 0};
    if (batch.size() == 0) return mean;
    const auto size = static_cast<double>(batch.size());
    for (size_t i = 0; i < sum.size(); ++i) mean.gradient.mutable_values()[i] = static_cast<float>(sum[i] / size);
    mean.mean_loss = loss / size;
    return mean;
  }

  absl::StatusOr<model::Evaluation> Evaluate(const ParameterVector& parameters, const model::Batch& batch) override {
    ++backend_.calls_->evaluations;
    TACIT_RETURN_IF_ERROR(linear_.CheckTarget(batch));
    model::Evaluation evaluation;
    TACIT_ASSIGN_OR_RETURN(evaluation.outputs, Predict(parameters, batch.inputs));
    for (int64_t row = 0; row < batch.size(); ++row) {
      const auto index = static_cast<size_t>(row);
      evaluation.losses.push_back(
          linear_.Loss(evaluation.outputs.values<float>()[index], batch.target.values<float>()[index]));
    }
    return evaluation;
  }

  absl::StatusOr<HostTensor> Predict(const ParameterVector& parameters,
                                     const std::vector<HostTensor>& inputs) override {
    TACIT_RETURN_IF_ERROR(linear_.Check(parameters));
    const int64_t rows = inputs.front().shape().front();
    std::vector<float> outputs;
    for (int64_t row = 0; row < rows; ++row) {
      outputs.push_back(static_cast<float>(linear_.Output(parameters, inputs.front(), row)));
    }
    return HostTensor::From<float>({rows, 1}, outputs);
  }

 private:
  const Linear linear_;
  const FakeBackend& backend_;
};

class FakeBackend::LinearPerSampleGradients final : public model::PerSampleGradients {
 public:
  LinearPerSampleGradients(Linear linear, const FakeBackend& backend) : linear_(std::move(linear)), backend_(backend) {}

  absl::Status Check(const model::Batch& batch) const override { return linear_.CheckTarget(batch); }

  absl::StatusOr<model::ClippedGradients> Compute(const ParameterVector& parameters, const model::Batch& batch,
                                                  double clip_norm, uint64_t) override {
    TACIT_RETURN_IF_ERROR(backend_.CountGradient(batch));
    TACIT_RETURN_IF_ERROR(linear_.Check(parameters));
    TACIT_RETURN_IF_ERROR(linear_.CheckTarget(batch));
    TACIT_ASSIGN_OR_RETURN(dp::ClippedSumBuilder builder,
                           dp::ClippedSumBuilder::Create(linear_.schema()->size(), clip_norm,
                                                         NeighbouringRelation::kAddOrRemoveOneExample));
    std::vector<double> norms;
    std::vector<double> losses;
    int64_t non_finite = 0;
    for (int64_t row = 0; row < batch.size(); ++row) {
      const std::vector<float> gradient = linear_.Gradient(parameters, batch, row);
      double squares = 0;
      for (const float value : gradient) squares += static_cast<double>(value) * value;
      norms.push_back(std::sqrt(squares));
      losses.push_back(
          linear_.Loss(linear_.Output(parameters, batch.inputs.front(), row), batch.target.values<float>()[row]));
      if (!builder.AddRecord(gradient)) ++non_finite;
    }
    return model::ClippedGradients{std::move(builder).Build(), std::move(norms), std::move(losses), non_finite};
  }

 private:
  const Linear linear_;
  const FakeBackend& backend_;
};

absl::Status FakeBackend::CountGradient(const model::Batch& batch) const {
  const int64_t before = calls_->gradients++;
  calls_->examples += batch.size();
  if (batch.size() == 0) ++calls_->empty_batches;
  return before_gradient ? before_gradient(before) : absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<model::Model>> FakeBackend::LoadModel(const ModelArtifact& artifact) const {
  ++calls_->loads;
  TACIT_RETURN_IF_ERROR(load_error);
  TACIT_ASSIGN_OR_RETURN(Linear linear, Linear::Create(artifact, gradients));
  return std::make_unique<LinearModel>(std::move(linear), *this);
}

absl::StatusOr<std::unique_ptr<model::PerSampleGradients>> FakeBackend::LoadPerSampleGradients(
    const ModelArtifact& artifact, absl::string_view) const {
  ++calls_->loads;
  TACIT_RETURN_IF_ERROR(load_error);
  TACIT_ASSIGN_OR_RETURN(Linear linear, Linear::Create(artifact, gradients));
  return std::make_unique<LinearPerSampleGradients>(std::move(linear), *this);
}

}  // namespace tacit::test
