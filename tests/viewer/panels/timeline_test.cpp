// What the timeline draws from: spans of time that can be divided by.
#include "viewer/panels/timeline.h"

#include "tests/support/catch.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("a step that has just begun has a length on the timeline", "[timeline]") {
  auto view = std::make_shared<StepView>();
  view->begin_us = 7;
  Snapshot snapshot;
  snapshot.recent.push_back(view);
  CHECK(make_timeline(snapshot).begin == 7);
  CHECK(make_timeline(snapshot).end > 7);
}

TEST_CASE("the last step fills the timeline where the program waited before it", "[timeline]") {
  Timeline timeline;
  for (const double begin : {0.0, 100.0, 210.0}) {
    auto view = std::make_shared<StepView>();
    view->begin_us = begin;
    timeline.steps.push_back(view);
  }
  timeline.end = 310;
  CHECK(first_seen(timeline) == 100);
  auto late = std::make_shared<StepView>();
  late->begin_us = 5000;
  timeline.steps.back() = late;
  timeline.end = 5100;
  CHECK(first_seen(timeline) == 5000);
  CHECK(first_seen(Timeline{}) == 0);
}

TEST_CASE("calls and scopes lie around the ops they hold", "[timeline]") {
  auto view = std::make_shared<StepView>();
  const auto add = [&](const char* op, const char* scope, double start, double us, Direction direction) {
    OpRow row;
    row.op = op;
    row.name = op;
    row.scope = scope;
    row.start_us = start;
    row.duration_us = us;
    row.direction = direction;
    view->ops.push_back(row);
  };
  add("MatMul", "dense/inner", 0, 5, Direction::forward);
  add("Relu", "dense", 6, 1, Direction::forward);
  add("PartitionedCall", "", 18, 1, Direction::forward);
  view->ops.back().inside_us = 10;
  add("Mean", "loss", 20, 1, Direction::forward);
  add("MatMul", "loss", 22, 4, Direction::backward);
  view->step_us = 30;
  Snapshot snapshot;
  snapshot.recent.push_back(view);
  const Timeline timeline = make_timeline(snapshot);
  REQUIRE(timeline.bands.size() == 2);
  const TimelineBand &functions = timeline.bands[0], &scopes = timeline.bands[1];
  REQUIRE(functions.spans.size() == 1);
  CHECK(band_label(timeline, functions, functions.spans[0]) == "PartitionedCall");
  CHECK(functions.spans[0].begin == 8);
  CHECK(functions.spans[0].end == 19);
  REQUIRE(scopes.spans.size() == 3);  // dense, loss forward, loss backward
  CHECK(band_label(timeline, scopes, scopes.spans[0]) == "dense");
  CHECK(scopes.spans[0].end == 7);
  CHECK(band_label(timeline, scopes, scopes.spans[2]) == "loss");
  CHECK(view->ops[scopes.spans[2].op].direction == Direction::backward);
}

TEST_CASE("scopes that follow each other at once are all shown, however their times are rounded",
          "[timeline]") {
  auto view = std::make_shared<StepView>();
  double start = 0;
  for (int i = 0; i < 100; ++i) {
    OpRow row;
    row.scope = i % 2 == 0 ? "dense" : "loss";
    row.start_us = 0.1 * i;  // 3 * 0.1 lies before 2 * 0.1 + 0.1
    row.duration_us = 0.1;
    start += row.duration_us;
    view->ops.push_back(row);
  }
  view->step_us = start;
  Snapshot snapshot;
  snapshot.recent.push_back(view);
  REQUIRE(make_timeline(snapshot).bands.size() == 1);
  CHECK(make_timeline(snapshot).bands[0].spans.size() == 100);
}
