#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "core/clock.h"
#include "core/config/sections.h"
#include "core/federation/plan.h"
#include "core/federation/task.h"
#include "core/federation/update.h"
#include "core/parameter_vector.h"
#include "optim/aggregators/aggregator.h"
#include "optim/optimizer.h"
#include "server/round/cohort.h"
#include "server/round/registry.h"
#include "server/round/run_observer.h"
#include "server/store/blob_store.h"

namespace tacit::coordinator {

// One run, from the first trainer's join to the last round. It knows no transport and no model code: clients come as
// ClientLinks, time as a Clock, parameters as ParameterVectors.
//
// Life: waits until enough trainers (and evaluators) have joined; then, round after round, sends every trainer a task,
// adds the updates up as they come, closes the round when all have answered or at its deadline with a quorum, changes
// the model, has it evaluated where that is due, and tells the observer. Thread-safe.
class Coordinator {
 public:
  struct Options {
    Plan plan;
    config::FederationConfig federation;
    config::OptimizerConfig server_optimizer;
  };

  // `clock`, `blobs` and `observer` must outlive it. The initial parameters' blob is put into `blobs`.
  static absl::StatusOr<std::unique_ptr<Coordinator>> Create(Options options, ParameterVector initial,
                                                             const Clock& clock, BlobStore& blobs,
                                                             RunObserver& observer);

  const Plan& plan() const { return options_.plan; }
  const std::shared_ptr<const Schema>& schema() const { return schema_; }

  // A client connected. One that rejoins in the middle of a round gets its task again unless it has answered.
  // FailedPrecondition for a trainer that declined the run before.
  absl::Status Join(const ClientInfo& info, std::shared_ptr<ClientLink> link) ABSL_LOCKS_EXCLUDED(mutex_);
  void Disconnect(const ClientId& client, const ClientLink* link) ABSL_LOCKS_EXCLUDED(mutex_);

  // An update, and its tensors or why they cannot be read. Answered with a receipt, also for one that was taken before,
  // or a refusal that says why.
  void Submit(const Update& update, const absl::StatusOr<ParameterVector>& change) ABSL_LOCKS_EXCLUDED(mutex_);
  // An update of this run of which only the sender and the round can be read. Answered with a refusal.
  void SubmitUnreadable(const ClientId& client, RoundNumber round, const std::string& reason)
      ABSL_LOCKS_EXCLUDED(mutex_);
  void Submit(const EvaluationReport& report) ABSL_LOCKS_EXCLUDED(mutex_);
  void Submit(const Decline& decline) ABSL_LOCKS_EXCLUDED(mutex_);

  // Looks at the clock: closes rounds past their deadline. To be called every now and then.
  void Tick() ABSL_LOCKS_EXCLUDED(mutex_);

  // Ends the run early.
  void Cancel(const absl::Status& reason) ABSL_LOCKS_EXCLUDED(mutex_);

  // Waits up to `timeout` for the end of the run; how it ended, or nothing while it goes on.
  std::optional<absl::Status> WaitFinished(Clock::Duration timeout) const ABSL_LOCKS_EXCLUDED(mutex_);
  // Waits up to `timeout` until no client is connected.
  void WaitDisconnected(Clock::Duration timeout) const ABSL_LOCKS_EXCLUDED(mutex_);

 private:
  enum class Phase { kJoining, kTraining, kEvaluating, kFinished };

  Coordinator(Options options, ParameterVector initial, optim::Optimizer optimizer, const Clock& clock,
              BlobStore& blobs, RunObserver& observer);

  void StartWhenReady() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StartRound() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Why `update` must not enter the aggregate.
  absl::Status CheckUpdate(const Update& update) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // Sends the refusal of an update; one of this round is the trainer's answer all the same.
  void Refuse(const ClientId& client, RoundNumber round, const std::string& reason, bool of_this_run)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CloseRoundIfDue() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void CloseRound() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void StartEvaluation() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void EndRound() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void Finish(const absl::Status& outcome) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void PublishParameters() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  // The task that `client` has yet to answer, if any.
  std::optional<Task> OpenTask(const ClientId& client) const ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  void SendOpenTasks() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);
  bool IsThisRun(const RunId& run, const std::string& incarnation) const;
  int64_t quorum() const;

  const Options options_;
  const std::shared_ptr<const Schema> schema_;
  const Clock& clock_;
  BlobStore& blobs_;
  RunObserver& observer_;

  mutable absl::Mutex mutex_;
  Phase phase_ ABSL_GUARDED_BY(mutex_) = Phase::kJoining;
  absl::Status outcome_ ABSL_GUARDED_BY(mutex_);
  Registry registry_ ABSL_GUARDED_BY(mutex_);
  ParameterVector parameters_ ABSL_GUARDED_BY(mutex_);
  Digest parameters_digest_ ABSL_GUARDED_BY(mutex_);
  optim::Optimizer server_optimizer_ ABSL_GUARDED_BY(mutex_);

  // The round in hand.
  RoundNumber round_ ABSL_GUARDED_BY(mutex_) = 0;
  Clock::Duration phase_start_ ABSL_GUARDED_BY(mutex_);
  Clock::Duration round_start_ ABSL_GUARDED_BY(mutex_);
  Cohort cohort_ ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<optim::Aggregator> aggregator_ ABSL_GUARDED_BY(mutex_);
  std::map<ClientId, Update> updates_ ABSL_GUARDED_BY(mutex_);
  std::map<ClientId, std::optional<EvaluationReport>> evaluations_ ABSL_GUARDED_BY(mutex_);
  RoundReport report_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tacit::coordinator
