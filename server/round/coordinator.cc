#include "server/round/coordinator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/time.h"
#include "core/log.h"
#include "core/status.h"
#include "optim/aggregators/weighted_average.h"
#include "server/round/round_report.h"

namespace tacit::coordinator {
namespace {

double Seconds(Clock::Duration duration) { return std::chrono::duration<double>(duration).count(); }

std::string Names(const std::vector<ClientId>& clients) {
  constexpr size_t kShown = 8;
  std::vector<std::string> names;
  for (size_t i = 0; i < clients.size() && i < kShown; ++i) names.push_back(clients[i].str());
  if (clients.size() > kShown) names.push_back(absl::StrCat("and ", clients.size() - kShown, " more"));
  return absl::StrJoin(names, ", ");
}

}  // namespace

absl::StatusOr<std::unique_ptr<Coordinator>> Coordinator::Create(Options options, ParameterVector initial,
                                                                 const Clock& clock, BlobStore& blobs,
                                                                 RunObserver& observer) {
  TACIT_ASSIGN_OR_RETURN(optim::Optimizer optimizer, optim::Optimizer::Create(options.server_optimizer));
  return std::unique_ptr<Coordinator>(
      new Coordinator(std::move(options), std::move(initial), std::move(optimizer), clock, blobs, observer));
}

Coordinator::Coordinator(Options options, ParameterVector initial, optim::Optimizer optimizer, const Clock& clock,
                         BlobStore& blobs, RunObserver& observer)
    : options_(std::move(options)),
      schema_(initial.shared_schema()),
      clock_(clock),
      blobs_(blobs),
      observer_(observer),
      parameters_(std::move(initial)),
      server_optimizer_(std::move(optimizer)),
      phase_start_(clock.Now()),
      round_start_(clock.Now()),
      aggregator_(std::make_unique<optim::WeightedAverage>(schema_)) {
  absl::MutexLock lock(&mutex_);
  PublishParameters();
}

int64_t Coordinator::quorum() const { return options_.federation.quorum.value_or(options_.federation.trainers); }

bool Coordinator::IsThisRun(const RunId& run, const std::string& incarnation) const {
  return run == options_.plan.run && incarnation == options_.plan.incarnation;
}

absl::Status Coordinator::Join(const ClientInfo& info, std::shared_ptr<ClientLink> link) {
  absl::MutexLock lock(&mutex_);
  if (const Registry::Member* member = registry_.Find(info.client); member != nullptr && member->declined) {
    return absl::FailedPreconditionError("this trainer declined the run before; start a new run to take part again");
  }
  registry_.Join(info, link);
  Log(LogLevel::kInfo, "client_joined",
      {{"client", info.client.str()},
       {"trains", info.trains},
       {"evaluates", info.evaluates},
       {"software", info.software}});
  if (phase_ == Phase::kJoining) {
    observer_.OnWaiting(registry_.ConnectedTrainerCount(), options_.federation.trainers);
    StartWhenReady();
  } else if (phase_ == Phase::kFinished) {
    link->Send(FinishTask{outcome_});
  } else if (const std::optional<Task> task = OpenTask(info.client)) {
    link->Send(*task);
  }
  return absl::OkStatus();
}

void Coordinator::Disconnect(const ClientId& client, const ClientLink* link) {
  absl::MutexLock lock(&mutex_);
  const Registry::Member* member = registry_.Find(client);
  if (member == nullptr || member->link.get() != link) return;
  registry_.Disconnect(client, link);
  // Who left before the start may never come back; no round should wait for it.
  if (phase_ == Phase::kJoining) registry_.Forget(client);
  Log(LogLevel::kInfo, "client_left", {{"client", client.str()}});
}

void Coordinator::StartWhenReady() {
  if (registry_.ConnectedTrainerCount() < options_.federation.trainers) return;
  if (static_cast<int64_t>(registry_.ConnectedEvaluators().size()) < options_.federation.evaluators) return;
  StartRound();
}

void Coordinator::StartRound() {
  phase_ = Phase::kTraining;
  round_start_ = phase_start_ = clock_.Now();
  updates_.clear();
  cohort_.Clear();
  for (const ClientId& trainer : registry_.Trainers()) cohort_.Add(trainer);
  if (cohort_.size() < quorum()) {
    Finish(absl::FailedPreconditionError(absl::StrCat("round ", round_, ": ", cohort_.size(),
                                                      " trainers are left, fewer than the quorum of ", quorum())));
    return;
  }
  Log(LogLevel::kInfo, "round_started", {{"round", round_}, {"cohort", cohort_.size()}});
  SendOpenTasks();
}

std::optional<Task> Coordinator::OpenTask(const ClientId& client) const {
  if (phase_ == Phase::kTraining && cohort_.Contains(client) && cohort_.AnswerOf(client) == Cohort::Answer::kNone) {
    return TrainTask{round_, parameters_digest_};
  }
  if (phase_ == Phase::kEvaluating) {
    const auto found = evaluations_.find(client);
    if (found != evaluations_.end() && !found->second) return EvaluateTask{round_, parameters_digest_};
  }
  return std::nullopt;
}

void Coordinator::SendOpenTasks() {
  for (const auto& [client, member] : registry_.members()) {
    if (member.link == nullptr) continue;
    if (const std::optional<Task> task = OpenTask(client)) member.link->Send(*task);
  }
}

absl::Status Coordinator::CheckUpdate(const Update& update) const {
  if (!IsThisRun(update.run, update.incarnation)) return absl::FailedPreconditionError("the update is of another run");
  if (phase_ == Phase::kFinished) return absl::FailedPreconditionError("the run is over");
  if (update.round != round_ || phase_ != Phase::kTraining) {
    return absl::FailedPreconditionError(absl::StrCat("the update is for round ", update.round, ", which is closed"));
  }
  if (!cohort_.Contains(update.client)) return absl::FailedPreconditionError("the client is not in the round's cohort");
  if (update.steps > options_.plan.steps_per_round) {
    return absl::InvalidArgumentError("the update claims more steps than the plan has in a round");
  }
  if (options_.plan.terms.has_value() != update.spend.has_value()) {
    return absl::InvalidArgumentError(update.spend ? "the update spends a privacy budget in a run without privacy"
                                                   : "the update does not say what it spent of the privacy budget");
  }
  if (options_.plan.terms && update.training_loss) {
    return absl::InvalidArgumentError("the update carries a training loss, which a private run must not release");
  }
  return absl::OkStatus();
}

void Coordinator::Submit(const Update& update, const absl::StatusOr<ParameterVector>& change) {
  absl::MutexLock lock(&mutex_);
  Registry::Member* member = registry_.Find(update.client);
  if (member == nullptr) return;
  const bool taken_before = IsThisRun(update.run, update.incarnation) && update.round == round_ &&
                            phase_ != Phase::kJoining && updates_.contains(update.client);
  if (taken_before) {
    if (member->link != nullptr) member->link->SendReceipt(update.round);
    return;
  }
  const absl::Status valid = CheckUpdate(update);
  absl::Status added = valid.ok() ? change.status() : valid;
  if (added.ok()) added = aggregator_->Add(*change, update.weight);
  if (!added.ok()) {
    return Refuse(update.client, update.round, std::string(added.message()), IsThisRun(update.run, update.incarnation));
  }
  cohort_.Record(update.client, Cohort::Answer::kUpdate);
  updates_.emplace(update.client, update);
  if (member->link != nullptr) member->link->SendReceipt(update.round);
  CloseRoundIfDue();
}

void Coordinator::SubmitUnreadable(const ClientId& client, RoundNumber round, const std::string& reason) {
  absl::MutexLock lock(&mutex_);
  Refuse(client, round, reason, /*of_this_run=*/true);
}

void Coordinator::Refuse(const ClientId& client, RoundNumber round, const std::string& reason, bool of_this_run) {
  Log(LogLevel::kWarning, "update_refused", {{"client", client.str()}, {"round", round}, {"reason", reason}});
  const Registry::Member* member = registry_.Find(client);
  if (member != nullptr && member->link != nullptr) member->link->SendRefusal(round, reason);
  // An update for this round that cannot be used is this trainer's answer: waiting for another would be in vain.
  if (of_this_run && phase_ == Phase::kTraining && round == round_ && cohort_.Contains(client) &&
      cohort_.AnswerOf(client) == Cohort::Answer::kNone) {
    cohort_.Record(client, Cohort::Answer::kFailed);
    CloseRoundIfDue();
  }
}

void Coordinator::Submit(const Decline& decline) {
  absl::MutexLock lock(&mutex_);
  if (!IsThisRun(decline.run, decline.incarnation) || registry_.Find(decline.client) == nullptr) return;
  if (phase_ == Phase::kFinished) return;
  registry_.Decline(decline.client);
  Log(LogLevel::kWarning, "trainer_declined", {{"client", decline.client.str()}, {"reason", decline.reason}});
  observer_.OnDecline(decline.client, decline.reason);
  if (phase_ == Phase::kJoining && quorum() == options_.federation.trainers) {
    // Nobody else may come; waiting for the deadline would hide the reason.
    Finish(
        absl::FailedPreconditionError(absl::StrCat("trainer '", decline.client.str(), "' declined: ", decline.reason)));
  } else if (phase_ == Phase::kTraining && cohort_.Contains(decline.client) &&
             cohort_.AnswerOf(decline.client) == Cohort::Answer::kNone) {
    cohort_.Record(decline.client, Cohort::Answer::kFailed);
    CloseRoundIfDue();
  }
}

void Coordinator::CloseRoundIfDue() {
  const bool all_answered = cohort_.Count(Cohort::Answer::kNone) == 0;
  const bool late = Seconds(clock_.Now() - phase_start_) >= options_.federation.round_timeout_seconds;
  if (!all_answered && !late) return;
  if (cohort_.Count(Cohort::Answer::kUpdate) >= quorum()) {
    CloseRound();
    return;
  }
  const std::string message =
      absl::StrCat("round ", round_, ": ", cohort_.Count(Cohort::Answer::kUpdate), " of ", cohort_.size(),
                   " updates, fewer than the quorum of ", quorum(), late ? " at the deadline" : "",
                   "; without: ", Names(cohort_.Without(Cohort::Answer::kUpdate)));
  Finish(late ? absl::DeadlineExceededError(message) : absl::FailedPreconditionError(message));
}

void Coordinator::CloseRound() {
  absl::StatusOr<ParameterVector> average = aggregator_->Finish();
  if (!average.ok()) return Finish(average.status());
  // The average change is minus a gradient to the server's optimizer.
  for (float& value : average->mutable_values()) value = -value;
  if (absl::Status stepped = server_optimizer_.Step(*average, parameters_); !stepped.ok()) return Finish(stepped);
  if (!parameters_.AllFinite()) {
    return Finish(absl::FailedPreconditionError(
        absl::StrCat("round ", round_, ": the model's parameters are no longer finite; lower the learning rate")));
  }
  PublishParameters();
  report_ = SummariseUpdates(round_, updates_);
  report_.seconds = Seconds(clock_.Now() - round_start_);
  const bool last = round_ + 1 == options_.plan.rounds;
  if (last || (round_ + 1) % options_.federation.evaluate_every == 0) {
    StartEvaluation();
  } else {
    EndRound();
  }
}

void Coordinator::StartEvaluation() {
  evaluations_.clear();
  for (const ClientId& evaluator : registry_.ConnectedEvaluators()) evaluations_[evaluator] = std::nullopt;
  if (evaluations_.empty()) return EndRound();
  phase_ = Phase::kEvaluating;
  phase_start_ = clock_.Now();
  SendOpenTasks();
}

void Coordinator::Submit(const EvaluationReport& report) {
  absl::MutexLock lock(&mutex_);
  if (!IsThisRun(report.run, report.incarnation) || phase_ != Phase::kEvaluating || report.round != round_) return;
  const auto found = evaluations_.find(report.client);
  if (found == evaluations_.end() || found->second) return;
  found->second = report;
  for (const auto& [client, given] : evaluations_) {
    if (!given) return;
  }
  report_.evaluation = SummariseEvaluations(evaluations_);
  EndRound();
}

void Coordinator::EndRound() {
  observer_.OnRound(report_, parameters_);
  ++round_;
  if (round_ == options_.plan.rounds) {
    Finish(absl::OkStatus());
  } else {
    StartRound();
  }
}

void Coordinator::Tick() {
  absl::MutexLock lock(&mutex_);
  const double waited = Seconds(clock_.Now() - phase_start_);
  if (phase_ == Phase::kJoining && waited >= options_.federation.join_timeout_seconds) {
    Finish(absl::DeadlineExceededError(
        absl::StrCat("only ", registry_.ConnectedTrainerCount(), " of ", options_.federation.trainers, " trainers and ",
                     registry_.ConnectedEvaluators().size(), " of ", options_.federation.evaluators,
                     " evaluators joined within ", options_.federation.join_timeout_seconds, " seconds")));
  } else if (phase_ == Phase::kTraining) {
    CloseRoundIfDue();
  } else if (phase_ == Phase::kEvaluating && waited >= options_.federation.round_timeout_seconds) {
    Log(LogLevel::kWarning, "evaluation_late", {{"round", round_}});
    report_.evaluation = SummariseEvaluations(evaluations_);
    EndRound();
  }
}

void Coordinator::Cancel(const absl::Status& reason) {
  absl::MutexLock lock(&mutex_);
  if (phase_ != Phase::kFinished) Finish(reason);
}

void Coordinator::Finish(const absl::Status& outcome) {
  phase_ = Phase::kFinished;
  outcome_ = outcome;
  observer_.OnFinished(outcome);
  for (const auto& [client, member] : registry_.members()) {
    if (member.link != nullptr) member.link->Send(FinishTask{outcome});
  }
}

void Coordinator::PublishParameters() {
  const Digest old = std::exchange(parameters_digest_, blobs_.Put(parameters_.Serialize()));
  if (old != parameters_digest_) blobs_.Remove(old);
}

std::optional<absl::Status> Coordinator::WaitFinished(Clock::Duration timeout) const {
  absl::MutexLock lock(&mutex_);
  const auto done = [this] {
    mutex_.AssertHeld();
    return phase_ == Phase::kFinished;
  };
  if (!mutex_.AwaitWithTimeout(absl::Condition(&done), absl::Milliseconds(timeout.count()))) return std::nullopt;
  return outcome_;
}

void Coordinator::WaitDisconnected(Clock::Duration timeout) const {
  absl::MutexLock lock(&mutex_);
  const auto nobody = [this] {
    mutex_.AssertHeld();
    return std::ranges::all_of(registry_.members(), [](const auto& entry) { return entry.second.link == nullptr; });
  };
  mutex_.AwaitWithTimeout(absl::Condition(&nobody), absl::Milliseconds(timeout.count()));
}

}  // namespace tacit::coordinator
