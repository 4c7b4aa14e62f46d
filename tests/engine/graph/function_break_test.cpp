// The debugger stops where a function is traced again, and nowhere while one is traced.
#include "engine/debug/gate.h"

#include <vector>

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
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

TEST_CASE("a backward pass that is traced is no place to stop; a retrace is no backward pass") {
  const Variable v(constant(3.0));
  Function f("f", [&](const Tensor& x) {
    GradientTape tape;
    tape.enter();
    const Tensor y = reduce_sum(x * v);
    tape.exit();
    return tape.gradient(y, v);
  });
  CHECK(stops(Breakpoint::Kind::backward, [&] {
          f(ones({1}));
          f(ones({2}));
        }).empty());
}
