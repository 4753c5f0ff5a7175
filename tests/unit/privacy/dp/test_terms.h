#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "privacy/dp/bounded_sum.h"
#include "privacy/dp/terms.h"

namespace tacit::dp {

// Terms that hold: epsilon is 2.11 here.
inline Terms GoodTerms() {
  Terms terms;
  terms.epsilon = 3;
  terms.delta = 1e-5;
  terms.sampling_rate = 0.01;
  terms.clip_norm = 2;
  terms.noise_multiplier = 1;
  terms.steps = 1000;
  return terms;
}

// The records' clipped sum; the first record gives the dimension.
inline BoundedSum SumOf(const std::vector<std::vector<float>>& records, double clip_norm) {
  auto builder = *ClippedSumBuilder::Create(static_cast<int64_t>(records.front().size()), clip_norm,
                                            NeighbouringRelation::kAddOrRemoveOneExample);
  for (const std::vector<float>& record : records) builder.AddRecord(record);
  return std::move(builder).Build();
}

inline BoundedSum EmptySum(int64_t dimension, double clip_norm) {
  auto builder = *ClippedSumBuilder::Create(dimension, clip_norm, NeighbouringRelation::kAddOrRemoveOneExample);
  return std::move(builder).Build();
}

}  // namespace tacit::dp
