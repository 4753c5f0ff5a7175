// Runs the README's commands, in its order, in a folder that looks like the repository.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "tests/integration/programs.h"

namespace tacit::testing {
namespace {

// The lines of README.md's sh blocks, without comments.
std::vector<std::string> Commands() {
  std::istringstream readme(ReadAll(TACIT_SOURCE_DIR "/README.md"));
  std::vector<std::string> commands;
  bool in_block = false;
  for (std::string line; std::getline(readme, line);) {
    if (line.starts_with("```")) {
      in_block = line == "```sh";
    } else if (in_block && !line.empty() && line[0] != '#') {
      const std::string command = line.substr(0, line.find("  #"));
      commands.push_back(command.substr(0, command.find_last_not_of(' ') + 1));
    }
  }
  return commands;
}

class Readme : public ::testing::Test {
 protected:
  Readme() {
    const std::filesystem::path bin = folder_.path() / "build/release/bin";
    std::filesystem::create_directories(bin);
    for (const std::string& program : {kTacit, kServer, kClient}) {
      std::filesystem::create_symlink(program, bin / std::filesystem::path(program).filename());
    }
    std::filesystem::create_directory_symlink(kExamples, folder_.path() / "examples");
  }
  std::vector<std::string> Shell(const std::string& command) const { return {"/bin/sh", "-c", command}; }
  TemporaryFolder folder_;
};

TEST_F(Readme, EveryCommandWorks) {
  // What scripts/demo does first; the scripts themselves are run by whoever runs this test.
  const Process::Result demo = RunProgram(
      Shell("build/release/bin/tacit run examples/breast-cancer/experiment.toml --overwrite"), folder_.path().string());
  ASSERT_EQ(demo.exit_code, 0) << demo.err;
  std::unique_ptr<Process> server;
  std::string address;
  std::vector<std::unique_ptr<Process>> clients;
  int run = 0;
  for (const std::string& command : Commands()) {
    SCOPED_TRACE(command);
    ++run;
    if (command.starts_with("scripts/")) {
      const std::string script = TACIT_SOURCE_DIR "/" + command;
      EXPECT_EQ(access(script.c_str(), X_OK), 0);
    } else if (command.find("tacit-server ") != std::string::npos) {
      server = std::make_unique<Process>(Shell(command), folder_.path().string(),
                                         std::vector<std::string>{"TACIT__LISTEN=127.0.0.1:0"});
      ASSERT_TRUE(server->AwaitErr("run=deployment"));
      address = "127.0.0.1:" + server->ValueOf("port");
    } else if (command.find("tacit-client ") != std::string::npos) {
      clients.push_back(std::make_unique<Process>(Shell(command), folder_.path().string(),
                                                  std::vector<std::string>{"TACIT__SERVER=" + address}));
    } else {
      // One round of the long example shows as much about the command as twenty.
      std::vector<std::string> environment;
      if (command.find("mnist") != std::string::npos) environment.push_back("TACIT__TRAINING__ROUNDS=1");
      const Process::Result result = RunProgram(Shell(command), folder_.path().string(), environment);
      EXPECT_EQ(result.exit_code, 0) << result.err;
    }
  }
  EXPECT_GE(run, 11);
  ASSERT_NE(server, nullptr);
  ASSERT_EQ(clients.size(), 3);
  for (const auto& client : clients) {
    const Process::Result result = client->Wait();
    EXPECT_EQ(result.exit_code, 0) << result.err;
  }
  const Process::Result result = server->Wait();
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(ReadAll(folder_ / "results/deployment/run/summary.json"), ::testing::HasSubstr("\"complete\""));
}

}  // namespace
}  // namespace tacit::testing
