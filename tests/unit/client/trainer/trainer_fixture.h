#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>
#include <vector>

#include "client/trainer/trainer.h"
#include "tests/support/fake_backend.h"
#include "tests/support/federation.h"
#include "tests/unit/core/expect_error.h"

namespace tacit::trainer {

// A trainer on 30 rows of a line, with a fake backend and predictable noise. Its nominal number of examples is 40.
class TrainerFixture : public ::testing::Test {
 protected:
  static constexpr int64_t kRows = 30;
  static constexpr int64_t kNominal = 40;

  TrainerFixture() {
    config.name = "clinic";
    config.data.emplace();
    config.data->nominal_examples = kNominal;
  }

  std::unique_ptr<Trainer> Make(std::unique_ptr<dp::RandomSource> random = nullptr) {
    if (random == nullptr) random = dp::MakeInsecureTestRandomSource(5, "trainer");
    return std::make_unique<Trainer>(test::Client("clinic"), config, test::LineDataset(kRows), backend,
                                     std::move(random));
  }
  // That accepts `plan`.
  std::unique_ptr<Trainer> MakeFor(const Plan& plan, std::unique_ptr<dp::RandomSource> random = nullptr) {
    std::unique_ptr<Trainer> trainer = Make(std::move(random));
    const absl::Status accepted = trainer->Accept(plan, artifact);
    EXPECT_TRUE(accepted.ok()) << accepted;
    return trainer;
  }
  absl::StatusOr<TrainedRound> Train(Trainer& trainer, RoundNumber round, std::stop_token stop = {}) {
    const ParameterVector parameters(*artifact.TrainableSchema());
    return trainer.Train({round, Digest::Of(parameters.Serialize())}, parameters, std::move(stop));
  }
  std::vector<float> ChangeOf(const TrainedRound& round) const {
    const auto change = *ParameterVector::Parse(*artifact.TrainableSchema(), round.change_bytes);
    return {change.values().begin(), change.values().end()};
  }

  config::ClientConfig config;
  test::FakeBackend backend;
  const ModelArtifact artifact = test::LinearArtifact(2);
};

}  // namespace tacit::trainer
