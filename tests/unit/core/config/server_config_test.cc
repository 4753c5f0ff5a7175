#include "core/config/server_config.h"

#include <gtest/gtest.h>

namespace tacit::config {
namespace {

TEST(AddressTest, HostAndPort) {
  for (const char* good : {"127.0.0.1:7070", "localhost:0", "[::1]:65535", "host.example:80"}) {
    EXPECT_TRUE(IsHostAndPort(good)) << good;
  }
  for (const char* bad : {"", "host", ":80", "host:", "host:65536", "host:-1", "host:+80", "host: 80", "host:80 ",
                          "host:8o", "host:99999999999"}) {
    EXPECT_FALSE(IsHostAndPort(bad)) << bad;
  }
}

TEST(AddressTest, Loopback) {
  for (const char* loopback : {"127.0.0.1:7070", "127.255.0.3:1", "localhost:80", "[::1]:80"}) {
    EXPECT_TRUE(IsLoopback(loopback)) << loopback;
  }
  for (const char* elsewhere :
       {"0.0.0.0:7070", "[::]:7070", "10.0.0.1:80", "127.0.0.1.example.org:80", "127.evil.org:80", "127.0.0:80",
        "localhost.example.org:80", "128.0.0.1:80", "127.0.0.256:80", "127.0.0.+1:80", ":80", "", "[::2]:80"}) {
    EXPECT_FALSE(IsLoopback(elsewhere)) << elsewhere;
  }
}

}  // namespace
}  // namespace tacit::config
