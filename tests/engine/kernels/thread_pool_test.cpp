// The pool covers a range exactly once, alone or called from several threads.
#include "engine/kernels/thread_pool.h"

#include <atomic>
#include <thread>
#include <vector>

#include "tests/support/catch.h"

namespace kernels = tapescope::kernels;

TEST_CASE("every index is visited once, whatever the number of threads") {
  for (int threads : {1, 2, 4}) {
    kernels::set_threads(threads);
    CHECK(kernels::threads() == threads);
    for (std::int64_t n : {0, 1, 7, 1000, 4097}) {
      std::vector<std::atomic<int>> visits(static_cast<std::size_t>(n));
      kernels::parallel_for(n, 16, 32, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
      });
      for (const auto& count : visits) REQUIRE(count == 1);
    }
  }
  kernels::set_threads(1);
}

TEST_CASE("jobs from several threads, and jobs within jobs, all end") {
  kernels::set_threads(3);
  std::atomic<std::int64_t> sum = 0;
  std::vector<std::thread> callers;
  for (int t = 0; t < 3; ++t) {
    callers.emplace_back([&] {
      for (int round = 0; round < 200; ++round) {
        kernels::parallel_for(64, 4, 8, [&](std::int64_t begin, std::int64_t end) {
          kernels::parallel_for(end - begin, 1, 1, [&](std::int64_t b, std::int64_t e) { sum += e - b; });
        });
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
  kernels::set_threads(1);
  CHECK(sum == 3 * 200 * 64);
}
