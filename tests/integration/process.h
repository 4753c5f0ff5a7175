#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace tacit::testing {

// A program under test with its output captured. The destructor kills and reaps what still runs.
class Process {
 public:
  struct Result {
    int exit_code = -1;  // 128 + signal when a signal ended it
    std::string out;
    std::string err;
  };

  // `command[0]` is a path. `folder`: where it runs; empty: here. `environment`: added as NAME=VALUE.
  explicit Process(std::vector<std::string> command, std::string folder = "",
                   std::vector<std::string> environment = {});
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  // Blocks until a line of stderr contains `text`; false when stderr ends before.
  bool AwaitErr(const std::string& text);
  // The value of the first " KEY=value" that stderr has shown so far.
  std::string ValueOf(const std::string& key) const;
  void Signal(int signal) const;
  // Blocks until it ends. The test runner's time-out is what bounds the wait.
  Result Wait();

 private:
  // Moves what stderr has to say into err_; false at its end.
  bool ReadErr();

  pid_t pid_ = -1;
  int err_pipe_ = -1;
  std::string out_path_;
  std::string err_;
};

// Runs a program to its end.
Process::Result RunProgram(std::vector<std::string> command, std::string folder = "",
                           std::vector<std::string> environment = {});

}  // namespace tacit::testing
