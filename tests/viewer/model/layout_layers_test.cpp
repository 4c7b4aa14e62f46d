// Rows of the layered graph: how long its wires are.
#include "tests/support/catch.h"
#include "tests/support/layout_tape.h"
#include "viewer/model/layout.h"

using namespace tapescope::layout;

TEST_CASE("what feeds more than it reads stands right above its first reader", "[layout]") {
  Tape tape;
  const uint32_t x = tape.add(2, {}), other = tape.add(2, {});
  const uint32_t sum = tape.add(3, {x, other});  // reads two ops, feeds one
  const uint32_t mask = tape.add(4, {});
  uint32_t y = x;
  for (int i = 0; i < 5; ++i) y = tape.add(5, {y});
  const uint32_t first = tape.add(6, {y, mask});
  const uint32_t last = tape.add(6, {first, mask});
  const uint32_t end = tape.add(6, {last, sum});
  const Layout layout = compute(tape.graph, {});
  const auto row = [&](uint32_t op) { return layout.boxes[layout.box_of(op)].row; };
  CHECK(row(x) == 0);
  CHECK(row(first) == 6);
  CHECK(row(mask) == 5);
  CHECK(row(sum) == 1);
  CHECK(row(end) == 8);
}
