#include "experiment/progress.h"

#include <algorithm>
#include <cstdio>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace tacit::experiment {
namespace {

constexpr int kBarWidth = 30;
constexpr size_t kRowsShown = 20;

// "loss 0.1234  accuracy 0.9561", or nothing.
std::string EvaluationText(const std::optional<coordinator::EvaluationSummary>& evaluation) {
  if (!evaluation) return "";
  std::string text = absl::StrFormat("loss %.4f", evaluation->loss);
  for (const auto& [name, value] : evaluation->metrics) absl::StrAppendFormat(&text, "  %s %.4f", name, value);
  return text;
}

void Show(const std::string& text) {
  std::fputs(text.c_str(), stdout);
  std::fflush(stdout);
}

}  // namespace

Progress::Progress(const config::ExperimentConfig& config, bool terminal) : config_(config), terminal_(terminal) {}

void Progress::OnWaiting(int64_t trainers, int64_t wanted) {
  if (!terminal_ && trainers == wanted) Show(absl::StrFormat("%d trainers joined\n", trainers));
}

void Progress::OnRound(const coordinator::RoundReport& report, const ParameterVector&) {
  rounds_.push_back(report);
  const int64_t done = report.round + 1;
  const int64_t all = config_.training.rounds;
  const std::string evaluation = EvaluationText(report.evaluation);
  if (terminal_) {
    const int filled = static_cast<int>(kBarWidth * done / all);
    Show(absl::StrFormat("\r\x1b[Kround %d/%d [%s%s] %s", done, all, std::string(filled, '#'),
                         std::string(kBarWidth - filled, '.'), evaluation));
    bar_shown_ = true;
  } else {
    Show(absl::StrFormat("round %d/%d  %.2f s  %s\n", done, all, report.seconds, evaluation));
  }
}

void Progress::OnFinished(const absl::Status&) {
  if (bar_shown_) Show("\n");
}

std::string Progress::RoundsTable() const {
  std::vector<std::string> names;
  for (const auto& round : rounds_) {
    if (!round.evaluation) continue;
    for (const auto& [name, value] : round.evaluation->metrics) {
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
  }
  std::string text = absl::StrFormat("%7s %9s %10s", "round", "seconds", "loss");
  for (const std::string& name : names) absl::StrAppendFormat(&text, " %20s", name);
  text += "\n";
  const size_t every = std::max<size_t>(1, (rounds_.size() + kRowsShown - 1) / kRowsShown);
  for (size_t i = 0; i < rounds_.size(); ++i) {
    if ((i + 1) % every != 0 && i + 1 != rounds_.size()) continue;
    const coordinator::RoundReport& round = rounds_[i];
    absl::StrAppendFormat(&text, "%7d %9.2f", round.round + 1, round.seconds);
    if (round.evaluation) {
      absl::StrAppendFormat(&text, " %10.4f", round.evaluation->loss);
      for (const std::string& name : names) {
        const auto value = round.evaluation->metrics.find(name);
        if (value == round.evaluation->metrics.end()) {
          absl::StrAppendFormat(&text, " %20s", "-");
        } else {
          absl::StrAppendFormat(&text, " %20.4f", value->second);
        }
      }
    } else {
      absl::StrAppendFormat(&text, " %10s", "-");
    }
    text += "\n";
  }
  if (every > 1) absl::StrAppend(&text, "(one round in ", every, "; all of them are in metrics.jsonl)\n");
  return text;
}

std::string Progress::TrainersTable() const {
  struct Total {
    int64_t steps = 0;
    std::optional<PrivacySpend> spend;
  };
  std::map<std::string, Total> totals;
  for (const auto& round : rounds_) {
    for (const auto& trainer : round.trainers) {
      totals[trainer.client.str()].steps += trainer.steps;
      totals[trainer.client.str()].spend = trainer.spend;
    }
  }
  std::string text =
      absl::StrFormat("%-16s %7s %14s %10s %11s\n", "trainer", "steps", "epsilon spent", "delta", "accountant");
  for (const auto& [name, total] : totals) {
    absl::StrAppendFormat(&text, "%-16s %7d", name, total.steps);
    if (total.spend) {
      absl::StrAppendFormat(&text, " %14.4f %10.2g %11s%s\n", total.spend->epsilon, total.spend->delta,
                            total.spend->accountant, total.spend->secure_noise ? "" : "  NO GUARANTEE: test noise");
    } else {
      absl::StrAppend(&text, "     no privacy\n");
    }
  }
  return text;
}

std::string Progress::Table(const std::string& output) const {
  std::string text = absl::StrCat("\n", RoundsTable(), "\n", TrainersTable());
  if (config_.privacy.enabled()) {
    absl::StrAppendFormat(&text, "budget of each trainer: epsilon %g at delta %g, add or remove one example\n",
                          *config_.privacy.epsilon, *config_.privacy.delta);
  }
  absl::StrAppend(&text, "\nresults in ", output, ": model.tacit, summary.json, metrics.jsonl, config.toml\n");
  return text;
}

}  // namespace tacit::experiment
