// The flame graph's boxes: every op's time stands in each box above it.
#include "viewer/panels/flame.h"

#include "tests/support/catch.h"
#include "tests/support/made_up_step.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("boxes stand on what they are part of and miss no time") {
  const auto view = test::made_up_net().view;
  const auto boxes = make_flame(*view);
  REQUIRE_FALSE(boxes.empty());
  double total = 0, ops = 0, self = 0;
  std::uint32_t calls = 0;
  for (const OpRow& op : view->ops) ops += op.duration_us;
  for (const FlameBox& box : boxes) {
    self += box.self;
    if (box.depth == 0) total += box.us, calls += box.calls;
    if (box.parent == kNoOp) continue;
    const FlameBox& above = boxes[box.parent];
    CHECK(box.depth == above.depth + 1);
    CHECK(box.start >= above.start - 1e-9);
    CHECK(box.start + box.us <= above.start + above.us + 1e-9);
    CHECK(box.direction == above.direction);
  }
  CHECK(total == Approx(ops));
  CHECK(self == Approx(ops));
  CHECK(calls == view->ops.size());
}
