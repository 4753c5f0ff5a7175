#pragma once

#include "absl/status/statusor.h"
#include "core/federation/plan.h"
#include "tacit/v1/federation.pb.h"

namespace tacit::wire {

void ToWire(const Plan& plan, v1::Plan& message);
// InvalidArgument names the field that is missing, out of range or not finite.
absl::StatusOr<Plan> FromWire(const v1::Plan& message);

}  // namespace tacit::wire
