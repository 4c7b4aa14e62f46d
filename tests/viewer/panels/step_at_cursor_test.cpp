// What panels draw where the program stands inside of a call that was stepped into.
#include "viewer/panels/step_at_cursor.h"

#include "engine/events/records/functions.h"
#include "tests/support/catch.h"
#include "tests/viewer/store/record_writer.h"
#include "viewer/store/step_data.h"

using namespace tapescope;

TEST_CASE("at an op of a call that was stepped into, that call is drawn", "[store]") {
  test::RecordWriter w;
  w.begin_step(0);
  const TensorId x = w.op("Tanh", {w.create({2})}, {2});
  w.records.push_back(ExpansionRecord{.name = intern_name("forecast"), .ticks = w.ticks, .site = w.site(5)});
  const TensorId squared = w.inner("Square", {x}, 700);
  const TensorId held = w.inner("While", {squared}, 700, InnerOpRecord::kHolds);
  w.inner("Sqrt", {held}, 300, 0, 22);
  StepData data;
  data.begin = 1'000'000;
  data.segments.of(1) = w.take();
  data.home = 1;
  Snapshot snapshot;
  snapshot.current = make_step_view(data);
  RunStatus status;
  status.mode = RunMode::paused;
  auto frame = std::make_shared<FrameView>();
  frame->frame.inner = 2;
  frame->frame.output = held;
  frame->frame.site = w.site(20);
  status.frame = frame;
  const ui::StepPosition cursor{.position = 1, .count = 1, .live = true};
  const ui::StepAtCursor at = ui::step_at_cursor(&snapshot, cursor, status);
  CHECK(at.expanded);
  CHECK(name_text(at.function) == "forecast");
  CHECK(at.position == 2);
  CHECK(at.view->ops.size() == 3);
  CHECK(at.inside == w.site(20));
  frame->frame.output = x;
  CHECK_FALSE(ui::step_at_cursor(&snapshot, cursor, status).expanded);
}

TEST_CASE("at a call that was stepped into no further, it says why", "[store]") {
  test::RecordWriter w;
  w.begin_step(0);
  const TensorId x = w.op("Tanh", {w.create({2})}, {2});
  const NameId why = intern_name("EagerPyFunc cannot be run a second time");
  w.records.push_back(ExpansionRecord{.name = intern_name("forecast"), .ticks = w.ticks, .site = w.site(5)});
  w.records.push_back(ExpansionEndRecord{.why = why, .ticks = w.ticks});
  const TensorId called = w.op("PartitionedCall", {x}, {2});
  const TensorId after = w.op("Sin", {called}, {2});
  StepData data;
  data.begin = 1'000'000;
  data.segments.of(1) = w.take();
  data.home = 1;
  Snapshot snapshot;
  snapshot.current = make_step_view(data);
  RunStatus status;
  status.mode = RunMode::paused;
  auto frame = std::make_shared<FrameView>();
  status.frame = frame;
  const ui::StepPosition cursor{.position = 2, .count = 2, .live = true};
  for (const auto& [output, wanted] : {std::pair{x, NameId{}}, {called, why}, {after, NameId{}}}) {
    frame->frame.output = output;
    const ui::StepAtCursor at = ui::step_at_cursor(&snapshot, cursor, status);
    CHECK(at.why == wanted);
    CHECK(name_text(at.function) == (wanted == why ? "forecast" : ""));
  }
}
