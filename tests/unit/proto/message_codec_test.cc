#include "proto/codec/message_codec.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/codec/limits.h"
#include "tests/unit/core/expect_error.h"
#include "tests/unit/proto/examples.h"

namespace tacit::wire {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr auto kInvalid = absl::StatusCode::kInvalidArgument;
const std::string kBadNames[] = {"", std::string(65, 'a'), "a b", ".a", "a\nb", "caf\xc3\xa9", std::string("a\0", 2)};

template <typename Message, typename Domain>
Message Wire(const Domain& value) {
  Message message;
  ToWire(value, message);
  return message;
}

template <typename Message>
void ExpectRefused(const Message& message, const std::string& field) {
  EXPECT_TRUE(FailsWith(FromWire(message).status(), kInvalid, {"'" + field + "'"})) << message.ShortDebugString();
}

TEST(HelloCodec, ComesBack) { ExpectSame(*FromWire(Wire<v1::Hello>(ExampleInfo())), ExampleInfo()); }

TEST(HelloCodec, SaysThisProtocolsVersion) {
  const auto message = Wire<v1::Hello>(ExampleInfo());
  EXPECT_EQ(message.version().major(), kProtocolMajor);
  EXPECT_EQ(message.version().minor(), kProtocolMinor);
}

TEST(HelloCodec, AnotherMajorVersionIsRefusedNamingBoth) {
  for (const uint32_t major : {0u, 2u, 4294967295u}) {
    auto message = Wire<v1::Hello>(ExampleInfo());
    message.mutable_version()->set_major(major);
    message.mutable_version()->set_minor(7);
    EXPECT_TRUE(FailsWith(FromWire(message).status(), absl::StatusCode::kFailedPrecondition,
                          {absl::StrCat(major, ".7"), absl::StrCat(kProtocolMajor, ".", kProtocolMinor)}));
  }
}

TEST(HelloCodec, ALaterMinorVersionIsWelcome) {
  auto message = Wire<v1::Hello>(ExampleInfo());
  message.mutable_version()->set_minor(99);
  EXPECT_TRUE(FromWire(message).ok());
}

TEST(HelloCodec, NamesAndRolesAreChecked) {
  for (const std::string& bad : kBadNames) {
    auto message = Wire<v1::Hello>(ExampleInfo());
    message.set_client(bad);
    ExpectRefused(message, "hello.client");
  }
  auto message = Wire<v1::Hello>(ExampleInfo());
  message.set_trains(false);
  message.set_evaluates(false);
  ExpectRefused(message, "hello");
}

TEST(HelloCodec, SoftwareIsCutAndCleaned) {
  auto message = Wire<v1::Hello>(ExampleInfo());
  message.set_software(absl::StrCat("a\n\x1b", std::string(500, 'x')));
  const std::string software = FromWire(message)->software;
  EXPECT_EQ(software.size(), kMaxSoftwareBytes);
  EXPECT_EQ(software.substr(0, 4), "a  x");
}

TEST(TaskCodec, TasksComeBack) {
  const auto train = *FromWire(Wire<v1::ServerMessage>(ExampleTrainTask()).train());
  EXPECT_EQ(train.round, 4);
  EXPECT_EQ(train.parameters, Digest::Of("parameters"));
  const auto evaluate = *FromWire(Wire<v1::ServerMessage>(ExampleEvaluateTask()).evaluate());
  EXPECT_EQ(evaluate.round, 5);
  EXPECT_EQ(evaluate.parameters, Digest::Of("parameters"));
}

TEST(TaskCodec, RoundsAndDigestsAreChecked) {
  for (const int64_t bad : {int64_t{-1}, kMaxRounds + 1, std::numeric_limits<int64_t>::max()}) {
    auto message = Wire<v1::ServerMessage>(ExampleTrainTask());
    message.mutable_train()->set_round(bad);
    ExpectRefused(message.train(), "round");
    message = Wire<v1::ServerMessage>(ExampleEvaluateTask());
    message.mutable_evaluate()->set_round(bad);
    ExpectRefused(message.evaluate(), "round");
  }
  for (const size_t size : {0u, 31u, 33u}) {
    auto message = Wire<v1::ServerMessage>(ExampleTrainTask());
    message.mutable_train()->set_parameters_digest(std::string(size, 'd'));
    ExpectRefused(message.train(), "train.parameters_digest");
    message = Wire<v1::ServerMessage>(ExampleEvaluateTask());
    message.mutable_evaluate()->set_parameters_digest(std::string(size, 'd'));
    ExpectRefused(message.evaluate(), "evaluate.parameters_digest");
  }
}

TEST(TaskCodec, EveryOutcomeComesBack) {
  EXPECT_TRUE(FromWire(Wire<v1::ServerMessage>(Task(FinishTask{absl::OkStatus()})).finish()).outcome.ok());
  for (int code = 1; code <= 16; ++code) {
    const absl::Status outcome(static_cast<absl::StatusCode>(code), "why");
    EXPECT_EQ(FromWire(Wire<v1::ServerMessage>(Task(FinishTask{outcome})).finish()).outcome, outcome);
  }
}

TEST(TaskCodec, AnUnknownOutcomeIsStillAFailure) {
  for (const uint32_t code : {17u, 1000u, 4294967295u}) {
    v1::FinishTask message;
    message.set_code(code);
    message.set_reason("why");
    EXPECT_EQ(FromWire(message).outcome, absl::UnknownError("why"));
  }
}

TEST(TaskCodec, AnOutcomesReasonTravelsAsValidText) {
  const Task task = FinishTask{absl::InternalError("bad \xff byte\nand a line end")};
  std::string bytes;
  ASSERT_TRUE(Wire<v1::ServerMessage>(task).SerializeToString(&bytes));
  v1::ServerMessage read;
  ASSERT_TRUE(read.ParseFromString(bytes));
  EXPECT_EQ(FromWire(read.finish()).outcome.message(), "bad ? byte and a line end");
}

TEST(UpdateCodec, UpdatesComeBack) {
  ExpectSame(*FromWire(Wire<v1::Update>(ExampleUpdate())), ExampleUpdate());
  ExpectSame(*FromWire(Wire<v1::Update>(ExamplePrivateUpdate())), ExamplePrivateUpdate());
  Update insecure = ExamplePrivateUpdate();
  insecure.spend->secure_noise = false;
  ExpectSame(*FromWire(Wire<v1::Update>(insecure)), insecure);
  Update bare = ExampleUpdate();
  bare.training_loss = std::nullopt;
  ExpectSame(*FromWire(Wire<v1::Update>(bare)), bare);
}

TEST(UpdateCodec, TheIdentityIsChecked) {
  for (const std::string& bad : kBadNames) {
    auto message = Wire<v1::Update>(ExampleUpdate());
    message.set_run(bad);
    ExpectRefused(message, "run");
    message = Wire<v1::Update>(ExampleUpdate());
    message.set_client(bad);
    ExpectRefused(message, "client");
    message = Wire<v1::Update>(ExampleUpdate());
    message.set_incarnation(bad);
    ExpectRefused(message, "incarnation");
  }
  for (const int64_t bad : {int64_t{-1}, kMaxRounds + 1}) {
    auto message = Wire<v1::Update>(ExampleUpdate());
    message.set_round(bad);
    ExpectRefused(message, "round");
  }
}

TEST(UpdateCodec, NumbersAreFiniteAndInRange) {
  for (const double bad : {0.0, -1.0, 1e16, kNan, kInfinity, -kInfinity}) {
    auto message = Wire<v1::Update>(ExampleUpdate());
    message.set_weight(bad);
    ExpectRefused(message, "update.weight");
  }
  for (const int64_t bad : {int64_t{-1}, kMaxStepsPerRound + 1}) {
    auto message = Wire<v1::Update>(ExampleUpdate());
    message.set_steps(bad);
    ExpectRefused(message, "update.steps");
  }
  for (const double bad : {kNan, kInfinity, -kInfinity}) {
    auto message = Wire<v1::Update>(ExampleUpdate());
    message.set_training_loss(bad);
    ExpectRefused(message, "update.training_loss");
  }
  for (const double bad : {-1.0, kNan, kInfinity}) {
    auto message = Wire<v1::Update>(ExamplePrivateUpdate());
    message.mutable_spend()->set_epsilon(bad);
    ExpectRefused(message, "spend.epsilon");
  }
  for (const double bad : {-1.0, 1.5, kNan, kInfinity}) {
    auto message = Wire<v1::Update>(ExamplePrivateUpdate());
    message.mutable_spend()->set_delta(bad);
    ExpectRefused(message, "spend.delta");
  }
}

TEST(UpdateCodec, ADigestHas32Bytes) {
  for (const size_t size : {0u, 31u, 33u}) {
    auto message = Wire<v1::Update>(ExampleUpdate());
    message.set_change_digest(std::string(size, 'd'));
    ExpectRefused(message, "update.change_digest");
  }
}

TEST(UpdateCodec, TheAccountantsNameIsBounded) {
  for (const size_t size : {size_t{0}, kMaxAccountantBytes + 1, size_t{5000}}) {
    auto message = Wire<v1::Update>(ExamplePrivateUpdate());
    message.mutable_spend()->set_accountant(std::string(size, 'a'));
    ExpectRefused(message, "spend.accountant");
  }
  auto message = Wire<v1::Update>(ExamplePrivateUpdate());
  message.mutable_spend()->set_accountant("a\tb");
  EXPECT_EQ(FromWire(message)->spend->accountant, "a b");
}

TEST(DeclineCodec, ComesBack) { ExpectSame(*FromWire(Wire<v1::Decline>(ExampleDecline())), ExampleDecline()); }

TEST(DeclineCodec, TheReasonIsCutAndCleaned) {
  auto message = Wire<v1::Decline>(ExampleDecline());
  message.set_reason(absl::StrCat("line\r\nline", std::string(10000, 'x')));
  const std::string reason = FromWire(message)->reason;
  EXPECT_EQ(reason.size(), kMaxReasonBytes);
  EXPECT_EQ(reason.substr(0, 10), "line  line");
}

TEST(EvaluationCodec, ComesBack) {
  ExpectSame(*FromWire(Wire<v1::EvaluationReport>(ExampleReport())), ExampleReport());
}

TEST(EvaluationCodec, ADivergedModelIsWorthReporting) {
  EvaluationReport report = ExampleReport();
  report.loss = kInfinity;
  report.metrics["accuracy"] = -kInfinity;
  ExpectSame(*FromWire(Wire<v1::EvaluationReport>(report)), report);
}

TEST(EvaluationCodec, ExamplesAreCounted) {
  for (const int64_t bad : {int64_t{0}, int64_t{-5}, std::numeric_limits<int64_t>::max()}) {
    auto message = Wire<v1::EvaluationReport>(ExampleReport());
    message.set_examples(bad);
    ExpectRefused(message, "evaluation.examples");
  }
}

TEST(EvaluationCodec, MetricsAreFewAndNamed) {
  auto message = Wire<v1::EvaluationReport>(ExampleReport());
  message.mutable_metrics()->clear();
  for (size_t i = 0; i < kMaxMetrics; ++i) (*message.mutable_metrics())[absl::StrCat("metric_", i)] = 1;
  EXPECT_EQ(FromWire(message)->metrics.size(), kMaxMetrics);
  (*message.mutable_metrics())["one.more"] = 1;
  ExpectRefused(message, "evaluation.metrics");
  for (const std::string& bad : kBadNames) {
    auto named = Wire<v1::EvaluationReport>(ExampleReport());
    (*named.mutable_metrics())[bad] = 1;
    ExpectRefused(named, "evaluation.metrics");
  }
}

TEST(CleanText, PrintableTextStaysAsItIs) {
  for (const std::string text : {"", "plain", "caf\xc3\xa9", "\xe2\x82\xac 5", "\xf0\x9f\x98\x80", "~ \"'\\"}) {
    EXPECT_EQ(CleanText(text), text);
  }
}

TEST(CleanText, ControlCharactersBecomeSpaces) {
  EXPECT_EQ(CleanText(std::string("a\0b\tc\nd\re\x1b[31m\x7f", 15)), "a b c d e [31m ");
  EXPECT_EQ(CleanText("\xc2\x9b"), " ");  // a terminal takes it for the start of a command
}

TEST(CleanText, WhatIsNotUtf8BecomesQuestionMarks) {
  EXPECT_EQ(CleanText("\xff"), "?");
  EXPECT_EQ(CleanText("a\xc3"), "a?");
  EXPECT_EQ(CleanText("\xc0\xaf"), "??");            // overlong
  EXPECT_EQ(CleanText("\xe0\x80\x80"), "???");       // overlong
  EXPECT_EQ(CleanText("\xed\xa0\x80"), "???");       // a surrogate
  EXPECT_EQ(CleanText("\xf4\x90\x80\x80"), "????");  // past the last character
  EXPECT_EQ(CleanText("\xe2\x82x"), "??x");          // broken off
  EXPECT_EQ(CleanText("\x80\xc3\xa9"), "?\xc3\xa9");
}

TEST(CleanText, IsCutBetweenCharacters) {
  EXPECT_EQ(CleanText("abcdef", 3), "abc");
  EXPECT_EQ(CleanText("ab\xe2\x82\xac", 4), "ab");
  EXPECT_EQ(CleanText("ab\xe2\x82\xac", 5), "ab\xe2\x82\xac");
  std::string text(kMaxReasonBytes - 1, 'x');
  EXPECT_EQ(CleanText(text + "\xc3\xa9"), text);
}

}  // namespace
}  // namespace tacit::wire
