#pragma once

#include <cstddef>
#include <cstdint>

// Every limit on what may come over the network, in one place.
namespace tacit::wire {

inline constexpr uint32_t kProtocolMajor = 1;
inline constexpr uint32_t kProtocolMinor = 0;

inline constexpr int kMaxMessageBytes = 4 << 20;     // of one gRPC message
inline constexpr uint64_t kChunkBytes = 1 << 20;     // data in a blob chunk we send
inline constexpr uint64_t kMaxChunkBytes = 2 << 20;  // data in a blob chunk we accept
inline constexpr uint64_t kMaxBlobBytes = uint64_t{16} << 30;
inline constexpr size_t kMaxReasonBytes = 4096;   // longer reasons are cut
inline constexpr size_t kMaxSoftwareBytes = 128;  // longer descriptions of a client's software are cut
inline constexpr size_t kMaxAccountantBytes = 32;
inline constexpr size_t kMaxMetrics = 64;  // of one evaluation
inline constexpr int64_t kMaxRounds = 10'000'000;
inline constexpr int64_t kMaxStepsPerRound = 10'000'000;

}  // namespace tacit::wire
