#pragma once

#include <map>
#include <vector>

#include "core/ids.h"

namespace tacit::coordinator {

// The trainers chosen for one round and who of them has answered. Not thread-safe.
class Cohort {
 public:
  enum class Answer { kNone, kUpdate, kFailed };

  void Add(const ClientId& client) { answers_[client] = Answer::kNone; }
  bool Contains(const ClientId& client) const { return answers_.contains(client); }
  Answer AnswerOf(const ClientId& client) const { return answers_.at(client); }
  void Record(const ClientId& client, Answer answer) { answers_[client] = answer; }
  void Clear() { answers_.clear(); }

  int64_t size() const { return static_cast<int64_t>(answers_.size()); }
  int64_t Count(Answer answer) const {
    int64_t count = 0;
    for (const auto& [client, given] : answers_) count += given == answer ? 1 : 0;
    return count;
  }
  std::vector<ClientId> Without(Answer answer) const {
    std::vector<ClientId> clients;
    for (const auto& [client, given] : answers_) {
      if (given != answer) clients.push_back(client);
    }
    return clients;
  }

 private:
  std::map<ClientId, Answer> answers_;
};

}  // namespace tacit::coordinator
