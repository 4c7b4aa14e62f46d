// The debugger stops where a function is traced again, and nowhere while one is traced.
#include "engine/debug/gate.h"

#include <algorithm>
#include <string>
#include <vector>

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "engine/tape/variable.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// Runs the program with one breakpoint; how often it stopped, and why.
std::vector<StopReason> stops(Breakpoint::Kind kind, const auto& program) {
  DebugGate gate;
  gate.bind();
  gate.begin_step(DebugGate::kNever);
  gate.breakpoints().set({Breakpoint{.kind = kind}});
  std::vector<StopReason> reasons;
  gate.on_park([&](StopReason reason, const Frame&, const Breakpoint*) {
    reasons.push_back(reason);
    return DebugGate::Move{};
  });
  program();
  gate.unbind();
  return reasons;
}

}  // namespace

TEST_CASE("break retrace stops at each later trace") {
  Function f("f", [](const Tensor& x) { return x * 2.0; });
  const auto program = [&] {
    for (const int size : {1, 2, 2, 3, 1}) f(ones({size}));
  };
  CHECK(stops(Breakpoint::Kind::retrace, program) ==
        std::vector<StopReason>{StopReason::breakpoint, StopReason::breakpoint});
  CHECK(stops(Breakpoint::Kind::retrace, program).empty());
}

TEST_CASE("a backward pass in a function is a place to stop where it runs, not where it is traced") {
  const Variable v(constant(3.0));
  Function f("f", [&](const Tensor& x) {
    GradientTape tape;
    tape.enter();
    const Tensor y = reduce_sum(x * v);
    tape.exit();
    return tape.gradient(y, v);
  });
  CHECK(stops(Breakpoint::Kind::backward, [&] {
          f.get_concrete_function({TensorSpec({1}, DType::f32)});
        }).empty());
  CHECK(stops(Breakpoint::Kind::backward, [&] {
          f(ones({1}));
          f(ones({2}));
        }) == std::vector<StopReason>{StopReason::backward_begin, StopReason::backward_begin});
}

TEST_CASE("the nodes of a function that holds its tape are places of the step") {
  const Variable v(constant({3.0, 4.0}), {.name = "v"});
  Function train("train", [&](const Tensor& x) {
    GradientTape tape;
    tape.enter();
    const Tensor y = reduce_sum(square(x * v));
    tape.exit();
    v.assign_sub(0.1 * tape.gradient(y, v));
    return y;
  });
  Function predict("predict", [&](const Tensor& x) { return square(x * v); });
  DebugGate gate;
  gate.bind();
  std::vector<std::string> met;
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    met.push_back(std::string(op_name_text(frame.op)) + (frame.backward ? "'" : ""));
    CHECK(frame.cursor == met.size());
    CHECK(frame.inner == 0);
    CHECK_FALSE(frame.outputs.empty());
    return DebugGate::Move{DebugGate::Move::Kind::go_on, TapePlace(frame.cursor + 1)};
  });
  gate.begin_step(TapePlace(1));
  train(ones({2}));
  const std::size_t nodes = met.size();
  CHECK(gate.cursor() == nodes);
  CHECK(std::ranges::count_if(met, [](const std::string& op) { return op.ends_with("'"); }) > 0);
  CHECK(met.front() == "ReadVariableOp");
  predict(ones({2}));  // asks for nothing and no tape watches
  CHECK(met.size() == nodes);
  gate.unbind();
}
