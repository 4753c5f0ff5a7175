#include "core/command_line/stop_signal.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <mutex>
#include <thread>

#include "core/exit_code.h"

namespace tacit::command_line {
namespace {

sigset_t StopSignals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigaddset(&set, SIGUSR2);  // how the destructor wakes the thread
  return set;
}

}  // namespace

struct StopSignal::State {
  std::mutex calling;  // held while the function runs, so that replacing it waits for it
  mutable std::mutex mutex;
  std::function<void()> on_stop;
  bool stopped = false;
  std::thread thread;

  void Run() {
    const sigset_t set = StopSignals();
    int signal = 0;
    while (sigwait(&set, &signal) == 0 && signal != SIGUSR2) {
      {
        std::lock_guard lock(mutex);
        if (stopped) ::_exit(static_cast<int>(ExitCode::kInterrupted));
        stopped = true;
      }
      const std::lock_guard call_lock(calling);
      if (on_stop) on_stop();
    }
  }
};

StopSignal::StopSignal() : state_(std::make_unique<State>()) {
  const sigset_t set = StopSignals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  state_->thread = std::thread([state = state_.get()] { state->Run(); });
}

StopSignal::~StopSignal() {
  pthread_kill(state_->thread.native_handle(), SIGUSR2);
  state_->thread.join();
}

void StopSignal::OnStop(std::function<void()> on_stop) {
  const std::lock_guard call_lock(state_->calling);
  const bool late = state_->on_stop == nullptr && stopped();
  state_->on_stop = std::move(on_stop);
  if (late && state_->on_stop) state_->on_stop();
}

bool StopSignal::stopped() const {
  std::lock_guard lock(state_->mutex);
  return state_->stopped;
}

}  // namespace tacit::command_line
