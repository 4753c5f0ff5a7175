#include "model/torch/gradient/clipped_accumulator.h"

#include <ATen/ops/from_blob.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/status.h"

namespace tacit::torch_backend {
namespace {

constexpr int64_t kLanes = 8;
constexpr int64_t kBlock = 2048;  // doubles of a running sum that stay in the innermost cache

// In float64, in several running sums so that the compiler can use vectors: it may not reorder one sum itself.
double SumOfSquares(const float* values, int64_t size) {
  std::array<double, kLanes> sums{};
  int64_t i = 0;
  for (; i + kLanes <= size; i += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const double value = values[i + lane];
      sums[lane] += value * value;
    }
  }
  double total = 0;
  for (; i < size; ++i) total += static_cast<double>(values[i]) * values[i];
  for (const double sum : sums) total += sum;
  return total;
}

// sum += factor * values
void AddMultiple(double factor, const float* __restrict values, int64_t size, double* __restrict sum) {
  for (int64_t i = 0; i < size; ++i) sum[i] += factor * static_cast<double>(values[i]);
}

// The samples of `gradient` each as a dense run of floats, in whatever order of its elements the backend left: norms
// and sums don't mind, and reordering would copy the largest thing there is.
struct DenseSamples {
  explicit DenseSamples(const at::Tensor& gradient) : tensor(gradient) {
    if (!tensor.select(0, 0).is_non_overlapping_and_dense()) tensor = tensor.contiguous();
    data = tensor.data_ptr<float>();
    stride = tensor.stride(0);
    size = tensor.numel() / tensor.size(0);
  }
  at::Tensor tensor;
  const float* data = nullptr;
  int64_t stride = 0;  // between samples; 0 where all have the same gradient
  int64_t size = 0;    // elements of a sample
};

}  // namespace

ClippedAccumulator::ClippedAccumulator(std::shared_ptr<const Schema> schema)
    : schema_(std::move(schema)), sum_(static_cast<size_t>(schema_->size())) {
  int64_t largest = 0;
  for (size_t k = 0; k < schema_->specs().size(); ++k) {
    largest = std::max(largest, schema_->offset(k + 1) - schema_->offset(k));
  }
  scratch_.resize(static_cast<size_t>(largest));
}

absl::Status ClippedAccumulator::Begin(double clip_norm) {
  absl::StatusOr<dp::ClippedSumBuilder> builder =
      dp::ClippedSumBuilder::Create(schema_->size(), clip_norm, dp::NeighbouringRelation::kAddOrRemoveOneExample);
  if (!builder.ok()) return builder.status();
  builder_.emplace(*std::move(builder));
  std::fill(sum_.begin(), sum_.end(), 0.0);
  norms_.clear();
  losses_.clear();
  non_finite_ = 0;
  return absl::OkStatus();
}

void ClippedAccumulator::Add(const std::vector<at::Tensor>& gradients, std::span<const double> losses,
                             std::span<const double> weights) {
  std::vector<double> squares(losses.size());
  for (const at::Tensor& gradient : gradients) {
    if (gradient.defined()) AddSquaredNorms(gradient, squares);
  }
  const std::vector<double> factors = FactorsOf(squares, weights);
  for (size_t k = 0; k < gradients.size(); ++k) {
    if (gradients[k].defined()) AddScaled(gradients[k], schema_->offset(k), factors);
  }
  losses_.insert(losses_.end(), losses.begin(), losses.end());
}

void ClippedAccumulator::AddSquaredNorms(const at::Tensor& gradient, std::span<double> squares) const {
  const DenseSamples samples(gradient);
  for (size_t i = 0; i < squares.size(); ++i) {
    squares[i] += SumOfSquares(samples.data + static_cast<int64_t>(i) * samples.stride, samples.size);
  }
}

std::vector<double> ClippedAccumulator::FactorsOf(std::span<const double> squares, std::span<const double> weights) {
  std::vector<double> factors(squares.size());
  for (size_t i = 0; i < squares.size(); ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    const double norm = weight * std::sqrt(squares[i]);  // of the weighted gradient: |w g| = w |g|
    norms_.push_back(norm);
    if (!std::isfinite(norm)) ++non_finite_;
    factors[i] = weight * builder_->ClipFactor(norm);
  }
  return factors;
}

void ClippedAccumulator::AddScaled(const at::Tensor& gradient, int64_t offset, std::span<const double> factors) {
  const DenseSamples samples(gradient);
  const at::Tensor sample = samples.tensor.select(0, 0);
  const bool in_order = sample.is_contiguous();
  double* sum = in_order ? sum_.data() + offset : scratch_.data();
  if (!in_order) std::fill_n(sum, samples.size, 0.0);
  for (int64_t begin = 0; begin < samples.size; begin += kBlock) {
    const int64_t size = std::min(kBlock, samples.size - begin);
    for (size_t i = 0; i < factors.size(); ++i) {
      if (factors[i] == 0) continue;  // not finite, perhaps: 0 * NaN would be NaN
      AddMultiple(factors[i], samples.data + static_cast<int64_t>(i) * samples.stride + begin, size, sum + begin);
    }
  }
  if (in_order) return;
  const auto options = at::TensorOptions().dtype(at::kDouble);
  at::from_blob(sum_.data() + offset, sample.sizes(), options)
      .add_(at::from_blob(sum, sample.sizes(), sample.strides(), options));
}

absl::StatusOr<model::ClippedGradients> ClippedAccumulator::Finish() {
  TACIT_RETURN_IF_ERROR(builder_->AddScaled(sum_, static_cast<int64_t>(norms_.size())));
  model::ClippedGradients result{std::move(*builder_).Build(), norms_, losses_, non_finite_};
  builder_.reset();
  return result;
}

}  // namespace tacit::torch_backend
