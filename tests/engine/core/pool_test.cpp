// The pool hands blocks out again, counts what it does, and survives releases from other threads.
#include "engine/core/pool.h"

#include <cstring>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("a block holds what was asked, is aligned, and wastes at most a quarter above 256 bytes") {
  for (std::size_t bytes :
       {0, 1, 64, 65, 256, 257, 1000, 1024, 1025, 4096, 5000, 1 << 20, (1 << 20) + 1, 3 << 20}) {
    const PoolBlock block = pool_acquire(bytes);
    CHECK(reinterpret_cast<std::uintptr_t>(block.memory) % kBlockAlignment == 0);
    CHECK(pool_class_bytes(block.size_class) >= bytes);
    if (bytes > 256) CHECK(pool_class_bytes(block.size_class) <= bytes + bytes / 4);
    std::memset(block.memory, 1, bytes);
    pool_release(block);
  }
}

TEST_CASE("a steady state asks nothing of the system") {
  if (!pool_caches()) return;
  const auto step = [] {
    std::vector<PoolBlock> blocks;
    for (std::size_t bytes : {64, 128, 1000, 5000, 100000, 3 << 20, 64, 5000})
      blocks.push_back(pool_acquire(bytes));
    for (const PoolBlock& block : blocks) pool_release(block);
  };
  step();
  const PoolStats before = pool_stats();
  for (int i = 0; i < 100; ++i) step();
  const PoolStats after = pool_stats();
  CHECK(after.system_allocations == before.system_allocations);
  CHECK(after.acquired == before.acquired + 800);
  CHECK(after.live_bytes == before.live_bytes);
}

TEST_CASE("peak bytes follow what one thread holds at once") {
  const std::int64_t start = pool_stats().live_bytes;
  pool_reset_peak();
  CHECK(pool_stats().peak_bytes == start);
  const PoolBlock small = pool_acquire(64);
  const PoolBlock large = pool_acquire(8 << 20);
  const std::int64_t held = 64 + static_cast<std::int64_t>(pool_class_bytes(large.size_class));
  CHECK(pool_stats().live_bytes == start + held);
  pool_release(large);
  const PoolBlock other = pool_acquire(128);
  CHECK(pool_stats().peak_bytes == start + held);
  pool_release(small);
  pool_release(other);
  CHECK(pool_stats().live_bytes == start);
  pool_reset_peak();
  CHECK(pool_stats().peak_bytes == start);
}

TEST_CASE("trim gives large blocks back") {
  if (!pool_caches()) return;
  pool_release(pool_acquire(8 << 20));
  pool_release(pool_acquire(100000));
  const std::int64_t before = pool_stats().cached_bytes;
  CHECK(before >= (8 << 20) + 100000);
  pool_trim();
  CHECK(pool_stats().cached_bytes <= before - (8 << 20) - 100000);
}

TEST_CASE("what is kept is bounded") {
  if (!pool_caches()) return;
  pool_trim();
  std::vector<PoolBlock> blocks;
  for (int i = 0; i < 40; ++i)
    blocks.push_back(pool_acquire(64 << 20));  // never touched, hence no real memory
  for (const PoolBlock& block : blocks) pool_release(block);
  CHECK(pool_stats().cached_bytes <= (std::int64_t{1} << 30) + (64 << 20));
  pool_trim();
}

TEST_CASE("a thread's blocks outlive it and are reused", "[threads]") {
  std::vector<PoolBlock> blocks;
  const std::int64_t live = pool_stats().live_bytes;
  std::thread([&] {
    for (int i = 0; i < 1000; ++i) blocks.push_back(pool_acquire(2000));
    for (int i = 0; i < 500; ++i) {
      pool_release(blocks.back());
      blocks.pop_back();
    }
  }).join();
  for (const PoolBlock& block : blocks) std::memset(block.memory, 7, 2000);
  for (const PoolBlock& block : blocks) pool_release(block);
  CHECK(pool_stats().live_bytes == live);
  if (!pool_caches()) return;
  const std::uint64_t before = pool_stats().system_allocations;
  std::thread([&] {
    std::vector<PoolBlock> again;
    for (int i = 0; i < 500; ++i) again.push_back(pool_acquire(2000));
    for (const PoolBlock& block : again) pool_release(block);
  }).join();
  CHECK(pool_stats().system_allocations == before);
}

TEST_CASE("threads that acquire and release together keep their contents apart", "[threads]") {
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      std::vector<PoolBlock> held;
      for (int i = 0; i < 5000; ++i) {
        const std::size_t bytes = static_cast<std::size_t>(64 + (i * 37) % 3000);
        const PoolBlock block = pool_acquire(bytes);
        std::memset(block.memory, t + 1, bytes);
        held.push_back(block);
        if (held.size() > 20) {
          const PoolBlock& first = held.front();
          if (static_cast<const char*>(first.memory)[0] != t + 1) ++wrong;
          pool_release(first);
          held.erase(held.begin());
        }
      }
      for (const PoolBlock& block : held) pool_release(block);
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(wrong == 0);
}
