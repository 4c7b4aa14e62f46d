// The pool's accounts of one thread, block by block.
#include <thread>
#include <vector>

#include "engine/core/pool.h"
#include "engine/core/size_classes.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

constexpr std::size_t kSizes[] = {
    0,    1,    63,    64,    65,      256,        257,           1023,    1024,
    1025, 4096, 50000, 65536, 1 << 19, 1000 << 10, (1 << 20) - 1, 1 << 20, (1 << 20) + 1};

}  // namespace

TEST_CASE("each block that is taken and given back is in the accounts, at once and exactly", "[pool]") {
  if (!pool_caches()) return;
  pool_trim();
  pool_reset_peak();
  const PoolStats begin = pool_stats();
  CHECK(begin.peak_bytes == begin.live_bytes);
  std::int64_t live = begin.live_bytes, peak = live;
  std::uint64_t acquired = begin.acquired;
  std::vector<PoolBlock> blocks;
  for (int round = 0; round < 3; ++round) {
    for (const std::size_t size : kSizes) {
      INFO(size);
      const PoolStats before = pool_stats();
      blocks.push_back(pool_acquire(size));
      const PoolStats now = pool_stats();
      const auto bytes = static_cast<std::int64_t>(pool_class_bytes(blocks.back().size_class));
      CHECK(bytes >= static_cast<std::int64_t>(size));
      live += bytes;
      peak = std::max(peak, live);
      CHECK(now.live_bytes == live);
      CHECK(now.peak_bytes == peak);
      CHECK(now.acquired == ++acquired);
      // From what is kept, or as much more from the system.
      if (now.system_allocations == before.system_allocations)
        CHECK(now.cached_bytes == before.cached_bytes - bytes);
      else
        CHECK((bytes > 1024 ? now.cached_bytes == before.cached_bytes
                            : now.cached_bytes == before.cached_bytes + 32 * 1024 / bytes * bytes - bytes));
    }
    while (blocks.size() > static_cast<std::size_t>(round)) {
      const PoolStats before = pool_stats();
      const auto bytes = static_cast<std::int64_t>(pool_class_bytes(blocks.back().size_class));
      pool_release(blocks.back());
      blocks.pop_back();
      live -= bytes;
      const PoolStats now = pool_stats();
      CHECK(now.live_bytes == live);
      CHECK(now.peak_bytes == peak);
      CHECK(now.cached_bytes == before.cached_bytes + bytes);
      CHECK(now.system_allocations == before.system_allocations);
    }
  }
  pool_reset_peak();
  CHECK(pool_stats().peak_bytes == live);
  for (const PoolBlock block : blocks) pool_release(block);
  CHECK(pool_stats().peak_bytes == live);
  CHECK(pool_stats().live_bytes == begin.live_bytes);
  // Blocks of slabs stay, all others go back.
  pool_trim();
  const PoolStats end = pool_stats();
  CHECK(end.live_bytes == begin.live_bytes);
  CHECK(end.cached_bytes >= begin.cached_bytes);
  CHECK(end.cached_bytes < begin.cached_bytes + 10 * 32 * 1024);
  const PoolBlock again = pool_acquire(50000);
  CHECK(pool_stats().system_allocations == end.system_allocations + 1);
  pool_release(again);
}

TEST_CASE("a thread's accounts stay when it ends", "[pool][threads]") {
  const PoolStats begin = pool_stats();
  PoolBlock block;
  std::int64_t bytes = 0;
  std::thread([&] {
    for (int i = 0; i < 100; ++i) pool_release(pool_acquire(5000));
    block = pool_acquire(3 << 20);
    bytes = static_cast<std::int64_t>(pool_class_bytes(block.size_class));
  }).join();
  CHECK(pool_stats().acquired >= begin.acquired + 101);
  CHECK(pool_stats().live_bytes == begin.live_bytes + bytes);
  CHECK(pool_stats().peak_bytes >= begin.live_bytes + bytes);
  pool_release(block);
  CHECK(pool_stats().live_bytes == begin.live_bytes);
}
