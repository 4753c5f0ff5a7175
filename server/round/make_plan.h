#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "core/config/server_config.h"
#include "core/federation/plan.h"

namespace tacit::coordinator {

// The plan that a config asks for, its noise calibrated where the config leaves it open. `artifact` are the model
// artifact's bytes. InvalidArgument names the config keys that contradict each other or cannot be met.
absl::StatusOr<Plan> MakePlan(const config::ServerConfig& config, const std::string& artifact);

}  // namespace tacit::coordinator
