// What a program's lines cost.
#include "viewer/model/line_costs.h"

#include "tests/support/catch.h"
#include "tests/support/made_up_step.h"

using namespace tapescope;

TEST_CASE("lines cost what their ops cost, in both directions", "[source]") {
  const auto view = test::made_up_net().view;
  const auto costs = line_costs(*view, op_medians(*view, {}), "net.cpp");
  REQUIRE(costs.size() == 1);
  const LineCost& cost = costs.at(41);
  double forward = 0, backward = 0;
  for (const OpRow& op : view->ops)
    (op.direction == Direction::backward ? backward : forward) += op.duration_us;
  CHECK(cost.forward_us == Approx(forward));
  CHECK(cost.backward_us == Approx(backward));
  CHECK(cost.ops.size() == view->ops.size());
  CHECK(view->ops[cost.ops[0]].op == "MatMul");
  CHECK(view->ops[cost.ops[0]].duration_us == 68);
  CHECK(line_costs(*view, op_medians(*view, {}), "other.cpp").empty());
}
