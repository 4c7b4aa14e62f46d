// The layout of what is deep or long.
#include "tests/support/catch.h"
#include "tests/support/layout_tape.h"
#include "viewer/model/layout.h"

using namespace tapescope::layout;

TEST_CASE("deep scopes and long tapes use no stack", "[layout]") {
  Tape tape;
  uint32_t scope = kNone;
  for (int i = 0; i < 200'000; ++i) scope = tape.scope(scope, 5);
  uint32_t x = tape.add(2, {}, scope);
  for (int i = 0; i < 50'000; ++i) x = tape.add(3, {x}, scope);
  Options options;
  options.collapsed = default_collapsed(tape.graph, 300);
  CHECK(compute(tape.graph, options).cells == 1);
  CHECK(measure(compute(tape.graph, {})).overlaps == 0);
}
