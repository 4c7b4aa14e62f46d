// A run in columns holds every step, and hides neither a slow one nor an alert.
#include "viewer/model/run_overview.h"

#include <algorithm>
#include <cmath>

#include "tests/support/catch.h"

using namespace tapescope;

namespace {

Snapshot run_of(std::size_t steps) {
  Snapshot snapshot;
  MetricSeries loss{.name = "loss", .points = {}, .nonfinite = {}};
  for (std::uint64_t i = 0; i < steps; ++i) {
    StepSummary step;
    step.step = i;
    step.step_us = i == 0 ? 5000 : i == 700 ? 90 : 10;
    snapshot.steps.push_back(step);
    loss.points.push_back({i, i == 900 ? NAN : 1.0 / static_cast<double>(i + 1)});
  }
  snapshot.metrics.push_back(std::move(loss));
  AlertRow alert;
  alert.step = 333;
  snapshot.alerts.push_back(alert);
  return snapshot;
}

}  // namespace

TEST_CASE("columns hold every step once, and what stands out in it", "[model]") {
  const Snapshot snapshot = run_of(1000);
  const RunOverview all = overview_of(snapshot, 64);
  REQUIRE(all.columns.size() == 64);
  std::size_t next = 0;
  for (const OverviewColumn& column : all.columns) {
    CHECK(column.first == next);
    CHECK(column.last >= column.first);
    next = column.last + 1;
  }
  CHECK(next == 1000);
  const auto holding = [&](std::size_t step) {
    return *std::ranges::find_if(all.columns, [&](const auto& column) { return column.last >= step; });
  };
  CHECK(holding(700).step_us == 90);
  CHECK(holding(900).nonfinite);
  CHECK(holding(333).alert);
  CHECK(std::ranges::count_if(all.columns, [](const auto& column) { return column.alert; }) == 1);
  // The first step begins cold and sets no scale.
  CHECK(all.most_us == 90);
  CHECK(all.median_us == 10);
  CHECK(all.loss_high == 1);
}

TEST_CASE("a short run has a column for each step, and one without steps none", "[model]") {
  CHECK(overview_of(run_of(3), 64).columns.size() == 3);
  CHECK(overview_of(Snapshot{}, 64).columns.empty());
  const RunOverview one = overview_of(run_of(1), 64);
  REQUIRE(one.columns.size() == 1);
  CHECK(one.most_us == 5000);
}

TEST_CASE("the step at a number is the nearest that is known", "[model]") {
  const Snapshot snapshot = run_of(10);
  CHECK(index_of_step(snapshot, 4) == 4);
  CHECK(index_of_step(snapshot, 99) == 9);
}
