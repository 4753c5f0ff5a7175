#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "optim/aggregators/aggregator.h"

namespace tacit::optim {

// sum_i w_i u_i / sum_i w_i, bit for bit the same whatever the order of the updates.
//
// Floating-point addition depends on the order; integer addition doesn't. Every product w_i u_i is computed in double,
// rounded to the nearest multiple of the grid 2^-70 and added as a 128-bit integer, so its rounding depends on that
// addend alone. With |w_i u_i| <= 2^36 an addend is at most 2^106 grid steps, and at most 2^20 of them are accepted, so
// no partial sum exceeds 2^126 < 2^127 and none can overflow. The weights, from 2^-30 to 2^36, are summed in the same
// way. The quotient of the two sums is a function of the sums alone.
//
// Error of an element a of the result before its rounding to float32: at most (1 + |a|) 2^-71 / mean(w) from the grid,
// 2^-53 mean(w |u|) / mean(w) from the products and 2^-51 |a| from the division (to first order). Memory: 16 bytes an
// element.
class WeightedAverage final : public Aggregator {
 public:
  static constexpr double kGrid = 0x1p-70;
  static constexpr double kMaxProduct = 0x1p36;
  static constexpr double kMinWeight = 0x1p-30;
  static constexpr double kMaxWeight = 0x1p36;
  static constexpr int64_t kMaxCount = int64_t{1} << 20;

  explicit WeightedAverage(std::shared_ptr<const Schema> schema);
  // As Aggregator::Add; also InvalidArgument for a weight outside [kMinWeight, kMaxWeight], and ResourceExhausted after
  // kMaxCount updates.
  absl::Status Add(const ParameterVector& update, double weight) override;
  int64_t count() const override { return count_; }
  absl::StatusOr<ParameterVector> Finish() override;

 private:
  __extension__ using Fixed = __int128;  // in grid steps
  static Fixed ToFixed(double value);
  absl::Status CheckAddend(const ParameterVector& update, double weight) const;

  std::shared_ptr<const Schema> schema_;
  std::vector<Fixed> sums_;
  Fixed weight_sum_ = 0;
  int64_t count_ = 0;
};

}  // namespace tacit::optim
