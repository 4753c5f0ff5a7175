#include "server/rpc/listen_error.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "absl/strings/str_cat.h"

namespace tacit::rpc {

absl::Status ExplainListenError(const std::string& address) {
  const size_t colon = address.rfind(':');
  std::string host = address.substr(0, colon);
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* list = nullptr;
  const int resolved = getaddrinfo(host.c_str(), address.substr(colon + 1).c_str(), &hints, &list);
  if (resolved != 0) {
    return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ", gai_strerror(resolved)));
  }
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> owner(list, &freeaddrinfo);
  std::string reason = "it is taken by another program; choose another port";
  const int descriptor = socket(list->ai_family, list->ai_socktype | SOCK_CLOEXEC, list->ai_protocol);
  const int on = 1;
  setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
  if (descriptor >= 0 && bind(descriptor, list->ai_addr, list->ai_addrlen) != 0 && errno != EADDRINUSE) {
    reason = std::strerror(errno);
  }
  if (descriptor >= 0) close(descriptor);
  return absl::UnavailableError(absl::StrCat("cannot listen on ", address, ": ", reason));
}

}  // namespace tacit::rpc
