#include "server/round/registry.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace tacit::coordinator {

void Registry::Join(const ClientInfo& info, std::shared_ptr<ClientLink> link) {
  Member& member = members_[info.client];
  if (member.link != nullptr) {
    member.link->Close(absl::AbortedError(
        absl::StrCat("another client joined as '", info.client.str(), "'; every client needs a name of its own")));
  }
  member.info = info;
  member.link = std::move(link);
}

void Registry::Disconnect(const ClientId& client, const ClientLink* link) {
  const auto found = members_.find(client);
  if (found != members_.end() && found->second.link.get() == link) found->second.link = nullptr;
}

void Registry::Forget(const ClientId& client) {
  if (const Member* member = Find(client); member != nullptr && !member->declined) members_.erase(client);
}

void Registry::Decline(const ClientId& client) {
  if (Member* member = Find(client)) member->declined = true;
}

Registry::Member* Registry::Find(const ClientId& client) {
  const auto found = members_.find(client);
  return found == members_.end() ? nullptr : &found->second;
}

std::vector<ClientId> Registry::Trainers() const {
  std::vector<ClientId> trainers;
  for (const auto& [client, member] : members_) {
    if (member.info.trains && !member.declined) trainers.push_back(client);
  }
  return trainers;
}

std::vector<ClientId> Registry::ConnectedEvaluators() const {
  std::vector<ClientId> evaluators;
  for (const auto& [client, member] : members_) {
    if (member.info.evaluates && !member.declined && member.link != nullptr) evaluators.push_back(client);
  }
  return evaluators;
}

int64_t Registry::ConnectedTrainerCount() const {
  int64_t count = 0;
  for (const auto& [client, member] : members_) {
    count += member.info.trains && !member.declined && member.link != nullptr ? 1 : 0;
  }
  return count;
}

}  // namespace tacit::coordinator
