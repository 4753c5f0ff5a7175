#include "tests/integration/process.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace tacit::testing {
namespace {

[[noreturn]] void Exec(const std::vector<std::string>& command, const std::string& folder,
                       const std::vector<std::string>& environment, int out, int err) {
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  if (!folder.empty() && chdir(folder.c_str()) != 0) _exit(126);
  for (const std::string& entry : environment) putenv(const_cast<char*>(entry.c_str()));
  std::vector<char*> arguments;
  for (const std::string& argument : command) arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  execv(arguments[0], arguments.data());
  _exit(127);
}

}  // namespace

Process::Process(std::vector<std::string> command, std::string folder, std::vector<std::string> environment) {
  char path[] = "/tmp/tacit-test-out-XXXXXX";
  const int out = mkstemp(path);
  out_path_ = path;
  int err[2];
  if (out < 0 || pipe2(err, O_CLOEXEC) != 0) std::abort();
  pid_ = fork();
  if (pid_ == 0) Exec(command, folder, environment, out, err[1]);
  close(out);
  close(err[1]);
  err_pipe_ = err[0];
}

Process::~Process() {
  if (pid_ > 0) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  close(err_pipe_);
  unlink(out_path_.c_str());
}

bool Process::ReadErr() {
  char buffer[4096];
  const ssize_t count = read(err_pipe_, buffer, sizeof(buffer));
  if (count > 0) err_.append(buffer, static_cast<size_t>(count));
  return count > 0;
}

bool Process::AwaitErr(const std::string& text) {
  while (err_.find(text) == std::string::npos) {
    if (!ReadErr()) return false;
  }
  return true;
}

std::string Process::ValueOf(const std::string& key) const {
  const size_t at = err_.find(" " + key + "=");
  if (at == std::string::npos) return "";
  const size_t begin = at + key.size() + 2;
  return err_.substr(begin, err_.find_first_of(" \n", begin) - begin);
}

void Process::Signal(int signal) const { kill(pid_, signal); }

Process::Result Process::Wait() {
  while (ReadErr()) {
  }
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  Result result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  std::ifstream out(out_path_);
  result.out = (std::ostringstream() << out.rdbuf()).str();
  result.err = err_;
  return result;
}

Process::Result RunProgram(std::vector<std::string> command, std::string folder, std::vector<std::string> environment) {
  return Process(std::move(command), std::move(folder), std::move(environment)).Wait();
}

}  // namespace tacit::testing
