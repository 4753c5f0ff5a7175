#include "model/torch/torch_backend.h"

#include "absl/strings/str_cat.h"
#include "model/torch/torch_model.h"

namespace tacit::model {
namespace {

class TorchBackend final : public ModelBackend {
 public:
  absl::StatusOr<std::unique_ptr<Model>> LoadModel(const ModelArtifact& artifact) const override {
    return LoadTorchModel(artifact);
  }
  absl::StatusOr<std::unique_ptr<PerSampleGradients>> LoadPerSampleGradients(const ModelArtifact& artifact,
                                                                             absl::string_view method) const override {
    if (method == "vmap") return MakePerSampleGradients(artifact, GradientBackend::kVmap);
    if (method == "loop") return MakePerSampleGradients(artifact, GradientBackend::kLoop);
    return absl::InvalidArgumentError(absl::StrCat("unknown gradient backend '", method, "'; one of vmap, loop"));
  }
};

}  // namespace

std::unique_ptr<ModelBackend> MakeTorchBackend() { return std::make_unique<TorchBackend>(); }

}  // namespace tacit::model
