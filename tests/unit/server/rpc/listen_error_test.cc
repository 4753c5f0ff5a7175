#include "server/rpc/listen_error.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::rpc {
namespace {

constexpr auto kUnavailable = absl::StatusCode::kUnavailable;

// A port of loopback that something listens on.
class TakenPort {
 public:
  TakenPort() : socket_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 1), 0);
    EXPECT_EQ(::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    address_ = absl::StrCat("127.0.0.1:", ntohs(address.sin_port));
  }
  ~TakenPort() { ::close(socket_); }
  const std::string& address() const { return address_; }

 private:
  int socket_;
  std::string address_;
};

TEST(ListenError, AFreePortCanBeListenedOn) {
  EXPECT_TRUE(CheckCanListen("127.0.0.1:0").ok());
  EXPECT_TRUE(CheckCanListen("localhost:0").ok());
}

TEST(ListenError, ATakenPortIsNamed) {
  const TakenPort port;
  EXPECT_TRUE(FailsWith(CheckCanListen(port.address()), kUnavailable, {port.address(), "taken by another program"}));
  EXPECT_TRUE(FailsWith(ExplainListenError(port.address()), kUnavailable, {port.address(), "taken"}));
}

TEST(ListenError, AnAddressOfAnotherMachineIsNamed) {
  // TEST-NET-1 (RFC 5737) is nobody's.
  EXPECT_TRUE(FailsWith(CheckCanListen("192.0.2.1:7070"), kUnavailable, {"192.0.2.1:7070", "assign"}));
}

TEST(ListenError, AHostThatDoesNotExistIsNamed) {
  EXPECT_TRUE(FailsWith(CheckCanListen("no-such-host.invalid:7070"), kUnavailable, {"no-such-host.invalid:7070"}));
}

TEST(ListenError, APortThatCameFreeAgainIsStillExplained) {
  EXPECT_TRUE(FailsWith(ExplainListenError("127.0.0.1:0"), kUnavailable, {"127.0.0.1:0"}));
}

}  // namespace
}  // namespace tacit::rpc
