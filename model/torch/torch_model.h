#pragma once

#include <cstdint>
#include <memory>

#include "absl/status/statusor.h"
#include "core/model_artifact.h"
#include "model/api/model.h"
#include "model/api/per_sample_gradients.h"

namespace tacit::model {

// The model of an artifact, computed by LibTorch on the CPU. DataLoss, on one line and naming the node where there is
// one, for an artifact whose graph is malformed, uses an operator that isn't allowed or calls one with arguments that
// its schema doesn't take, cannot run on its own declared inputs, or doesn't suit the artifact's loss.
// The graph is run once, on two examples of zeros: an artifact from outside can still ask for absurd memory there.
absl::StatusOr<std::unique_ptr<Model>> LoadTorchModel(const ModelArtifact& artifact);

// How per-sample gradients are computed. All give the same numbers, up to rounding.
enum class GradientBackend {
  kVmap,  // vmap over grad: all samples of a microbatch at once
  kLoop,  // one ordinary backward pass a sample: slow, and the others' oracle
};

struct GradientOptions {
  // The per-sample gradients of one microbatch stay below it, where one sample's do.
  int64_t max_microbatch_bytes = int64_t{256} << 20;
  // kVmap: whether an operator that vmap has no rule for may run sample by sample, many times slower. Otherwise it is
  // an Internal error that names the operator.
  bool allow_slow_operators = true;
};

// Errors as LoadTorchModel; InvalidArgument for options that make no sense.
absl::StatusOr<std::unique_ptr<PerSampleGradients>> MakePerSampleGradients(const ModelArtifact& artifact,
                                                                           GradientBackend backend,
                                                                           const GradientOptions& options = {});

}  // namespace tacit::model
