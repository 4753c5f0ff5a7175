#pragma once

#include <chrono>
#include <string>

namespace tacit {

// Where time comes from, so that tests need not wait. Thread-safe.
class Clock {
 public:
  using Duration = std::chrono::milliseconds;
  virtual ~Clock() = default;
  // Time since an arbitrary start; never goes back.
  virtual Duration Now() const = 0;
  // The machine's own.
  static const Clock& System();
};

// The wall clock as UTC, "2026-11-30T18:43:18Z".
std::string UtcTimestamp();

}  // namespace tacit
