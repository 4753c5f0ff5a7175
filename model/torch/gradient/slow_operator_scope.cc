#include "model/torch/gradient/slow_operator_scope.h"

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "model/torch/gradient/functorch_compat.h"

namespace tacit::torch_backend {
namespace {

struct Setting {
  std::mutex mutex;
  std::condition_variable changed;
  bool allowed = true;
  int64_t scopes = 0;
};

Setting& ProcessSetting() {
  static Setting& setting = *new Setting;
  return setting;
}

}  // namespace

SlowOperatorScope::SlowOperatorScope(bool allowed) {
  Setting& setting = ProcessSetting();
  std::unique_lock lock(setting.mutex);
  setting.changed.wait(lock, [&] { return setting.scopes == 0 || setting.allowed == allowed; });
  setting.allowed = allowed;
  if (++setting.scopes == 1) SetSlowOperatorsAllowed(allowed);
}

SlowOperatorScope::~SlowOperatorScope() {
  Setting& setting = ProcessSetting();
  const std::lock_guard lock(setting.mutex);
  if (--setting.scopes == 0) setting.changed.notify_all();
}

}  // namespace tacit::torch_backend
