#include "tests/support/federation.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "core/random_stream.h"
#include "model/architecture/architecture.h"
#include "privacy/accounting/accountant.h"

namespace tacit::test {

ModelArtifact LinearArtifact(int64_t features, const std::string& loss) {
  model::ArchitectureSpec spec;
  spec.kind = "linear";
  spec.input_shape = {features};
  spec.outputs = 1;
  spec.loss = loss;
  return *model::BuildArchitecture(spec);
}

Plan SmallPlan() {
  const std::string artifact = *SerializeArtifact(LinearArtifact(2));
  Plan plan;
  plan.run = Run("small");
  plan.incarnation = "first";
  plan.model = Digest::Of(artifact);
  plan.model_bytes = static_cast<int64_t>(artifact.size());
  plan.rounds = 2;
  plan.steps_per_round = 3;
  plan.sampling_rate = 0.5;
  plan.optimizer.learning_rate = 0.1;
  plan.seed = 7;
  return plan;
}

double EpsilonOf(int64_t steps, double sampling_rate, double noise_multiplier, double delta) {
  const auto accountant = *accounting::MakeAccountant("rdp");
  accountant->Add(accounting::PoissonSubsampledGaussian{sampling_rate, noise_multiplier}, steps).IgnoreError();
  return *accountant->Epsilon(delta);
}

Plan PrivatePlan(int64_t rounds, int64_t steps, double sampling_rate, double noise_multiplier, double clip_norm) {
  Plan plan = SmallPlan();
  plan.rounds = rounds;
  plan.steps_per_round = steps;
  plan.sampling_rate = sampling_rate;
  plan.terms.emplace();
  plan.terms->delta = 1e-5;
  plan.terms->epsilon = EpsilonOf(rounds * steps, sampling_rate, noise_multiplier);
  plan.terms->sampling_rate = sampling_rate;
  plan.terms->clip_norm = clip_norm;
  plan.terms->noise_multiplier = noise_multiplier;
  plan.terms->steps = rounds * steps;
  return plan;
}

data::Dataset LineDataset(int64_t rows) {
  RandomStream random(1, "line");
  std::vector<float> features;
  std::vector<float> targets;
  for (int64_t row = 0; row < rows; ++row) {
    const auto x1 = static_cast<float>(2 * random.NextUnit() - 1);
    const auto x2 = static_cast<float>(2 * random.NextUnit() - 1);
    features.insert(features.end(), {x1, x2});
    targets.push_back(x1 - 2 * x2 + 0.5F + static_cast<float>(row % 3));
  }
  std::vector<HostTensor> inputs;
  inputs.push_back(*HostTensor::From<float>({rows, 2}, features));
  return *data::Dataset::Create(std::move(inputs), *HostTensor::From<float>({rows}, targets));
}

std::string LogisticCsv(int64_t rows, int64_t seed) {
  RandomStream random(static_cast<uint64_t>(seed), "logistic");
  std::string csv = "x1,x2,y\n";
  for (int64_t row = 0; row < rows; ++row) {
    const double x1 = 2 * random.NextUnit() - 1;
    const double x2 = 2 * random.NextUnit() - 1;
    absl::StrAppend(&csv, x1, ",", x2, ",", x1 > 2 * x2 ? 1 : 0, "\n");
  }
  return csv;
}

config::ServerConfig LoopbackServer(int64_t trainers, int64_t rounds, const std::string& output) {
  config::ServerConfig config;
  config.run = "loopback";
  config.listen = "127.0.0.1:0";
  config.output = output;
  config.seed = 3;
  config.federation.trainers = trainers;
  config.training.rounds = rounds;
  config.training.steps_per_round = 2;
  config.training.sampling_rate = 0.5;
  config.privacy.mode = "none";
  return config;
}

namespace {

config::ClientConfig BaseClient(const std::string& name) {
  config::ClientConfig config;
  config.name = name;
  config.give_up_after_seconds = 10;
  config.budget.allow_non_private = true;
  return config;
}

config::DataConfig CsvData(const std::string& path) {
  config::DataConfig data;
  data.format = "csv";
  data.path = path;
  data.target = "y";
  data.target_type = "value";
  return data;
}

}  // namespace

config::ClientConfig LoopbackTrainer(const std::string& name, const std::string& path) {
  config::ClientConfig config = BaseClient(name);
  config.data = CsvData(path);
  return config;
}

config::ClientConfig LoopbackEvaluator(const std::string& name, const std::string& path) {
  config::ClientConfig config = BaseClient(name);
  config.evaluation = config::EvaluationDataConfig{.data_is_public = true, .data = CsvData(path)};
  return config;
}

}  // namespace tacit::test
