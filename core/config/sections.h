#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/config/fields.h"

// The tables that server, client and experiment configs share. Every struct is plain data with defaults.
namespace tacit::config {

// SGD with momentum: v = momentum v + gradient; parameters -= learning_rate v.
struct OptimizerConfig {
  double learning_rate = 0.1;
  double momentum = 0;
  double weight_decay = 0;
};
void Describe(FieldVisitor& visitor, OptimizerConfig& config);

// What every trainer does in a round.
struct TrainingConfig {
  int64_t rounds = 0;
  int64_t steps_per_round = 0;
  double sampling_rate = 0;
  OptimizerConfig optimizer;
};
void Describe(FieldVisitor& visitor, TrainingConfig& config);

// The privacy that every trainer's examples get.
struct PrivacyConfig {
  std::string mode;  // "example-level" or "none"
  std::optional<double> epsilon;
  std::optional<double> delta;
  std::optional<double> clip_norm;
  std::optional<double> noise_multiplier;  // absent: calibrated from epsilon and delta
  std::string accountant = "rdp";
  bool enabled() const { return mode == "example-level"; }
};
void Describe(FieldVisitor& visitor, PrivacyConfig& config);

// Who takes part and how long the coordinator waits.
struct FederationConfig {
  int64_t trainers = 0;
  int64_t evaluators = 0;
  std::optional<int64_t> quorum;  // absent: all of them
  double join_timeout_seconds = 600;
  double round_timeout_seconds = 3600;
  int64_t evaluate_every = 1;
};
void Describe(FieldVisitor& visitor, FederationConfig& config);

struct ModelConfig {
  std::optional<std::string> artifact;
  std::optional<std::string> architecture;  // "linear", "mlp" or "cnn"; instead of `artifact`
  std::vector<int64_t> input_shape;
  int64_t outputs = 0;
  std::vector<int64_t> hidden;
  std::vector<int64_t> channels;
  int64_t kernel_size = 3;
  std::string activation = "relu";
  std::string loss = "cross-entropy";
};
void Describe(FieldVisitor& visitor, ModelConfig& config);

// x -> (x - mean) / standard_deviation, per feature or one value for all. Constants, never computed from the data.
struct StandardiseConfig {
  std::vector<double> mean;
  std::vector<double> standard_deviation;
};
void Describe(FieldVisitor& visitor, StandardiseConfig& config);

// One trainer's share of a file that holds everybody's: for experiments and demonstrations on one machine.
struct PartitionConfig {
  std::string scheme = "iid";
  int64_t parts = 0;
  int64_t part = 0;           // 0 .. parts-1
  double holdout = 0;         // share of the rows that belongs to no part
  bool take_holdout = false;  // this is the held-out share itself
  int64_t seed = 0;
};
void Describe(FieldVisitor& visitor, PartitionConfig& config);

struct DataConfig {
  std::string format;                      // "csv", "idx" or "npy"
  std::string path;                        // csv: the file; idx, npy: the features
  std::optional<std::string> target_path;  // idx, npy
  std::string target;                      // csv: name of the target column
  std::string target_type = "class";       // "class" or "value"
  std::vector<std::string> labels;         // csv: the class names, in the order of the model's outputs
  std::vector<std::string> features;       // csv: columns to use, in order; empty: all but the target
  std::string delimiter = ",";
  std::string missing = "error";  // csv: "error", "drop-row" or "fill"
  std::optional<double> fill_value;
  std::optional<StandardiseConfig> standardise;
  std::optional<PartitionConfig> partition;
  std::optional<int64_t> nominal_examples;  // a public figure for the number of examples
};
void Describe(FieldVisitor& visitor, DataConfig& config);

struct GradientsConfig {
  std::string backend = "vmap";  // "vmap" or "loop"
};
void Describe(FieldVisitor& visitor, GradientsConfig& config);

// For tests and demonstrations only.
struct TestingConfig {
  std::optional<int64_t> insecure_test_noise_seed;
};
void Describe(FieldVisitor& visitor, TestingConfig& config);

}  // namespace tacit::config
