#pragma once

#include <functional>
#include <memory>

namespace tacit::command_line {

// Calls `on_stop` once, from a thread of its own, when SIGINT or SIGTERM arrives; a second one ends the process at
// once. To be made before any other thread, since it blocks the signals for all of them. One per process.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Replaces what is called; called at once when the signal came before. An empty function: nothing.
  void OnStop(std::function<void()> on_stop);
  bool stopped() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacit::command_line
