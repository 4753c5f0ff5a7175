// Clients call the coordinator from many threads at once; of use above all under ThreadSanitizer.
#include <latch>
#include <mutex>
#include <thread>

#include "tests/unit/server/round/coordinator_fixture.h"

namespace tacit::coordinator {
namespace {

// Answers every task at once, from whichever thread hears of it next.
class Inbox final : public ClientLink {
 public:
  void Send(const Task& task) override {
    const std::lock_guard lock(mutex_);
    tasks_.push_back(task);
  }
  void SendReceipt(RoundNumber) override {}
  void SendRefusal(RoundNumber, const std::string&) override {}
  void Close(const absl::Status&) override {}
  std::vector<Task> Take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(tasks_, {});
  }

 private:
  std::mutex mutex_;
  std::vector<Task> tasks_;
};

class CoordinatorThreadsTest : public CoordinatorFixture {
 protected:
  // One client's life: joins, answers what comes, reconnects now and then, until the run is over.
  void LiveAs(const std::string& name, bool evaluates) {
    const ClientInfo info{.client = Client(name), .trains = !evaluates, .evaluates = evaluates};
    auto inbox = std::make_shared<Inbox>();
    EXPECT_TRUE(coordinator().Join(info, inbox).ok());
    for (int turn = 0; !Outcome(); ++turn) {
      for (const Task& task : inbox->Take()) {
        if (const auto* train = std::get_if<TrainTask>(&task)) {
          EXPECT_NE(blobs.Get(train->parameters), nullptr);
          Submit(name, {1, 1, 1}, train->round);
          Submit(name, {1, 1, 1}, train->round);
        } else if (const auto* evaluate = std::get_if<EvaluateTask>(&task)) {
          Evaluate(name, evaluate->round, 10, 1);
        }
      }
      coordinator().Tick();
      if (turn % 5 == 0) {
        coordinator().Disconnect(Client(name), inbox.get());
        inbox = std::make_shared<Inbox>();
        EXPECT_TRUE(coordinator().Join(info, inbox).ok());
      }
    }
  }
};

TEST_F(CoordinatorThreadsTest, ARunWithAThreadForEveryClientCompletes) {
  constexpr int kTrainers = 6;
  options.plan.rounds = 20;
  options.federation.trainers = kTrainers;
  options.federation.evaluators = 1;
  coordinator();
  std::latch start(kTrainers + 1);
  std::vector<std::thread> threads;
  for (int i = 0; i <= kTrainers; ++i) {
    threads.emplace_back([&, i] {
      start.arrive_and_wait();
      LiveAs("client-" + std::to_string(i), /*evaluates=*/i == kTrainers);
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Outcome(), absl::OkStatus());
  EXPECT_THAT(Parameters(), ::testing::ElementsAre(21, 22, 23));
  EXPECT_EQ(observer.rounds().size(), 20u);
}

}  // namespace
}  // namespace tacit::coordinator
