#pragma once

#include <string>

namespace tacit::model {

// Sets the process up for LibTorch; call it once, at the start of main, before other threads run.
// `threads` > 0 is how many threads one operator may use: 1 unless the machine has cores that nobody else wants.
//
// The allocator is told to keep large blocks: glibc otherwise maps every block above 32 MB afresh and unmaps it after
// use, and the page faults of fresh memory cost more than the computation.
void ConfigureRuntime(int threads);

// Times one matrix product and logs a warning, once a process, when the BLAS is Debian's slow default.
void WarnIfBlasIsSlow();

// "LibTorch 1.13.1".
std::string LibTorchVersion();

}  // namespace tacit::model
