#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "absl/status/statusor.h"
#include "model/api/model_backend.h"

namespace tacit::test {

// A model::ModelBackend without LibTorch: f(x) = w x + b on plain doubles, for artifacts of the "linear" architecture
// with one output and the loss mean-squared-error or binary-cross-entropy. Thread-safe once it is set up.
class FakeBackend final : public model::ModelBackend {
 public:
  enum class Gradients { kTrue, kZero, kNan };

  // What loading answers instead of a model.
  absl::Status load_error;
  Gradients gradients = Gradients::kTrue;
  // Runs before every gradient, with the number of gradients before it; an error becomes the gradient's. It may wait.
  std::function<absl::Status(int64_t calls_before)> before_gradient;

  absl::StatusOr<std::unique_ptr<model::Model>> LoadModel(const ModelArtifact& artifact) const override;
  absl::StatusOr<std::unique_ptr<model::PerSampleGradients>> LoadPerSampleGradients(
      const ModelArtifact& artifact, absl::string_view method) const override;

  int64_t gradient_calls() const { return calls_->gradients; }
  int64_t evaluation_calls() const { return calls_->evaluations; }
  int64_t loads() const { return calls_->loads; }
  // Of the examples that gradients were asked for.
  int64_t examples_seen() const { return calls_->examples; }
  int64_t empty_batches() const { return calls_->empty_batches; }

 private:
  class LinearModel;
  class LinearPerSampleGradients;
  struct Calls {
    std::atomic<int64_t> gradients = 0;
    std::atomic<int64_t> evaluations = 0;
    std::atomic<int64_t> loads = 0;
    std::atomic<int64_t> examples = 0;
    std::atomic<int64_t> empty_batches = 0;
  };
  absl::Status CountGradient(const model::Batch& batch) const;

  const std::unique_ptr<Calls> calls_ = std::make_unique<Calls>();
};

}  // namespace tacit::test
