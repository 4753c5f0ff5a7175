#include "server/store/blob_store.h"

#include <utility>

namespace tacit::coordinator {

Digest BlobStore::Put(std::string bytes) {
  const Digest digest = Digest::Of(bytes);
  auto blob = std::make_shared<const std::string>(std::move(bytes));
  absl::MutexLock lock(&mutex_);
  blobs_.try_emplace(digest, std::move(blob));
  return digest;
}

BlobStore::Blob BlobStore::Get(const Digest& digest) const {
  absl::MutexLock lock(&mutex_);
  const auto found = blobs_.find(digest);
  return found == blobs_.end() ? nullptr : found->second;
}

void BlobStore::Remove(const Digest& digest) {
  absl::MutexLock lock(&mutex_);
  blobs_.erase(digest);
}

}  // namespace tacit::coordinator
