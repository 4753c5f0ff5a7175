#pragma once

#include <optional>
#include <string>

#include "core/config/config_file.h"
#include "core/config/sections.h"

namespace tacit::config {

// What the model is evaluated on: a share of the data kept from every trainer, or data of its own.
struct ExperimentEvaluationConfig {
  double holdout = 0;
  std::optional<DataConfig> data;
};
void Describe(FieldVisitor& visitor, ExperimentEvaluationConfig& config);

// tacit run FILE: a whole federation on one machine.
struct ExperimentConfig {
  std::string name;
  std::optional<std::string> output;  // absent: results/NAME where the command runs
  int64_t seed = 0;
  int64_t threads = 1;
  FederationConfig federation;
  ModelConfig model;
  DataConfig data;
  ExperimentEvaluationConfig evaluation;
  TrainingConfig training;
  OptimizerConfig server_optimizer{.learning_rate = 1.0};
  PrivacyConfig privacy;
  GradientsConfig gradients;
  TestingConfig testing;
};
void Describe(FieldVisitor& visitor, ExperimentConfig& config);

}  // namespace tacit::config
