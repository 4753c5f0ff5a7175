#include "server/round/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/federation.h"
#include "tests/support/recording.h"

namespace tacit::coordinator {
namespace {

using test::Client;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

ClientInfo Info(const char* name, bool trains, bool evaluates) {
  return {.client = Client(name), .trains = trains, .evaluates = evaluates};
}

TEST(Registry, KnowsAClientFromItsFirstJoinOn) {
  Registry registry;
  const auto link = std::make_shared<test::RecordingLink>();
  EXPECT_EQ(registry.Find(Client("a")), nullptr);
  registry.Join(Info("a", true, false), link);
  registry.Disconnect(Client("a"), link.get());
  ASSERT_NE(registry.Find(Client("a")), nullptr);
  EXPECT_EQ(registry.Find(Client("a"))->link, nullptr);
  EXPECT_THAT(registry.Trainers(), ElementsAre(Client("a")));
  EXPECT_EQ(registry.ConnectedTrainerCount(), 0);
}

TEST(Registry, ListsByNameAndRole) {
  Registry registry;
  const auto link = std::make_shared<test::RecordingLink>();
  registry.Join(Info("c", true, false), link);
  registry.Join(Info("a", true, true), link);
  registry.Join(Info("b", false, true), link);
  EXPECT_THAT(registry.Trainers(), ElementsAre(Client("a"), Client("c")));
  EXPECT_THAT(registry.ConnectedEvaluators(), ElementsAre(Client("a"), Client("b")));
  EXPECT_EQ(registry.ConnectedTrainerCount(), 2);
}

TEST(Registry, WhoDeclinedTakesNoPart) {
  Registry registry;
  const auto link = std::make_shared<test::RecordingLink>();
  registry.Join(Info("a", true, true), link);
  registry.Decline(Client("a"));
  registry.Decline(Client("stranger"));
  EXPECT_THAT(registry.Trainers(), IsEmpty());
  EXPECT_THAT(registry.ConnectedEvaluators(), IsEmpty());
  EXPECT_EQ(registry.ConnectedTrainerCount(), 0);
}

TEST(Registry, ForgetsAllButWhoDeclined) {
  Registry registry;
  const auto link = std::make_shared<test::RecordingLink>();
  registry.Join(Info("a", true, false), link);
  registry.Join(Info("b", true, false), link);
  registry.Decline(Client("b"));
  for (const char* name : {"a", "b", "stranger"}) registry.Forget(Client(name));
  EXPECT_EQ(registry.Find(Client("a")), nullptr);
  EXPECT_NE(registry.Find(Client("b")), nullptr);
}

TEST(Registry, AnOldConnectionsEndLeavesTheNewOneAlone) {
  Registry registry;
  const auto first = std::make_shared<test::RecordingLink>();
  const auto second = std::make_shared<test::RecordingLink>();
  registry.Join(Info("a", true, false), first);
  registry.Join(Info("a", true, false), second);
  EXPECT_TRUE(first->closed.has_value());
  registry.Disconnect(Client("a"), first.get());
  EXPECT_EQ(registry.Find(Client("a"))->link, second);
}

}  // namespace
}  // namespace tacit::coordinator
