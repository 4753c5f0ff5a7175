#include "model/torch/runtime.h"

#include <ATen/Parallel.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/ones.h>
#include <dlfcn.h>
#include <malloc.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "core/log.h"

namespace tacit::model {
namespace {

constexpr int kKeptBlockBytes = 1 << 30;  // the largest that mallopt takes as an int
constexpr int kGrowthBytes = 256 << 20;

// The reference BLAS does about 2 GFLOP/s a core at this size, any tuned one ten times that.
constexpr double kSlowGigaflops = 8;

double MeasureGigaflops() {
  constexpr int64_t kSize = 384;
  const at::Tensor matrix = at::ones({kSize, kSize});
  double best = 0;
  for (int i = 0; i < 3; ++i) {  // the first wakes the library up
    const auto start = std::chrono::steady_clock::now();
    at::mm(matrix, matrix);
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
    best = std::max(best, 2e-9 * kSize * kSize * kSize / elapsed.count());
  }
  return best;
}

// Whether the process has loaded OpenBLAS, MKL or BLIS.
bool HasTunedBlas() {
  for (const char* symbol : {"openblas_get_config", "mkl_get_version", "bli_info_get_version_str"}) {
    if (dlsym(RTLD_DEFAULT, symbol) != nullptr) return true;
  }
  return false;
}

// OpenBLAS keeps threads of its own, which LibTorch's setting does not reach.
void SetOpenBlasThreads(int threads) {
  using SetThreads = void (*)(int);
  const auto set = reinterpret_cast<SetThreads>(dlsym(RTLD_DEFAULT, "openblas_set_num_threads"));
  if (set != nullptr) set(threads);
}

}  // namespace

void ConfigureRuntime(int threads) {
  mallopt(M_ARENA_MAX, 1);  // other threads' arenas could not hold a block of more than 64 MB
  mallopt(M_MMAP_THRESHOLD, kKeptBlockBytes);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, kGrowthBytes);
  at::set_num_threads(std::max(threads, 1));
  SetOpenBlasThreads(std::max(threads, 1));
}

void WarnIfBlasIsSlow() {
  static std::once_flag once;
  std::call_once(once, [] {
    if (HasTunedBlas()) return;  // on a busy machine even that would look slow
    const double speed = MeasureGigaflops();
    if (speed >= kSlowGigaflops) return;
    const std::string hint = "install libopenblas0-pthread: matrix products are many times faster with it";
    Log(LogLevel::kWarning, "slow-blas", {{"gigaflops", absl::StrCat(speed)}, {"hint", hint}});
  });
}

std::string LibTorchVersion() { return absl::StrCat("LibTorch ", TORCH_VERSION); }

}  // namespace tacit::model
