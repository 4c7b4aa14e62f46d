// Blocks by size class.
//
// Small and medium blocks go through lists that each thread keeps without a lock; what overflows them,
// what an ending thread leaves, and every large block goes through one shared store under a mutex.
#include "engine/core/pool.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <mutex>

#include "engine/core/error.h"
#include "engine/core/per_thread.h"
#include "engine/core/size_classes.h"

#if defined(__SANITIZE_ADDRESS__)
#define TAPESCOPE_POOL_BYPASS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TAPESCOPE_POOL_BYPASS 1
#endif
#endif

namespace tapescope {
namespace {

#ifdef TAPESCOPE_POOL_BYPASS
constexpr bool kBypass = true;
#else
constexpr bool kBypass = false;
#endif

constexpr int kClasses = kSizeClasses;
constexpr std::size_t kSmall = 1024;                  // cut from slabs
constexpr std::size_t kSlab = 32 * 1024;              // 32 of the largest small blocks
constexpr std::size_t kLarge = std::size_t{1} << 20;  // from here a lock is lost in the time the op takes
constexpr std::int64_t kThreadCap = std::int64_t{64} << 20;  // bytes that one thread keeps
constexpr std::int64_t kSharedCap = std::int64_t{1} << 30;   // bytes that the shared store keeps
constexpr std::int64_t kFlush = 64 * 1024;  // error that a thread may leave in another's view of live bytes

constexpr std::uint8_t kSmallClass = size_class_of(kSmall);
constexpr std::uint8_t kLargeClass = size_class_of(kLarge);

struct FreeNode {
  FreeNode* next;
};

// Written by its thread alone and read by others: plain moves on every machine we know.
template <class T>
struct Counter {
  std::atomic<T> value{0};
  T get() const { return value.load(std::memory_order_relaxed); }
  void set(T next) { value.store(next, std::memory_order_relaxed); }
  void add(T more) { set(get() + more); }
};

struct ThreadCache {
  FreeNode* lists[kLargeClass] = {};
  Counter<std::uint64_t> acquired;
  // Change of live bytes since the last flush into g_live, and its largest value since then.
  Counter<std::int64_t> delta;
  Counter<std::int64_t> high;
  // Bytes in the lists plus delta: a block that moves between a list and the program changes delta alone.
  Counter<std::int64_t> held;

  std::int64_t cached_bytes() const { return held.get() - delta.get(); }
  ThreadCache* next = nullptr;

  ThreadCache();
  ~ThreadCache();
};
// Null while the thread ends.
using Caches = PerThread<ThreadCache>;

// Everything threads share. Constant-initialized and never destroyed.
struct Shared {
  std::mutex mutex;
  FreeNode* lists[kClasses] = {};
  std::atomic<std::uint32_t> counts[kClasses]{};  // read without the lock, to leave it alone when empty
  std::int64_t cached_bytes = 0;
  ThreadCache* threads = nullptr;
  std::uint64_t ended_acquired = 0;  // counters of threads that ended
};
constinit Shared g_shared;
constinit std::atomic<std::int64_t> g_live{0};
constinit std::atomic<std::int64_t> g_peak{0};
constinit std::atomic<std::uint64_t> g_system{0};

void raise_peak(std::int64_t live) {
  std::int64_t peak = g_peak.load(std::memory_order_relaxed);
  while (live > peak && !g_peak.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
  }
}

void flush(ThreadCache& cache) {
  const std::int64_t delta = cache.delta.get();
  const std::int64_t before = g_live.fetch_add(delta, std::memory_order_relaxed);
  raise_peak(before + cache.high.get());
  cache.held.add(-delta);
  cache.delta.set(0);
  cache.high.set(0);
}

void count_acquired(ThreadCache& cache, std::int64_t bytes) {
  const std::int64_t delta = cache.delta.get() + bytes;
  cache.delta.set(delta);
  if (delta <= cache.high.get()) return;
  cache.high.set(delta);
  if (delta > kFlush) [[unlikely]]
    flush(cache);
}

void count_released(ThreadCache& cache, std::int64_t bytes) {
  const std::int64_t delta = cache.delta.get() - bytes;
  cache.delta.set(delta);
  if (delta < -kFlush) [[unlikely]]
    flush(cache);
}

void push_shared(FreeNode* node, std::uint8_t size_class) {
  const std::int64_t bytes = static_cast<std::int64_t>(kClassBytes[size_class]);
  {
    std::lock_guard lock(g_shared.mutex);
    if (size_class <= kSmallClass || g_shared.cached_bytes + bytes <= kSharedCap) {
      node->next = g_shared.lists[size_class];
      g_shared.lists[size_class] = node;
      g_shared.counts[size_class].fetch_add(1, std::memory_order_relaxed);
      g_shared.cached_bytes += bytes;
      return;
    }
  }
  std::free(node);
}

void* pop_shared(std::uint8_t size_class) {
  if (g_shared.counts[size_class].load(std::memory_order_relaxed) == 0) return nullptr;
  std::lock_guard lock(g_shared.mutex);
  FreeNode* node = g_shared.lists[size_class];
  if (!node) return nullptr;
  g_shared.lists[size_class] = node->next;
  g_shared.counts[size_class].fetch_sub(1, std::memory_order_relaxed);
  g_shared.cached_bytes -= static_cast<std::int64_t>(kClassBytes[size_class]);
  return node;
}

void trim_shared() {
  std::lock_guard lock(g_shared.mutex);
  for (int i = kSmallClass + 1; i < kClasses; ++i) {
    while (FreeNode* node = g_shared.lists[i]) {
      g_shared.lists[i] = node->next;
      g_shared.cached_bytes -= static_cast<std::int64_t>(kClassBytes[i]);
      std::free(node);
    }
    g_shared.counts[i].store(0, std::memory_order_relaxed);
  }
}

void* from_system(std::size_t bytes) {
  void* memory = nullptr;
  if (posix_memalign(&memory, kBlockAlignment, bytes) != 0) {
    trim_shared();
    if (posix_memalign(&memory, kBlockAlignment, bytes) != 0) {
      fail(
          ErrorKind::surroundings, "memory",
          fmt::format("the system refused {} bytes; hint: smaller batches, or tapes that end sooner", bytes));
    }
  }
  g_system.fetch_add(1, std::memory_order_relaxed);
  return memory;
}

void unload(ThreadCache& cache) {
  for (int i = 0; i < kLargeClass; ++i) {
    while (FreeNode* node = cache.lists[i]) {
      cache.lists[i] = node->next;
      push_shared(node, static_cast<std::uint8_t>(i));
    }
  }
  cache.held.set(cache.delta.get());
}

ThreadCache::ThreadCache() {
  std::lock_guard lock(g_shared.mutex);
  next = g_shared.threads;
  g_shared.threads = this;
}

ThreadCache::~ThreadCache() {
  unload(*this);
  flush(*this);
  std::lock_guard lock(g_shared.mutex);
  g_shared.ended_acquired += acquired.get();
  for (ThreadCache** link = &g_shared.threads; *link; link = &(*link)->next) {
    if (*link == this) {
      *link = next;
      break;
    }
  }
}

// A block while the thread ends, when it has no lists.
void* acquire_without_cache(std::uint8_t size_class) {
  {
    std::lock_guard lock(g_shared.mutex);
    ++g_shared.ended_acquired;
  }
  const std::int64_t bytes = static_cast<std::int64_t>(kClassBytes[size_class]);
  raise_peak(g_live.fetch_add(bytes, std::memory_order_relaxed) + bytes);
  if (void* memory = pop_shared(size_class)) return memory;
  return from_system(kClassBytes[size_class]);
}

// Cuts a slab into blocks and returns the first; the others are listed from the front on, so that blocks
// handed out in a row lie in a row.
void* cut_slab(ThreadCache& cache, std::uint8_t size_class) {
  const std::size_t bytes = kClassBytes[size_class];
  char* slab = static_cast<char*>(from_system(kSlab));
  const std::size_t count = kSlab / bytes;
  for (std::size_t i = count - 1; i > 0; --i) {
    FreeNode* node = reinterpret_cast<FreeNode*>(slab + i * bytes);
    node->next = cache.lists[size_class];
    cache.lists[size_class] = node;
  }
  cache.held.add(static_cast<std::int64_t>((count - 1) * bytes));
  return slab;
}

// A block for a thread whose list is empty or not used; counts it.
[[gnu::noinline]] PoolBlock acquire_slowly(std::size_t bytes, std::uint8_t size_class) {
  if (bytes > kClassBytes[kClasses - 1])
    fail(ErrorKind::surroundings, "memory", fmt::format("{} bytes are more than any machine has", bytes));
  ThreadCache* cache = Caches::get();
  if (!cache) return {acquire_without_cache(size_class), size_class};
  const std::size_t block_bytes = kClassBytes[size_class];
  void* memory = nullptr;
  if (kBypass) {
    memory = from_system(std::max<std::size_t>(bytes, 1));
  } else if (!(memory = pop_shared(size_class))) {
    memory = size_class > kSmallClass ? from_system(block_bytes) : cut_slab(*cache, size_class);
  }
  cache->held.add(static_cast<std::int64_t>(block_bytes));
  cache->acquired.add(1);
  count_acquired(*cache, static_cast<std::int64_t>(block_bytes));
  return {memory, size_class};
}

// For large blocks, full lists and threads without lists.
[[gnu::noinline]] void release_slowly(PoolBlock block) {
  const std::int64_t bytes = static_cast<std::int64_t>(kClassBytes[block.size_class]);
  if (ThreadCache* cache = Caches::get()) {
    cache->held.add(-bytes);
    count_released(*cache, bytes);
  } else {
    g_live.fetch_sub(bytes, std::memory_order_relaxed);
  }
  if (kBypass) std::free(block.memory);
  else push_shared(static_cast<FreeNode*>(block.memory), block.size_class);
}

}  // namespace

PoolBlock pool_acquire(std::size_t bytes) {
  const std::uint8_t size_class = size_class_of(bytes);
  ThreadCache* const cache = Caches::known();
  if (kBypass || !cache || size_class >= kLargeClass) [[unlikely]]
    return acquire_slowly(bytes, size_class);
  FreeNode* const node = cache->lists[size_class];
  if (!node) [[unlikely]]
    return acquire_slowly(bytes, size_class);
  cache->lists[size_class] = node->next;
  cache->acquired.add(1);
  count_acquired(*cache, static_cast<std::int64_t>(kClassBytes[size_class]));
  return {node, size_class};
}

void pool_release(PoolBlock block) {
  ThreadCache* const cache = Caches::known();
  if (kBypass || !cache || block.size_class >= kLargeClass) [[unlikely]]
    return release_slowly(block);
  const std::int64_t bytes = static_cast<std::int64_t>(kClassBytes[block.size_class]);
  if (cache->cached_bytes() + bytes > kThreadCap) [[unlikely]]
    return release_slowly(block);
  FreeNode* node = static_cast<FreeNode*>(block.memory);
  node->next = cache->lists[block.size_class];
  cache->lists[block.size_class] = node;
  count_released(*cache, bytes);
}

std::size_t pool_class_bytes(std::uint8_t size_class) { return kClassBytes[size_class]; }

PoolStats pool_stats() {
  std::lock_guard lock(g_shared.mutex);
  PoolStats stats{g_system.load(std::memory_order_relaxed), g_shared.ended_acquired,
                  g_live.load(std::memory_order_relaxed), 0, g_shared.cached_bytes};
  std::int64_t reached = stats.live_bytes;
  for (const ThreadCache* cache = g_shared.threads; cache; cache = cache->next) {
    stats.acquired += cache->acquired.get();
    stats.cached_bytes += cache->cached_bytes();
    stats.live_bytes += cache->delta.get();
    reached += cache->high.get();
  }
  stats.peak_bytes = std::max({g_peak.load(std::memory_order_relaxed), reached, stats.live_bytes});
  return stats;
}

void pool_reset_peak() {
  std::lock_guard lock(g_shared.mutex);
  std::int64_t live = g_live.load(std::memory_order_relaxed);
  // Another thread that allocates at this moment may win the store; its peak is then the old one once.
  for (ThreadCache* cache = g_shared.threads; cache; cache = cache->next) {
    live += cache->delta.get();
    cache->high.set(cache->delta.get());
  }
  g_peak.store(live, std::memory_order_relaxed);
}

void pool_trim() {
  if (ThreadCache* cache = Caches::known()) unload(*cache);
  trim_shared();
}

bool pool_caches() { return !kBypass; }

}  // namespace tapescope
