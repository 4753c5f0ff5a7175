#pragma once

#include <memory>
#include <string>

#include "absl/base/thread_annotations.h"
#include "absl/container/flat_hash_map.h"
#include "absl/synchronization/mutex.h"
#include "core/digest.h"

namespace tacit::coordinator {

// The blobs that clients may fetch: the model artifact and current parameters. In memory. Thread-safe.
class BlobStore {
 public:
  using Blob = std::shared_ptr<const std::string>;

  Digest Put(std::string bytes);
  // Null when there is no such blob. A blob that was fetched outlives its removal.
  Blob Get(const Digest& digest) const;
  void Remove(const Digest& digest);

 private:
  mutable absl::Mutex mutex_;
  absl::flat_hash_map<Digest, Blob> blobs_ ABSL_GUARDED_BY(mutex_);
};

}  // namespace tacit::coordinator
