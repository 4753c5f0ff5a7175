#pragma once

#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/config/fields.h"
#include "core/digest.h"

namespace tacit::config {

// Values that win over the file's, as TOML text or bare strings: {"training.rounds", "5"}. Later ones win.
struct Override {
  std::string key;
  std::string value;
  std::string origin;  // for messages: "--set" or the environment variable's name
};

// The overrides that the environment holds: TACIT__TRAINING__ROUNDS=5 sets training.rounds.
std::vector<Override> EnvironmentOverrides();
// "KEY=VALUE" of a --set flag. InvalidArgument without '='.
absl::StatusOr<Override> ParseSetFlag(absl::string_view flag);

// Where a config comes from; the overrides of least weight first.
struct Source {
  std::string path;
  std::vector<Override> overrides;
};

// Reads `source` into what `describe` walks. InvalidArgument lists every problem, one a line:
// "FILE:LINE: KEY: what is wrong", an unknown key with the nearest known one. NotFound when there is no such file.
absl::Status Read(const Source& source, absl::FunctionRef<void(FieldVisitor&)> describe);

// The config as TOML with one comment a key; reading it back gives the same config.
std::string Print(absl::FunctionRef<void(FieldVisitor&)> describe);

template <typename Config>
absl::StatusOr<Config> ReadConfig(const Source& source) {
  Config config;
  absl::Status status = Read(source, [&](FieldVisitor& visitor) { Describe(visitor, config); });
  if (!status.ok()) return status;
  return config;
}

template <typename Config>
std::string PrintConfig(Config config) {
  return Print([&](FieldVisitor& visitor) { Describe(visitor, config); });
}

// SHA-256 of the printed config.
template <typename Config>
Digest ConfigHash(const Config& config) {
  return Digest::Of(PrintConfig(config));
}

}  // namespace tacit::config
