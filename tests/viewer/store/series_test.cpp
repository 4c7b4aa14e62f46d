// A series grows while its copies stay as they were.
#include "viewer/store/series.h"

#include "tests/support/catch.h"

using tapescope::Series;

TEST_CASE("a series holds what was pushed", "[series]") {
  Series<int> series;
  for (int i = 0; i < 2000; ++i) series.push_back(i);
  REQUIRE(series.size() == 2000);
  for (int i = 0; i < 2000; ++i) REQUIRE(series[static_cast<std::size_t>(i)] == i);
  CHECK(series.back() == 1999);
}

TEST_CASE("a copy does not see later changes", "[series]") {
  Series<int> series;
  for (int i = 0; i < 1500; ++i) series.push_back(i);
  const Series<int> copy = series;
  series.set(3, -1);
  series.set(1499, -1);
  series.push_back(7);
  CHECK(copy.size() == 1500);
  CHECK(copy[3] == 3);
  CHECK(copy[1499] == 1499);
  CHECK(series[3] == -1);
}

TEST_CASE("a series can be cut at any length", "[series]") {
  for (std::size_t keep : {std::size_t{0}, std::size_t{1}, std::size_t{511}, std::size_t{512},
                           std::size_t{513}, std::size_t{1024}, std::size_t{1300}, std::size_t{9999}}) {
    Series<int> series;
    for (int i = 0; i < 1300; ++i) series.push_back(i);
    series.truncate(keep);
    REQUIRE(series.size() == std::min<std::size_t>(keep, 1300));
    series.push_back(-5);
    CHECK(series.back() == -5);
    if (keep > 0)
      CHECK(series[std::min<std::size_t>(keep, 1300) - 1] ==
            static_cast<int>(std::min<std::size_t>(keep, 1300)) - 1);
  }
}

TEST_CASE("a bounded series keeps its beginning and its end, and counts what left", "[series]") {
  Series<int> series;
  for (int i = 0; i < 10'000; ++i) {
    series.push_back(i);
    series.bound(2048);
    REQUIRE(series.size() <= 2048);
    REQUIRE(series.count() == static_cast<std::uint64_t>(i) + 1);
  }
  CHECK(series.size() > 1024);
  const auto left = static_cast<int>(series.left());
  for (int i = 0; i < 512; ++i) REQUIRE(series[static_cast<std::size_t>(i)] == i);
  for (int i = 512; i < static_cast<int>(series.size()); ++i)
    REQUIRE(series[static_cast<std::size_t>(i)] == i + left);
  series.truncate(600);
  CHECK(series.left() == static_cast<std::uint64_t>(left));
  series.truncate(512);
  CHECK(series.count() == 512);
  series.bound(3);
  CHECK(series.size() == 512);
}

TEST_CASE("two series know how far they are the same", "[series]") {
  Series<int> one, other;
  CHECK(one.common(other) == 0);
  for (int i = 0; i < 1300; ++i) one.push_back(i);
  CHECK(one.common(other) == 0);
  CHECK(other.common(one) == 0);
  for (const int count : {1, 511, 512, 513, 1024, 1299, 1300}) {
    other = one;
    other.truncate(static_cast<std::size_t>(count));
    CHECK(one.common(other) == static_cast<std::size_t>(count));
    CHECK(other.common(one) == static_cast<std::size_t>(count));
    other = one;
    other.set(static_cast<std::size_t>(count - 1), -1);
    CHECK(one.common(other) == static_cast<std::size_t>(count - 1));
  }
}
