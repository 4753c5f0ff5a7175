#pragma once

#include <memory>

#include "model/api/model_backend.h"

namespace tacit::model {

// LibTorch as a ModelBackend.
std::unique_ptr<ModelBackend> MakeTorchBackend();

}  // namespace tacit::model
