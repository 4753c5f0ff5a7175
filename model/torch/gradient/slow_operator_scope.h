#pragma once

namespace tacit::torch_backend {

// LibTorch has one switch for the whole process that says whether vmap may fall back to a loop. A scope sets it for as
// long as it lives: scopes with the same setting share, one with the other setting waits until those are gone.
class SlowOperatorScope {
 public:
  explicit SlowOperatorScope(bool allowed);
  ~SlowOperatorScope();
  SlowOperatorScope(const SlowOperatorScope&) = delete;
  SlowOperatorScope& operator=(const SlowOperatorScope&) = delete;
};

}  // namespace tacit::torch_backend
