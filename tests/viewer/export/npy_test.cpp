// Arrays of steps: one record a step, with each metric's value of that very step.
#include <cmath>
#include <cstring>

#include "tests/support/catch.h"
#include "viewer/export/files.h"

using namespace tapescope;

TEST_CASE("a metric is NaN in the steps that did not report it", "[npy]") {
  Snapshot snapshot;
  for (const std::uint64_t step : {2, 3, 5, 8}) snapshot.steps.push_back({.step = step, .step_us = 1.5});
  MetricSeries& loss = snapshot.metrics.emplace_back();
  loss.name = "loss";
  for (const std::uint64_t step : {1, 3, 4, 5}) loss.points.push_back({step, 10.0 * double(step)});
  loss.points.push_back({8, 80});
  loss.points.truncate(4);  // that step was undone, and ran again without a report
  const std::string file = steps_npy(snapshot);
  constexpr std::size_t kFields = 6;  // step, four times, loss
  REQUIRE(file.size() % 64 == 4 * kFields * 8 % 64);
  const std::string rows = file.substr(file.size() - 4 * kFields * 8);
  const auto number = [&](std::size_t row, std::size_t field, auto as) {
    std::memcpy(&as, rows.data() + (row * kFields + field) * 8, 8);
    return as;
  };
  CHECK(number(0, 0, std::uint64_t{}) == 2);
  CHECK(number(3, 0, std::uint64_t{}) == 8);
  CHECK(number(2, 1, double{}) == 1.5);
  CHECK(std::isnan(number(0, 5, double{})));
  CHECK(number(1, 5, double{}) == 30);
  CHECK(number(2, 5, double{}) == 50);
  CHECK(std::isnan(number(3, 5, double{})));
}
