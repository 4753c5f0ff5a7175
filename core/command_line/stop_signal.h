#pragma once

#include <functional>
#include <memory>

namespace tacit::command_line {

// Calls a function once, from a thread of its own, when SIGINT or SIGTERM arrives; a second one ends the process at
// once. One per process.
class StopSignal {
 public:
  StopSignal();
  ~StopSignal();
  StopSignal(const StopSignal&) = delete;
  StopSignal& operator=(const StopSignal&) = delete;

  // Replaces what is called, waiting for a call in progress; called at once when the signal came before. An empty
  // function: nothing.
  void OnStop(std::function<void()> on_stop);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tacit::command_line
