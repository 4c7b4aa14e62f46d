// The check by differences agrees with sound gradients, finds a wrong one, and leaves no trace.
#include "engine/tape/check_op.h"

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// The frames of a small step, one for each node.
std::vector<Frame> frames() {
  const Variable w(constant(std::vector<double>{1, -2, 3, -4, 5, 6}, Shape{2, 3}), {.name = "w"});
  const Tensor x = constant(std::vector<double>{1, 2, 3, 4}, Shape{2, 2});
  DebugGate gate;
  std::vector<Frame> seen;
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    seen.push_back(frame);
    return DebugGate::Move{DebugGate::Move::Kind::go_on, frame.cursor + 1};
  });
  gate.bind();
  gate.begin_step(1);
  GradientTape tape;
  Tensor loss;
  {
    auto recording = tape.record();
    loss = reduce_mean(square(tanh(matmul(x, w) * 0.1)), {0});
  }
  tape.gradient(loss, w);
  gate.unbind();
  return seen;
}

}  // namespace

TEST_CASE("each op of a step agrees with its differences", "[check_op]") {
  int checked = 0, products = 0;
  for (const Frame& frame : frames()) {
    const OpCheck check = check_op(frame);
    const std::string op(op_name_text(frame.op));
    INFO(op << (frame.backward ? " backward: " : " forward: ") << check.why_not);
    if (op == "ReadVariableOp") {
      CHECK_FALSE(check.why_not.empty());
      continue;
    }
    if (!check.why_not.empty()) {
      CHECK(frame.backward);  // going forward every input is there
      continue;
    }
    ++checked;
    products += op == "MatMul";
    CHECK(check.exact);
    CHECK(check.compared > 0);
    CHECK(check.largest < 1e-5);
  }
  CHECK(checked >= 7);
  CHECK(products == 2);
}

TEST_CASE("a gradient that is wrong in one element is found there", "[check_op]") {
  for (Frame frame : frames()) {
    if (!frame.backward || op_name_text(frame.op) != "MatMul") continue;
    Tensor& gradient = frame.cotangents_out[1].value;
    const double right = element(gradient, 4);
    Tensor wrong = make_from_bytes(gradient.dtype(), gradient.shape(), gradient.raw());
    set_element(wrong.impl(), 4, right + 0.5);
    gradient = wrong;
    const OpCheck check = check_op(frame);
    CHECK(check.input == 1);
    CHECK(check.element == 4);
    CHECK(check.largest > 0.1);
    CHECK(check.numeric == Approx(right).epsilon(1e-4));
    return;
  }
  FAIL("no MatMul was walked");
}
