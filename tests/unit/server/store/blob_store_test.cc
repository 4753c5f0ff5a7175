#include "server/store/blob_store.h"

#include <gtest/gtest.h>

namespace tacit::coordinator {
namespace {

TEST(BlobStore, GivesBackWhatWasPutUnderItsDigest) {
  BlobStore store;
  const Digest digest = store.Put("some bytes");
  EXPECT_EQ(digest, Digest::Of("some bytes"));
  ASSERT_NE(store.Get(digest), nullptr);
  EXPECT_EQ(*store.Get(digest), "some bytes");
  EXPECT_EQ(store.Get(Digest::Of("others")), nullptr);
}

TEST(BlobStore, TheSameBlobTwiceIsOne) {
  BlobStore store;
  const Digest digest = store.Put("x");
  const BlobStore::Blob blob = store.Get(digest);
  EXPECT_EQ(store.Put("x"), digest);
  EXPECT_EQ(store.Get(digest), blob);
}

TEST(BlobStore, AFetchedBlobOutlivesItsRemoval) {
  BlobStore store;
  const Digest digest = store.Put("x");
  const BlobStore::Blob blob = store.Get(digest);
  store.Remove(digest);
  store.Remove(digest);
  EXPECT_EQ(store.Get(digest), nullptr);
  EXPECT_EQ(*blob, "x");
}

TEST(BlobStore, HoldsAnEmptyBlob) {
  BlobStore store;
  const Digest digest = store.Put("");
  ASSERT_NE(store.Get(digest), nullptr);
  EXPECT_EQ(*store.Get(digest), "");
}

}  // namespace
}  // namespace tacit::coordinator
