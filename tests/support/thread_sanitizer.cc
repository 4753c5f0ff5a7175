// The distribution's abseil is built without ThreadSanitizer, so it would take everything that an absl::Mutex guards,
// in Tacit and in gRPC, for a race. These definitions stand before the library's own, tell ThreadSanitizer what is
// locked and unlocked, and call the library's. Only in builds with TACIT_SANITIZE=thread.
#include <dlfcn.h>
#include <sanitizer/tsan_interface.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/base/options.h"
#include "absl/synchronization/mutex.h"

// What libraries without ThreadSanitizer do to memory among themselves is not ours to judge.
extern "C" const char* __tsan_default_options() { return "ignore_noninstrumented_modules=1"; }

// Where gRPC itself orders two threads, by atomics that ThreadSanitizer doesn't see: the making, handing on and ending
// of a call's operations and of what belongs to one call alone. What calls share (the coordinator, the session
// registry, the blob store, a session's queue) has mutexes and is left out of this list on purpose.
extern "C" const char* __tsan_default_suppressions() {
  return "race:grpc::internal::Callback*Handler<*>::RunHandler\n"
         "race:grpc::internal::CallbackWithSuccessTag::Set\n"
         "race:grpc::internal::CallbackWithSuccessTag::~CallbackWithSuccessTag\n"
         "race:grpc::internal::CallOpSet<*>::FinalizeResult\n"
         "race:grpc::internal::CallOpSendMessage::\n"
         "race:grpc::internal::InterceptorBatchMethodsImpl::\n"
         "race:grpc::internal::ServerCallbackCall::Unref\n"
         "race:server/rpc/blob_service.cc\n"                 // reactors of one call, without a mutex
         "race:tacit::rpc::Session::~Session\n"              // after the call's last callback
         "race:tacit::rpc::ServerRuntime::State::~State\n";  // after Shutdown, which waits for all calls
}

extern "C" void AnnotateIgnoreReadsBegin(const char* file, int line);
extern "C" void AnnotateIgnoreReadsEnd(const char* file, int line);

namespace {

#define TACIT_TEXT_OF(x) #x
#define TACIT_TEXT(x) TACIT_TEXT_OF(x)
constexpr const char* kInlineNamespace = TACIT_TEXT(ABSL_OPTION_INLINE_NAMESPACE_NAME);

// Under the Itanium ABI a name is its length and itself.
template <typename Function>
Function Original(const char* member) {
  const std::string_view name(kInlineNamespace);
  const std::string symbol = "_ZN4absl" + std::to_string(name.size()) + std::string(name) + member;
  void* address = dlsym(RTLD_NEXT, symbol.c_str());
  if (address == nullptr) {
    std::fprintf(stderr, "abseil has no %s\n", symbol.c_str());
    std::abort();
  }
  return reinterpret_cast<Function>(address);
}

// Conditions of waiting threads are evaluated while the mutex changes hands: in order, but after what we have said.
class IgnoreReads {
 public:
  IgnoreReads() { AnnotateIgnoreReadsBegin(__FILE__, __LINE__); }
  ~IgnoreReads() { AnnotateIgnoreReadsEnd(__FILE__, __LINE__); }
};

// The mutex is released and held again within `wait`.
template <typename Wait>
auto Waiting(void* mutex, Wait wait) {
  __tsan_release(mutex);
  const auto result = [&] {
    const IgnoreReads ignore;
    return wait();
  }();
  __tsan_acquire(mutex);
  return result;
}

}  // namespace

namespace absl {
ABSL_NAMESPACE_BEGIN

void Mutex::Lock() {
  static const auto original = Original<void (*)(Mutex*)>("5Mutex4LockEv");
  original(this);
  __tsan_acquire(this);
}

bool Mutex::TryLock() {
  static const auto original = Original<bool (*)(Mutex*)>("5Mutex7TryLockEv");
  const bool locked = original(this);
  if (locked) __tsan_acquire(this);
  return locked;
}

void Mutex::Unlock() {
  static const auto original = Original<void (*)(Mutex*)>("5Mutex6UnlockEv");
  __tsan_release(this);
  const IgnoreReads ignore;
  original(this);
}

bool Mutex::AwaitWithTimeout(const Condition& condition, Duration timeout) {
  static const auto original = Original<bool (*)(Mutex*, const Condition*, Duration)>(
      "5Mutex16AwaitWithTimeoutERKNS0_9ConditionENS0_8DurationE");
  return Waiting(this, [&] { return original(this, &condition, timeout); });
}

void CondVar::Wait(Mutex* mutex) {
  static const auto original = Original<void (*)(CondVar*, Mutex*)>("7CondVar4WaitEPNS0_5MutexE");
  Waiting(mutex, [&] { return original(this, mutex), true; });
}

bool CondVar::WaitWithTimeout(Mutex* mutex, Duration timeout) {
  static const auto original =
      Original<bool (*)(CondVar*, Mutex*, Duration)>("7CondVar15WaitWithTimeoutEPNS0_5MutexENS0_8DurationE");
  return Waiting(mutex, [&] { return original(this, mutex, timeout); });
}

bool CondVar::WaitWithDeadline(Mutex* mutex, Time deadline) {
  static const auto original =
      Original<bool (*)(CondVar*, Mutex*, Time)>("7CondVar16WaitWithDeadlineEPNS0_5MutexENS0_4TimeE");
  return Waiting(mutex, [&] { return original(this, mutex, deadline); });
}

ABSL_NAMESPACE_END
}  // namespace absl
