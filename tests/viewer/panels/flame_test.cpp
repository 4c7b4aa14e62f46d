// The flame graph's boxes: every op's time stands in each box above it.
#include "viewer/panels/flame.h"

#include "tests/support/catch.h"
#include "tests/support/made_up_step.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("boxes stand on what they are part of and miss no time") {
  const auto view = test::made_up_net().view;
  const auto boxes = make_flame(*view, op_medians(*view, {}));
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

TEST_CASE("a scope without an op of its level has no time of itself, not even a rounded one") {
  StepView view;
  for (int i = 0; i < 100; ++i) {
    OpRow row;
    row.op = i % 2 == 0 ? "Mul" : "Add";
    row.scope = "net/layer";
    row.duration_us = 0.1 + 0.01 * i;
    view.ops.push_back(row);
  }
  for (const FlameBox& box : make_flame(view, op_medians(view, {}))) {
    INFO(box.label);
    CHECK((box.leaf ? box.self == box.us : box.self == 0));
  }
}

TEST_CASE("an op is as wide as its median, not as the last step's accident") {
  const auto step = [](std::uint64_t number, double us) {
    auto view = std::make_shared<StepView>();
    view->step = number;
    for (const auto& [op, time] : {std::pair{"MatMul", us}, {"Relu", 4.0}}) {
      OpRow row;
      row.op = op;
      row.duration_us = time;
      view->ops.push_back(row);
    }
    return view;
  };
  const auto last = step(3, 9000);
  const std::vector<std::shared_ptr<const StepView>> steps{step(1, 10), step(2, 12), last};
  double matmul = 0;
  for (const FlameBox& box : make_flame(*last, op_medians(*last, steps))) {
    if (box.leaf && box.label == "MatMul") matmul = box.us;
  }
  CHECK(matmul == 12);
}
