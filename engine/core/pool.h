// The buffer pool: size classes with per-thread free lists, so that a steady-state step allocates nothing.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/core/public.h"

namespace tapescope TAPESCOPE_PUBLIC {

// Alignment of every block: a cache line, and enough for the widest vector loads.
inline constexpr std::size_t kBlockAlignment = 64;

struct PoolBlock {
  void* memory = nullptr;
  std::uint8_t size_class = 0;
};

// At least `bytes` bytes, aligned to 64. Throws Error (surroundings) when memory is exhausted.
PoolBlock pool_acquire(std::size_t bytes);
// May be called from another thread than the one that acquired it.
void pool_release(PoolBlock block);
// Bytes that a block of this class holds.
std::size_t pool_class_bytes(std::uint8_t size_class);

struct PoolStats {
  std::uint64_t system_allocations;  // blocks ever asked of the system, all threads
  std::uint64_t acquired;            // blocks ever handed out
  std::int64_t live_bytes;           // handed out and not yet returned
  std::int64_t peak_bytes;           // largest live_bytes since the last reset
  std::int64_t cached_bytes;         // returned and kept for reuse
};
PoolStats pool_stats();
// Starts a new measurement of peak_bytes at the present live_bytes.
void pool_reset_peak();
// Gives cached blocks back to the system: this thread's and those no thread holds. Small blocks, which are
// cut from slabs, stay.
void pool_trim();
// False under AddressSanitizer: then every block is asked of the system, so that uses after release are
// found.
bool pool_caches();

}  // namespace tapescope
