#include "server/rpc/listen_error.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace tacit::rpc {
namespace {

constexpr const char* kTaken = "it is taken by another program; choose another port";

absl::Status Unavailable(const std::string& address, const char* reason) {
  return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ", reason));
}

}  // namespace

absl::Status CheckCanListen(const std::string& address) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* list = nullptr;
  const int resolved = getaddrinfo(host.c_str(), address.substr(colon + 1).c_str(), &hints, &list);
  if (resolved != 0) return Unavailable(address, gai_strerror(resolved));
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  const int descriptor = socket(list->ai_family, list->ai_socktype | SOCK_CLOEXEC, list->ai_protocol);
  if (descriptor < 0) return Unavailable(address, std::strerror(errno));
  const int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  const bool listens = bind(descriptor, list->ai_addr, list->ai_addrlen) == 0 && listen(descriptor, 1) == 0;
  const int error = errno;
  close(descriptor);
  if (listens) return absl::OkStatus();
  return Unavailable(address, error == EADDRINUSE ? kTaken : std::strerror(error));
}

absl::Status ExplainListenError(const std::string& address) {
  absl::Status reason = CheckCanListen(address);
  // Whoever had it may have gone since.
  return reason.ok() ? Unavailable(address, kTaken) : reason;
}

}  // namespace tacit::rpc
