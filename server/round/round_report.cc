#include "server/round/round_report.h"

namespace tacit::coordinator {

RoundReport SummariseUpdates(RoundNumber round, const std::map<ClientId, Update>& updates) {
  RoundReport report;
  report.round = round;
  double weighted_loss = 0;
  double weight = 0;
  for (const auto& [client, update] : updates) {
    report.trainers.push_back({client, update.steps, update.spend});
    if (update.training_loss) {
      weighted_loss += update.weight * *update.training_loss;
      weight += update.weight;
    }
  }
  if (weight > 0) report.training_loss = weighted_loss / weight;
  return report;
}

std::optional<EvaluationSummary> SummariseEvaluations(
    const std::map<ClientId, std::optional<EvaluationReport>>& reports) {
  EvaluationSummary summary;
  std::map<std::string, int64_t> examples_with;  // a metric that some evaluators lack is the mean of the others'
  for (const auto& [client, report] : reports) {
    if (!report) continue;
    const auto examples = static_cast<double>(report->examples);
    summary.examples += report->examples;
    summary.loss += examples * report->loss;
    for (const auto& [name, value] : report->metrics) {
      summary.metrics[name] += examples * value;
      examples_with[name] += report->examples;
    }
  }
  if (summary.examples == 0) return std::nullopt;
  summary.loss /= static_cast<double>(summary.examples);
  for (auto& [name, value] : summary.metrics) value /= static_cast<double>(examples_with[name]);
  return summary;
}

}  // namespace tacit::coordinator
