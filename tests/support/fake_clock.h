#pragma once

#include <atomic>

#include "core/clock.h"

namespace tacit::test {

// Stands still until it is told to go on.
class FakeClock final : public Clock {
 public:
  Duration Now() const override { return Duration(now_.load()); }
  void Advance(double seconds) { now_ += static_cast<Duration::rep>(seconds * 1000); }

 private:
  std::atomic<Duration::rep> now_ = 1'000'000;
};

}  // namespace tacit::test
