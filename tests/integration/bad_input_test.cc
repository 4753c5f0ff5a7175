// What a user gets wrong: each gives clear lines on stderr, a documented exit code, and leaves no half-written file.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>

#include "tests/integration/programs.h"

namespace tacit::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::string kExperiment = kExamples + "breast-cancer/experiment.toml";
const std::string kData = kExamples + "breast-cancer/breast_cancer.csv";

// One error line that names the program, and nothing like a stack trace.
void ExpectOneLine(const Process::Result& result, int exit_code, const std::vector<std::string>& parts) {
  EXPECT_EQ(result.exit_code, exit_code) << result.err;
  std::string errors;
  std::istringstream lines(result.err);
  int count = 0;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(": error: ") == std::string::npos) continue;
    errors += line + "\n";
    ++count;
  }
  EXPECT_EQ(count, 1) << result.err;
  for (const std::string& part : parts) EXPECT_THAT(errors, HasSubstr(part));
  EXPECT_THAT(result.err, Not(HasSubstr("terminate called")));
  EXPECT_THAT(result.err, Not(HasSubstr("what():")));
  EXPECT_THAT(result.err, Not(HasSubstr("frame #")));
}

void ExpectNoFiles(const TemporaryFolder& folder, const std::string& name) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder.path())) {
    if (entry.is_regular_file()) found.push_back(entry.path().filename().string());
  }
  std::erase(found, name);
  EXPECT_THAT(found, IsEmpty());
}

TEST(BadInput, AConfigWithFiveMistakesReportsAllFive) {
  TemporaryFolder folder;
  std::string text = ReadAll(kExperiment);
  const auto replace = [&](const std::string& what, const std::string& with) {
    const size_t at = text.find(what);
    ASSERT_NE(at, std::string::npos) << what;
    text.replace(at, what.size(), with);
  };
  replace("trainers = 4", "trainers = 0");
  replace("architecture = \"linear\"", "architecture = \"linaer\"");
  replace("rounds = 12", "rouns = 12");
  replace("sampling_rate = 0.25", "sampling_rate = \"often\"");
  replace("delta = 1e-5", "delta = 1.5");
  const std::string config = Write(folder / "experiment.toml", text);
  const Process::Result result = RunProgram({kTacit, "run", config, "--output", folder / "out"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_THAT(result.err, AllOf(HasSubstr("federation.trainers: is 0, must be at least 1"),
                                HasSubstr("model.architecture: is 'linaer', must be one of linear, mlp, cnn"),
                                HasSubstr("training.rouns: is not a known key; did you mean 'rounds'?"),
                                HasSubstr("training.sampling_rate: must be a finite number"),
                                HasSubstr("privacy.delta: must be below 1"), HasSubstr(config + ":")));
  // The five, and that the key mistyped is missing; each with the line it is about.
  EXPECT_EQ(std::ranges::count(result.err, '\n'), 6) << result.err;
  ExpectNoFiles(folder, "experiment.toml");
}

TEST(BadInput, MissingFiles) {
  TemporaryFolder folder;
  ExpectOneLine(RunProgram({kTacit, "run", folder / "none.toml"}), 3, {"none.toml: cannot open: No such file"});
  ExpectOneLine(RunProgram({kTacit, "run", kExperiment, "--output", folder / "out", "--set", "data.path=/nowhere.csv"}),
                3, {"/nowhere.csv: cannot open: No such file"});
  ExpectOneLine(RunProgram({kTacit, "eval", folder / "none.tacit", "--config", kExperiment}), 3,
                {"none.tacit: cannot open"});
  ExpectNoFiles(folder, "");
}

TEST(BadInput, AWrongColumnAndAnUnknownLabel) {
  TemporaryFolder folder;
  const std::vector<std::string> run{kTacit, "run", kExperiment, "--output", folder / "out", "--set"};
  const auto with = [&](const std::string& set) {
    std::vector<std::string> command = run;
    command.push_back(set);
    return RunProgram(command);
  };
  ExpectOneLine(with("data.target=diagnosys"), 3, {"breast_cancer.csv", "diagnosys", "diagnosis"});
  ExpectOneLine(with("data.labels=['benign', 'malign']"), 3, {"breast_cancer.csv", "malignant", "malign"});
  ExpectNoFiles(folder, "");
}

TEST(BadInput, ALabelOutsideTheClassesIsFoundBeforeTraining) {
  TemporaryFolder folder;
  // The rows are all the same but for two labels, the second of which no two-class model has.
  std::string csv = "x,y\n";
  for (int i = 0; i < 100; ++i) csv += "1.5," + std::to_string(i == 70 ? 2 : i % 2) + "\n";
  const std::string data = Write(folder / "data.csv", csv);
  const std::string config = Write(folder / "e.toml", R"(
name = "labels"
[federation]
trainers = 2
[model]
architecture = "linear"
input_shape = [1]
outputs = 2
[data]
format = "csv"
path = "data.csv"
target = "y"
[training]
rounds = 1000
steps_per_round = 1
sampling_rate = 0.001
[privacy]
mode = "example-level"
epsilon = 3
delta = 1e-5
clip_norm = 1
)");
  ExpectOneLine(RunProgram({kTacit, "run", config, "--output", folder / "out"}), 2,
                {"trainer-", "label 2", "2 classes"});
}

TEST(BadInput, AnEmptyCellNamesItsRowAndColumn) {
  TemporaryFolder folder;
  const std::string data = Write(folder / "data.csv", "x,z,y\n1,2,0\n3,,1\n");
  ExpectOneLine(RunProgram({kTacit, "run", kExperiment, "--output", folder / "out", "--set",
                            "data={format='csv', path='" + data + "', target='y'}", "--set", "model.input_shape=[2]"}),
                3, {"data.csv", "3", "'z'", "missing"});
}

TEST(BadInput, TheShapeOfTheDataIsNotTheModels) {
  TemporaryFolder folder;
  ExpectOneLine(RunProgram({kTacit, "run", kExperiment, "--output", folder / "out", "--set", "model.input_shape=[29]"}),
                2, {"29", "30"});
}

TEST(BadInput, CommandLineMistakes) {
  ExpectOneLine(RunProgram({kTacit, "run", kExperiment, "--overwrit"}), 2, {"--overwrit", "--help"});
  ExpectOneLine(RunProgram({kTacit, "run"}), 2, {"config"});
  ExpectOneLine(RunProgram({kTacit, "train"}), 2, {"tacit --help"});
  ExpectOneLine(RunProgram({kTacit, "run", kExperiment, "--set", "seed"}), 2, {"KEY=VALUE"});
  ExpectOneLine(RunProgram({kTacit, "run", kExperiment, "--set", "sede=1"}), 2, {"--set: sede", "'seed'"});
  ExpectOneLine(RunProgram({kTacit, "run", kExperiment}, "", {"TACIT__TRAINING__ROUNDS=none"}), 2,
                {"TACIT__TRAINING__ROUNDS", "training.rounds", "whole number"});
}

TEST(BadInput, AnEarlierRunIsNotOverwrittenUnasked) {
  TemporaryFolder folder;
  const std::vector<std::string> run{kTacit,         "run",   kExperiment,        "--output",
                                     folder / "out", "--set", "training.rounds=1"};
  ASSERT_EQ(RunProgram(run).exit_code, 0);
  const std::string summary = ReadAll(folder / "out/summary.json");
  ExpectOneLine(RunProgram(run), 3, {"holds an earlier run", "--overwrite"});
  EXPECT_EQ(ReadAll(folder / "out/summary.json"), summary);
}

TEST(BadInput, FlagsWinOverTheEnvironmentWhichWinsOverTheFile) {
  const auto printed = [](std::vector<std::string> more, std::vector<std::string> environment) {
    std::vector<std::string> command{kTacit, "run", kExperiment, "--print-config"};
    command.insert(command.end(), more.begin(), more.end());
    return RunProgram(command, "", std::move(environment)).out;
  };
  EXPECT_THAT(printed({}, {}), HasSubstr("rounds = 12\n"));
  EXPECT_THAT(printed({}, {"TACIT__TRAINING__ROUNDS=5"}), HasSubstr("rounds = 5\n"));
  EXPECT_THAT(printed({"--set", "training.rounds=7"}, {"TACIT__TRAINING__ROUNDS=5"}), HasSubstr("rounds = 7\n"));
}

class ServerInput : public ::testing::Test {
 protected:
  ServerInput() {
    const Process::Result built = RunProgram(
        {kTacit, "model", "build", kExamples + "deployment/experiment.toml", "--out", folder_ / "initial.tacit"});
    EXPECT_EQ(built.exit_code, 0) << built.err;
  }
  std::vector<std::string> Server(const std::string& listen, std::vector<std::string> more = {}) const {
    std::vector<std::string> command{kServer,
                                     "--config",
                                     kExamples + "deployment/server.toml",
                                     "--set",
                                     "listen=" + listen,
                                     "--set",
                                     "model=" + (folder_ / "initial.tacit"),
                                     "--set",
                                     "output=" + (folder_ / "run"),
                                     "--overwrite"};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  std::vector<std::string> Client(const std::string& server, std::vector<std::string> more = {}) const {
    std::vector<std::string> command{kClient, "--config", kExamples + "deployment/trainer-2.toml", "--set",
                                     "server=" + server};
    command.insert(command.end(), more.begin(), more.end());
    return command;
  }
  // A certificate for `name`, signed by the authority `ca`, which is made when it isn't there yet.
  void MakeCertificate(const std::string& ca, const std::string& name) const {
    const std::string script =
        "set -e; cd " + folder_.path().string() + "; [ -e " + ca +
        ".pem ] || openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2"
        " -subj /CN=" +
        ca + " -keyout " + ca + ".key -out " + ca +
        ".pem 2>/dev/null;"
        " openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=" +
        name + " -keyout " + name + ".key -out " + name +
        ".csr 2>/dev/null;"
        " printf 'subjectAltName=IP:127.0.0.1,DNS:" +
        name + "' > " + name +
        ".ext;"
        " openssl x509 -req -in " +
        name + ".csr -CA " + ca + ".pem -CAkey " + ca +
        ".key -CAcreateserial -days 2"
        " -extfile " +
        name + ".ext -out " + name + ".pem 2>/dev/null";
    ASSERT_EQ(RunProgram({"/bin/sh", "-c", script}).exit_code, 0);
  }
  std::string TlsOf(const std::string& name, const std::string& ca, const std::string& ca_key) const {
    return "tls={certificate='" + (folder_ / (name + ".pem")) + "', key='" + (folder_ / (name + ".key")) + "', " +
           ca_key + "='" + (folder_ / (ca + ".pem")) + "'}";
  }
  TemporaryFolder folder_;
};

TEST_F(ServerInput, APortInUse) {
  Process first(Server("127.0.0.1:0"));
  ASSERT_TRUE(first.AwaitErr("run=deployment"));
  const std::string address = "127.0.0.1:" + first.ValueOf("port");
  ExpectOneLine(RunProgram(Server(address)), 4, {"cannot listen on " + address, "taken by another program"});
}

TEST_F(ServerInput, AServerThatIsNotThere) {
  // Port 1 needs root to be listened on, and nobody does.
  ExpectOneLine(RunProgram(Client("127.0.0.1:1", {"--set", "give_up_after_seconds=1"})), 4,
                {"no coordinator answers at 127.0.0.1:1", "gave up after", "tacit-server"});
}

TEST_F(ServerInput, PlainTextBeyondThisMachineMustBeAskedFor) {
  ExpectOneLine(RunProgram(Server("0.0.0.0:0")), 2, {"listen", "[tls]", "insecure = true"});
  ExpectOneLine(RunProgram(Client("trainer.example:7070")), 2, {"server", "[tls]", "insecure = true"});
  EXPECT_EQ(RunProgram(Client("trainer.example:7070", {"--set", "insecure=true", "--check-config"})).exit_code, 0);
  // A name that only looks like loopback.
  ExpectOneLine(RunProgram(Client("127.0.0.1.example:7070")), 2, {"not a loopback address"});
}

TEST_F(ServerInput, ACertificateThatDoesNotMatch) {
  MakeCertificate("ca", "coordinator");
  MakeCertificate("ca", "trainer-2");
  MakeCertificate("ca", "trainer-9");
  MakeCertificate("stranger-ca", "stranger");
  Process server(Server("127.0.0.1:0", {"--set", TlsOf("coordinator", "ca", "client_ca")}));
  ASSERT_TRUE(server.AwaitErr("tls=true"));
  const std::string address = "127.0.0.1:" + server.ValueOf("port");

  // The client doesn't know who signed the server's certificate.
  ExpectOneLine(RunProgram(Client(address, {"--set", TlsOf("trainer-2", "stranger-ca", "ca")})), 5,
                {"certificate of the server at " + address, "tls.ca"});
  // The server doesn't know who signed the client's.
  ExpectOneLine(RunProgram(Client(address, {"--set", TlsOf("stranger", "ca", "ca"), "--set", "name=stranger"})), 5,
                {"does not accept this client's certificate", "tls.certificate"});
  // Another name than the client's own.
  ExpectOneLine(RunProgram(Client(address, {"--set", TlsOf("trainer-9", "ca", "ca")})), 5, {"trainer-9", "trainer-2"});
  // A key of another certificate.
  std::filesystem::copy_file(folder_ / "trainer-9.key", folder_ / "trainer-2.key",
                             std::filesystem::copy_options::overwrite_existing);
  ExpectOneLine(RunProgram(Client(address, {"--set", TlsOf("trainer-2", "ca", "ca")})), 2,
                {"trainer-2.key", "not the private key"});
  // No certificate at all.
  ExpectOneLine(RunProgram(Client(address, {"--set", "give_up_after_seconds=1"})), 4, {"in plain text"});
}

TEST_F(ServerInput, SigtermEndsBothCleanly) {
  Process server(Server("127.0.0.1:0"));
  ASSERT_TRUE(server.AwaitErr("run=deployment"));
  const std::string address = "127.0.0.1:" + server.ValueOf("port");
  Process leaving(Client(address));
  ASSERT_TRUE(server.AwaitErr("client=trainer-2"));
  leaving.Signal(SIGTERM);
  ExpectOneLine(leaving.Wait(), 7, {"the client was stopped"});

  Process staying(Client(address, {"--set", "name=trainer-1"}));
  ASSERT_TRUE(server.AwaitErr("client=trainer-1"));
  server.Signal(SIGTERM);
  ExpectOneLine(server.Wait(), 7, {"the coordinator was stopped"});
  ExpectOneLine(staying.Wait(), 7, {"the run ended early: the coordinator was stopped"});
  EXPECT_THAT(ReadAll(folder_ / "run/summary.json"), HasSubstr("ended early"));
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder_.path())) {
    EXPECT_THAT(entry.path().string(), Not(::testing::EndsWith(".part")));
  }
}

}  // namespace
}  // namespace tacit::testing
