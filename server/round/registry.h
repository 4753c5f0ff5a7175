#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/federation/task.h"
#include "core/federation/update.h"
#include "core/ids.h"

namespace tacit::coordinator {

// The way to one connected client. Every call returns at once and may come from any thread.
class ClientLink {
 public:
  virtual ~ClientLink() = default;
  virtual void Send(const Task& task) = 0;
  virtual void SendReceipt(RoundNumber round) = 0;
  virtual void SendRefusal(RoundNumber round, const std::string& reason) = 0;
  // Ends the session; nothing is sent afterwards.
  virtual void Close(const absl::Status& reason) = 0;
};

// Who takes part: a client is known by its name from its first join to the end of the run, connected or not. Not
// thread-safe.
class Registry {
 public:
  struct Member {
    ClientInfo info;
    std::shared_ptr<ClientLink> link;  // null: not connected
    bool declined = false;
  };

  // Joins or rejoins; an older connection under the same name is closed.
  void Join(const ClientInfo& info, std::shared_ptr<ClientLink> link);
  // Forgets the connection `link` if it still is the client's.
  void Disconnect(const ClientId& client, const ClientLink* link);
  // As if it had never joined, unless it declined.
  void Forget(const ClientId& client);
  // A client that declined takes part in nothing that comes later.
  void Decline(const ClientId& client);

  Member* Find(const ClientId& client);
  // Trainers that have not declined, connected or not, by name.
  std::vector<ClientId> Trainers() const;
  std::vector<ClientId> ConnectedEvaluators() const;
  int64_t ConnectedTrainerCount() const;
  const std::map<ClientId, Member>& members() const { return members_; }

 private:
  std::map<ClientId, Member> members_;
};

}  // namespace tacit::coordinator
