#pragma once

#include <stop_token>

#include "absl/status/status.h"
#include "core/config/client_config.h"
#include "model/api/model_backend.h"

namespace tacit::rpc {

// A whole client in this thread, from its config to the end of the run: reads the data, connects, takes part, and
// connects again, with growing pauses, when the connection breaks.
//
// OK: the run is complete. Otherwise why it ended, by code: InvalidArgument, NotFound, DataLoss or OutOfRange for its
// own config and data; Unavailable when the coordinator could not be reached for config.give_up_after_seconds;
// PermissionDenied or FailedPrecondition when one side refuses the other; ResourceExhausted when the privacy budget is
// spent; Cancelled when `stop` was asked for or the coordinator stopped the run.
absl::Status RunClient(const config::ClientConfig& config, const model::ModelBackend& backend, std::stop_token stop);

// Whether a client's outcome says no more than that the run ended early.
bool WasEndedByRun(const absl::Status& outcome);

}  // namespace tacit::rpc
