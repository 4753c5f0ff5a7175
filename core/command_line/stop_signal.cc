#include "core/command_line/stop_signal.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <utility>

#include "core/exit_code.h"

namespace tacit::command_line {
namespace {

// A handler, since blocking the signals would have to happen in every thread, also in those that libraries start before
// main. It only wakes the thread that does the work.
std::atomic<int> wake_descriptor{-1};
std::atomic<bool> seen{false};

void HandleSignal(int) {
  if (seen.exchange(true)) ::_exit(static_cast<int>(ExitCode::kInterrupted));
  const int saved = errno;
  const char byte = 's';
  [[maybe_unused]] const ssize_t written = ::write(wake_descriptor.load(), &byte, 1);
  errno = saved;
}

void SetHandler(void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

struct StopSignal::State {
  int pipe[2] = {-1, -1};
  std::mutex mutex;  // held while the function runs, so that replacing it waits for it
  std::function<void()> on_stop;
  bool stopped = false;
  std::thread thread;

  // Until the destructor's byte.
  void Run() {
    char byte = 0;
    while (true) {
      const ssize_t count = ::read(pipe[0], &byte, 1);
      if (count < 0 && errno == EINTR) continue;
      if (count != 1 || byte != 's') return;
      const std::lock_guard lock(mutex);
      stopped = true;
      if (on_stop) on_stop();
    }
  }
};

StopSignal::StopSignal() : state_(std::make_unique<State>()) {
  if (::pipe2(state_->pipe, O_CLOEXEC) != 0) std::abort();
  wake_descriptor = state_->pipe[1];
  state_->thread = std::thread([state = state_.get()] { state->Run(); });
  SetHandler(&HandleSignal);
}

StopSignal::~StopSignal() {
  SetHandler(SIG_DFL);
  const char byte = 'e';
  [[maybe_unused]] const ssize_t written = ::write(state_->pipe[1], &byte, 1);
  state_->thread.join();
  wake_descriptor = -1;
  ::close(state_->pipe[0]);
  ::close(state_->pipe[1]);
}

void StopSignal::OnStop(std::function<void()> on_stop) {
  const std::lock_guard lock(state_->mutex);
  state_->on_stop = std::move(on_stop);
  if (state_->stopped && state_->on_stop) state_->on_stop();
}

}  // namespace tacit::command_line
