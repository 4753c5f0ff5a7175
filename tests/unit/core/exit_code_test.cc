#include "core/exit_code.h"

#include <gtest/gtest.h>

#include "core/status.h"

namespace tacit {
namespace {

TEST(ExitCodeTest, EveryStatusHasItsCode) {
  EXPECT_EQ(ExitCodeFor(absl::OkStatus()), ExitCode::kSuccess);
  EXPECT_EQ(ExitCodeFor(absl::InternalError("x")), ExitCode::kInternal);
  EXPECT_EQ(ExitCodeFor(absl::UnknownError("x")), ExitCode::kInternal);
  EXPECT_EQ(ExitCodeFor(absl::InvalidArgumentError("x")), ExitCode::kUsage);
  EXPECT_EQ(ExitCodeFor(absl::NotFoundError("x")), ExitCode::kData);
  EXPECT_EQ(ExitCodeFor(absl::DataLossError("x")), ExitCode::kData);
  EXPECT_EQ(ExitCodeFor(absl::OutOfRangeError("x")), ExitCode::kData);
  EXPECT_EQ(ExitCodeFor(absl::UnavailableError("x")), ExitCode::kNetwork);
  EXPECT_EQ(ExitCodeFor(absl::DeadlineExceededError("x")), ExitCode::kNetwork);
  EXPECT_EQ(ExitCodeFor(absl::PermissionDeniedError("x")), ExitCode::kRefused);
  EXPECT_EQ(ExitCodeFor(absl::UnauthenticatedError("x")), ExitCode::kRefused);
  EXPECT_EQ(ExitCodeFor(absl::FailedPreconditionError("x")), ExitCode::kRefused);
  EXPECT_EQ(ExitCodeFor(absl::ResourceExhaustedError("x")), ExitCode::kBudget);
  EXPECT_EQ(ExitCodeFor(absl::CancelledError("x")), ExitCode::kInterrupted);
}

// README promises them to scripts.
TEST(ExitCodeTest, TheNumbersStay) {
  EXPECT_EQ(static_cast<int>(ExitCode::kSuccess), 0);
  EXPECT_EQ(static_cast<int>(ExitCode::kInternal), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::kUsage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::kData), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::kNetwork), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::kRefused), 5);
  EXPECT_EQ(static_cast<int>(ExitCode::kBudget), 6);
  EXPECT_EQ(static_cast<int>(ExitCode::kInterrupted), 7);
}

TEST(ExitCodeTest, ReportNamesTheProgramOnEveryLine) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(Report("tacit", absl::NotFoundError("no such file")), 3);
  EXPECT_EQ(Report("tacit", absl::InvalidArgumentError("one\ntwo")), 2);
  EXPECT_EQ(Report("tacit", absl::OkStatus()), 0);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "tacit: error: no such file\ntacit: error: one\ntacit: error: two\n");
}

TEST(StatusTest, AnnotateKeepsTheCode) {
  EXPECT_EQ(Annotate(absl::NotFoundError("gone"), "a.csv"), absl::NotFoundError("a.csv: gone"));
  EXPECT_TRUE(Annotate(absl::OkStatus(), "a.csv").ok());
}

}  // namespace
}  // namespace tacit
