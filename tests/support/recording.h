#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/federation/task.h"
#include "server/round/registry.h"
#include "server/round/run_observer.h"

namespace tacit::test {

// Keeps what a coordinator tells its observer. Thread-safe; waiting is by condition, never by time.
class RecordingObserver final : public coordinator::RunObserver {
 public:
  void OnWaiting(int64_t trainers, int64_t wanted) override {
    const std::lock_guard lock(mutex_);
    waiting_.emplace_back(trainers, wanted);
    changed_.notify_all();
  }
  void OnRound(const coordinator::RoundReport& report, const ParameterVector& parameters) override {
    const std::lock_guard lock(mutex_);
    rounds_.push_back(report);
    parameters_.emplace_back(parameters.values().begin(), parameters.values().end());
    changed_.notify_all();
  }
  void OnDecline(const ClientId& client, const std::string& reason) override {
    const std::lock_guard lock(mutex_);
    declines_.emplace_back(client.str(), reason);
    changed_.notify_all();
  }
  void OnFinished(const absl::Status& outcome) override {
    const std::lock_guard lock(mutex_);
    outcomes_.push_back(outcome);
    changed_.notify_all();
  }

  std::vector<std::pair<int64_t, int64_t>> waiting() const { return Copy(waiting_); }
  std::vector<coordinator::RoundReport> rounds() const { return Copy(rounds_); }
  // After each round.
  std::vector<std::vector<float>> parameters() const { return Copy(parameters_); }
  std::vector<std::pair<std::string, std::string>> declines() const { return Copy(declines_); }
  std::vector<absl::Status> outcomes() const { return Copy(outcomes_); }

  void AwaitJoined(int64_t trainers) const {
    Await([&] { return !waiting_.empty() && waiting_.back().first >= trainers; });
  }
  void AwaitRounds(size_t count) const {
    Await([&] { return rounds_.size() >= count; });
  }

 private:
  template <typename T>
  T Copy(const T& value) const {
    const std::lock_guard lock(mutex_);
    return value;
  }
  template <typename Predicate>
  void Await(Predicate predicate) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, predicate);
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  std::vector<std::pair<int64_t, int64_t>> waiting_;
  std::vector<coordinator::RoundReport> rounds_;
  std::vector<std::vector<float>> parameters_;
  std::vector<std::pair<std::string, std::string>> declines_;
  std::vector<absl::Status> outcomes_;
};

// Keeps what a coordinator sends to a client. Not thread-safe.
class RecordingLink final : public coordinator::ClientLink {
 public:
  void Send(const Task& task) override { tasks.push_back(task); }
  void SendReceipt(RoundNumber round) override { receipts.push_back(round); }
  void SendRefusal(RoundNumber round, const std::string& reason) override { refusals.emplace_back(round, reason); }
  void Close(const absl::Status& reason) override { closed = reason; }

  template <typename Kind>
  std::vector<Kind> TasksOf() const {
    std::vector<Kind> found;
    for (const Task& task : tasks) {
      if (const auto* kind = std::get_if<Kind>(&task)) found.push_back(*kind);
    }
    return found;
  }

  std::vector<Task> tasks;
  std::vector<RoundNumber> receipts;
  std::vector<std::pair<RoundNumber, std::string>> refusals;
  std::optional<absl::Status> closed;
};

}  // namespace tacit::test
