#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/config/config_file.h"
#include "core/config/sections.h"

namespace tacit::config {

struct ClientTlsConfig {
  std::string ca;
  std::string certificate;
  std::string key;
  std::optional<std::string> server_name;
};
void Describe(FieldVisitor& visitor, ClientTlsConfig& config);

// What the data holder allows, whatever the server asks.
struct BudgetConfig {
  bool allow_non_private = false;
  std::optional<double> max_epsilon;
  std::optional<double> max_delta;
};
void Describe(FieldVisitor& visitor, BudgetConfig& config);

// Data whose un-noised metrics may leave this machine.
struct EvaluationDataConfig {
  bool data_is_public = false;
  DataConfig data;
};
void Describe(FieldVisitor& visitor, EvaluationDataConfig& config);

// tacit-client --config FILE.
struct ClientConfig {
  std::string name;
  std::string server;
  bool insecure = false;
  std::optional<ClientTlsConfig> tls;
  double give_up_after_seconds = 300;
  int64_t threads = 1;
  std::optional<DataConfig> data;                  // absent: doesn't train
  std::optional<EvaluationDataConfig> evaluation;  // absent: doesn't evaluate
  BudgetConfig budget;
  GradientsConfig gradients;
  TestingConfig testing;
};
void Describe(FieldVisitor& visitor, ClientConfig& config);

}  // namespace tacit::config
