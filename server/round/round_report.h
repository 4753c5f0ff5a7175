#pragma once

#include <map>
#include <optional>

#include "core/federation/update.h"
#include "server/round/run_observer.h"

namespace tacit::coordinator {

// The report of a round from its updates; the evaluation comes later.
RoundReport SummariseUpdates(RoundNumber round, const std::map<ClientId, Update>& updates);

// Means over all evaluators, weighted by their examples; nothing when none reported.
std::optional<EvaluationSummary> SummariseEvaluations(
    const std::map<ClientId, std::optional<EvaluationReport>>& reports);

}  // namespace tacit::coordinator
