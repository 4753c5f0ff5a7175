#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "core/digest.h"
#include "core/ids.h"

namespace tacit {

// What a trainer's data has spent. Depends on the plan alone, never on the data.
struct PrivacySpend {
  double epsilon = 0;  // of everything this trainer released so far, at `delta`
  double delta = 0;
  std::string accountant;
  bool secure_noise = true;  // false: predictable test noise, no guarantee
};

// What a trainer sends back for a round; its tensors travel as the blob `change`. (run, incarnation, round, client) is
// its identity: sending it twice counts once.
struct Update {
  RunId run;
  std::string incarnation;
  RoundNumber round = 0;
  ClientId client;
  Digest change;      // of the blob: trained minus received parameters
  double weight = 0;  // in the average: the public figure for the number of examples, or the true one without privacy
  int64_t steps = 0;  // optimizer steps taken in this round
  std::optional<PrivacySpend> spend;    // absent without privacy
  std::optional<double> training_loss;  // mean over the round's steps; never present in a private run
};

// A trainer will not take part in this round and any later one.
struct Decline {
  RunId run;
  std::string incarnation;
  ClientId client;
  std::string reason;
};

// What an evaluator found, on data whose metrics may leave it.
struct EvaluationReport {
  RunId run;
  std::string incarnation;
  RoundNumber round = 0;
  ClientId client;
  int64_t examples = 0;
  double loss = 0;                        // mean
  std::map<std::string, double> metrics;  // name -> mean over the examples, e.g. accuracy
};

// What a client says of itself when it joins.
struct ClientInfo {
  ClientId client;
  bool trains = false;
  bool evaluates = false;
  std::string software;  // name and version, for the log
};

}  // namespace tacit
