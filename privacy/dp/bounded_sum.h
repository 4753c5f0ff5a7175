#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "absl/status/statusor.h"
#include "core/federation/privacy_terms.h"

namespace tacit::dp {

using tacit::NeighbouringRelation;

// "add or remove one example" or "add or remove one client", for reports.
const char* Describe(NeighbouringRelation relation);

// A sum over records of vectors each bounded in L2 norm. It carries the most by which one record can change it, so that
// only something with a known sensitivity can be noised (docs/privacy.md, "Clipping" and "Noise").
// Made by ClippedSumBuilder alone.
class BoundedSum {
 public:
  const std::vector<double>& values() const { return values_; }
  // L2; > 0 and finite.
  double sensitivity() const { return sensitivity_; }
  // Records summed. Private: it depends on the data and must be neither released nor divided by.
  int64_t count() const { return count_; }
  NeighbouringRelation relation() const { return relation_; }

 private:
  friend class ClippedSumBuilder;
  BoundedSum() = default;
  std::vector<double> values_;
  double sensitivity_ = 0;
  int64_t count_ = 0;
  NeighbouringRelation relation_ = NeighbouringRelation::kAddOrRemoveOneExample;
};

// Adds up clipped records. A record v_i enters as ClipFactor(|v_i|) v_i; a backend that computes many records at once
// scales them itself with the factors from here and adds their sum. Not thread-safe.
class ClippedSumBuilder {
 public:
  // InvalidArgument unless 0 <= dimension <= 2^31 and clip_norm is positive and finite.
  static absl::StatusOr<ClippedSumBuilder> Create(int64_t dimension, double clip_norm, NeighbouringRelation relation);

  // min(1, C / norm); 0 for a norm that is not finite (or is negative), so that such a record counts as zero.
  double ClipFactor(double norm) const;
  // `sum` = sum_i ClipFactor(|v_i|) v_i over `count` records. Internal, with nothing added, when a value is not finite
  // or |sum| > count * C (1 + 1e-4): a backend that scaled wrongly. InvalidArgument for another dimension or count < 0.
  absl::Status AddScaled(std::span<const double> sum, int64_t count);
  // One record, clipped here (norm in float64). A record that is not finite counts as zero, and false comes back, so
  // that it can be reported; so does a record of another dimension. Otherwise true.
  bool AddRecord(std::span<const float> record);
  BoundedSum Build() &&;

 private:
  ClippedSumBuilder() = default;
  BoundedSum sum_;
};

}  // namespace tacit::dp
