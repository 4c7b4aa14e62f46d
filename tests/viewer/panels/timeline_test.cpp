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
