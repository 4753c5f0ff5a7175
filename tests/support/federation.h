#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "client/data/dataset.h"
#include "core/config/client_config.h"
#include "core/config/server_config.h"
#include "core/federation/plan.h"
#include "core/model_artifact.h"

// Small valid things that tests of a federation start from.
namespace tacit::test {

inline constexpr const char* kSquares = "mean-squared-error";
inline constexpr const char* kLogistic = "binary-cross-entropy";

inline RunId Run(absl::string_view name) { return *RunId::Create(name); }
inline ClientId Client(absl::string_view name) { return *ClientId::Create(name); }

// A linear model at zero with one output.
ModelArtifact LinearArtifact(int64_t features, const std::string& loss = kSquares);

// 2 rounds of 3 steps at rate 0.5, learning rate 0.1, no privacy.
Plan SmallPlan();

// A plan whose terms hold: `rounds` rounds of `steps` steps, its epsilon that of its noise multiplier.
Plan PrivatePlan(int64_t rounds, int64_t steps, double sampling_rate, double noise_multiplier, double clip_norm = 1);

// Epsilon of that many such steps at `delta`, by the accountant "rdp".
double EpsilonOf(int64_t steps, double sampling_rate, double noise_multiplier, double delta = 1e-5);

// y = x_1 - 2 x_2 + 1/2 (plus the row's number modulo 3, so that no model fits it), features within [-1, 1].
data::Dataset LineDataset(int64_t rows);
// The same with y = 1 where x_1 > 2 x_2, else 0, as a CSV file with the columns x1, x2, y.
std::string LogisticCsv(int64_t rows, int64_t seed);

// A server on a free port of loopback, without privacy, for `trainers` trainers.
config::ServerConfig LoopbackServer(int64_t trainers, int64_t rounds, const std::string& output);
// A trainer on the CSV file at `path`, allowed to train without privacy.
config::ClientConfig LoopbackTrainer(const std::string& name, const std::string& path);
// An evaluator on it.
config::ClientConfig LoopbackEvaluator(const std::string& name, const std::string& path);

}  // namespace tacit::test
