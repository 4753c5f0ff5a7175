#pragma once

#include <cstdint>
#include <vector>

#include "core/host_tensor.h"

namespace tacit::model {

// Some examples, the first dimension of every tensor being the example. May hold none.
struct Batch {
  std::vector<HostTensor> inputs;  // one per input of the graph: [B, example shape...]
  HostTensor target;               // int64 [B] for classes; float32 [B] or [B, k] otherwise
  std::vector<double> weights;     // B finite values >= 0, or empty: every example weighs 1
  int64_t size() const { return inputs.empty() ? 0 : inputs.front().shape().front(); }
};

}  // namespace tacit::model
