// How an op's times are spread: percentiles, every time in a bin, the slowest by its place.
#include <algorithm>
#include <numeric>

#include "tests/support/catch.h"
#include "viewer/model/statistics.h"

using namespace tapescope;

TEST_CASE("times are spread over bins, and one far out does not hide the rest", "[model]") {
  std::vector<float> times;
  for (int i = 0; i < 63; ++i) times.push_back(100 + static_cast<float>(i % 21));
  times.insert(times.begin() + 40, 90000);
  const TimeSpread spread = spread_of(times);
  CHECK(spread.slowest == 40);
  CHECK(spread.median == Approx(110).margin(1));
  CHECK(spread.p10 < spread.median);
  CHECK(spread.p90 > spread.median);
  CHECK(std::accumulate(spread.bins.begin(), spread.bins.end(), 0u) == times.size());
  CHECK(spread.bins.back() == 1);
  CHECK(std::ranges::count_if(spread.bins, [](std::uint32_t count) { return count > 0; }) > 10);
}

TEST_CASE("equal times share a bin, and none have none", "[model]") {
  const std::vector<float> equal(8, 3.0f);
  CHECK(spread_of(equal).bins.front() == 8);
  CHECK(spread_of({}).bins.empty());
}
