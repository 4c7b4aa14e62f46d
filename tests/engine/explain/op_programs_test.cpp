// Small programs whose way to the source is cut on the way; where one line moves, the reason follows.
#include "tests/engine/explain/ask_why.h"

using namespace tapescope;

TEST_CASE("stop_gradient on the only way, and on one of two", "[explain]") {
  Variable x = variable("x"), y = variable("y", 4.0);
  GradientTape tape({.persistent = true});
  Tensor g;
  {
    auto recording = tape.record();
    g = x * stop_gradient(x * y);
  }
  CHECK(why(tape, g, y) == "stop_gradient");
  CHECK(why(tape, g, x) == "none");
}

TEST_CASE("stop_gradient of a variable", "[explain]") {
  Variable x = variable("x");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = square(stop_gradient(x));
  }
  CHECK(why(tape, y, x) == "stop_gradient");
}

TEST_CASE("beside a way that is stopped on purpose an op without a gradient is what breaks", "[explain]") {
  Variable z(constant({0.4, 2.6}), {.name = "z"});
  Variable table(constant({1.0, 3.0}), {.name = "table"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = reduce_sum(square(stop_gradient(z) - table)) + cast(argmax(z), DType::f32);
  }
  CHECK(why(tape, y, z) == "not_differentiable");
}

TEST_CASE("rounding, comparing and picking an index have no gradient", "[explain]") {
  for (const int op : {0, 1, 2, 3}) {
    Variable w(constant({0.4, 2.6}), {.name = "w"});
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      if (op == 0) y = square(round(w));
      if (op == 1) y = cast(greater(w, 1.0), DType::f32);
      if (op == 2) y = cast(argmax(w), DType::f32);
      if (op == 3) y = square(w);
    }
    CHECK(why(tape, y, w) == (op == 3 ? "none" : "not_differentiable"));
  }
}

TEST_CASE("the positions of top_k", "[explain]") {
  Variable w(constant({0.4, 2.6, 1.0}), {.name = "w"});
  GradientTape tape({.persistent = true});
  Tensor values, places;
  {
    auto recording = tape.record();
    auto best = top_k(w, 2);
    values = reduce_sum(best.first);
    places = reduce_sum(cast(best.second, DType::f32));
  }
  CHECK(why(tape, values, w) == "none");
  CHECK(why(tape, places, w) == "not_differentiable");
}

TEST_CASE("the order of polygamma has no gradient, its argument has", "[explain]") {
  Variable order = variable("order", 1.0), x = variable("x", 2.0);
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    y = polygamma(order, x);
  }
  CHECK(why(tape, y, order) == "argument_not_differentiable");
  CHECK(why(tape, y, x) == "none");
}

TEST_CASE("integers: the source, a cast on the way", "[explain]") {
  Variable n(constant(10, DType::i32), {.name = "n"}), w = variable("w", 3.7);
  GradientTape tape({.persistent = true});
  Tensor y, z;
  {
    auto recording = tape.record();
    y = n * n;
    z = square(cast(cast(w, DType::i32), DType::f32));
  }
  CHECK(why(tape, y, n) == "integer_dtype");
  CHECK(why(tape, z, w) == "integer_cast");
  CHECK(why(tape, cast(n, DType::f32), n) == "integer_dtype");
}

TEST_CASE("an integer constant that was watched", "[explain]") {
  Tensor n = constant(10, DType::i32).named("n");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(n);
    y = cast(n, DType::f32) * 2.0;
  }
  CHECK(why(tape, y, n) == "integer_dtype");
}

TEST_CASE("values through the host, as a tensor and as a number", "[explain]") {
  for (const int kind : {0, 1, 2}) {
    Variable w = variable("w"), b = variable("b");
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      const Tensor h = square(w);
      if (kind == 0) y = exp(constant(host_values(h), Shape{}));
      if (kind == 1) y = b * item(h);
      if (kind == 2) y = b * h;
    }
    CHECK(why(tape, y, w) == (kind == 2 ? "none" : "host_round_trip"));
  }
}

TEST_CASE("through an assignment, and with the tensor itself", "[explain]") {
  for (const int kind : {0, 1, 2}) {
    Variable w = variable("w"), state = variable("state");
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      const Tensor h = square(w);
      if (kind == 0) state.assign(h);
      if (kind == 1) state.assign_add(h);
      y = exp(kind == 2 ? h : state.value());
    }
    CHECK(why(tape, y, w) == (kind == 2 ? "none" : "state_update"));
  }
}

TEST_CASE("an assignment that a later one replaced is no way", "[explain]") {
  Variable w = variable("w"), state = variable("state");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    state.assign(square(w));
    state.assign(constant(1.0));
    y = square(state);
  }
  CHECK(why(tape, y, w) == "independent");
}

TEST_CASE("a variable made from a tensor", "[explain]") {
  Variable w = variable("w");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    const Variable copy(square(w), {.name = "copy"});
    y = exp(copy);
  }
  CHECK(why(tape, y, w) == "state_update");
}

TEST_CASE("a snapshot of a variable that was assigned since", "[explain]") {
  for (const bool assigned : {true, false}) {
    Variable w = variable("w");
    const Tensor snapshot = w.value();
    if (assigned) w.assign(constant(5.0));
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      y = square(snapshot);
    }
    CHECK(why(tape, y, w) == (assigned ? "overwritten" : "outside_tape_before"));
  }
}

TEST_CASE("a variable replaced by a tensor of its name", "[explain]") {
  Variable w = variable("w");
  const Tensor replaced = (w + 1.0).named("w");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = square(replaced);
  }
  CHECK(why(tape, y, replaced) == "overwritten");
}

TEST_CASE("the result of variable arithmetic is a plain tensor", "[explain]") {
  Variable w = variable("w");
  const Tensor shifted = (w + 1.0).named("shifted");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = square(shifted);
  }
  CHECK(why(tape, y, shifted) == "not_watched");
}

TEST_CASE("a copy, a slice and another read of what was used", "[explain]") {
  Tensor x = constant({1.0, 2.0, 3.0}).named("x");
  Variable w = variable("w");
  GradientTape tape({.persistent = true});
  Tensor y, z, copy, part, read;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = reduce_sum(square(x));
    z = square(w);
    copy = identity(x);
    part = slice(x, {0}, {1});
    read = w.value();
  }
  CHECK(why(tape, y, copy) == "recreated_tensor");
  CHECK(why(tape, y, part) == "recreated_tensor");
  CHECK(why(tape, z, read) == "recreated_tensor");
  CHECK(why(tape, y, x) == "none");
}

TEST_CASE("a first gradient inside and outside of the outer block", "[explain]") {
  for (const bool inside : {true, false}) {
    Variable x = variable("x", 1.0);
    GradientTape outer, inner;
    Tensor y, dy;
    {
      auto recording = outer.record();
      {
        auto recording_inner = inner.record();
        y = x * x * x;
      }
      if (inside) dy = inner.gradient(y, x);
    }
    if (!inside) dy = inner.gradient(y, x);
    CHECK(why(outer, dy, x) == (inside ? "none" : "inner_gradient_outside_outer_tape"));
  }
}

TEST_CASE("the second derivative of a linear function does not exist", "[explain]") {
  Variable x = variable("x");
  GradientTape outer, inner;
  Tensor dy;
  {
    auto recording = outer.record();
    Tensor y;
    {
      auto recording_inner = inner.record();
      y = x * 2.0;
    }
    dy = inner.gradient(y, x);
  }
  CHECK(why(outer, dy, x) == "independent");
}

TEST_CASE("never used, used elsewhere, used", "[explain]") {
  Variable w = variable("w"), elsewhere = variable("elsewhere"), never = variable("never");
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    y = square(w);
    exp(elsewhere);
  }
  CHECK(why(tape, y, w) == "none");
  CHECK(why(tape, y, elsewhere) == "independent");
  CHECK(why(tape, y, never) == "unused");
}

TEST_CASE("what is printed and never comes back is no way", "[explain]") {
  Variable w = variable("w"), b = variable("b");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = square(b) + 1.0;
    item(square(w));
  }
  CHECK(why(tape, y, w) == "independent");
}

TEST_CASE("of two breaks the one nearer the source counts", "[explain]") {
  Variable w = variable("w", 2.6);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = exp(stop_gradient(square(round(w))));
  }
  CHECK(why(tape, y, w) == "not_differentiable");
  Tensor x = constant(2.0).named("x");
  GradientTape second;
  const Tensor h = square(x);
  {
    auto recording = second.record();
    y = exp(h);
  }
  CHECK(why(second, y, x) == "not_watched");
}

TEST_CASE("the edge is the line of the break, the path begins at the target", "[explain]") {
  Variable w = variable("w");
  GradientTape tape;
  Tensor y;
  unsigned line = 0;
  {
    auto recording = tape.record();
    const Tensor h = square(w);
    line = __LINE__ + 1;
    const Tensor cut = round(h).named("cut");
    y = exp(cut);
  }
  tape.gradient(y, w);
  const Explanation e = tape.explain(y, w);
  CHECK(e.location == "op_programs_test.cpp:" + std::to_string(line));
  CHECK(e.edge.op == "Round");
  CHECK(e.edge.name == "cut");
  REQUIRE(e.path.size() == 2);
  CHECK(e.path[0].op == "Exp");
  CHECK(e.path[1].op == "Round");
  CHECK(e.message.find("variable 'w'") != std::string::npos);
}

TEST_CASE("of what ran after the block the op is named that the tape's part goes on to", "[explain]") {
  Variable w = variable("w", 1.0);
  GradientTape tape;
  Tensor misfit;
  {
    auto recording = tape.record();
    misfit = exp(w);
  }
  const Tensor total = misfit + square(w);
  const Explanation found = tape.explain(total, w);
  CHECK(name_of(found.reason) == "outside_tape_after");
  CHECK(found.edge.op == "AddV2");
}

TEST_CASE("of uses that only another tape saw the first is named", "[explain]") {
  const Tensor x = constant(0.3).named("x");
  GradientTape one, two;
  Tensor y;
  {
    auto first = one.record();
    auto second = two.record();
    one.watch(x);
    const Tensor used = square(x);
    y = exp(x) * sqrt(used);
  }
  const Explanation found = two.explain(y, x);
  CHECK(name_of(found.reason) == "other_tape");
  CHECK(found.edge.op == "Square");
}

TEST_CASE("a constant that another name took the place of after the trace is likely what was captured",
          "[explain]") {
  Tensor held = constant(2.0).named("north");
  const Function doubled("doubled", [&](const Tensor& x) { return x * held; });
  doubled(constant(1.0));
  held = constant(3.0).named("south");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(held);
    y = doubled(constant(1.0));
  }
  const Explanation found = tape.explain(y, held);
  CHECK(name_of(found.reason) == "traced_constant");
  CHECK(found.message.find("south") != std::string::npos);
}

TEST_CASE("elements that are read and come back as numbers are a round trip", "[explain]") {
  Variable w(constant({0.2, 1.1}), {.name = "w"});
  const Tensor x = constant(3.0);
  GradientTape tape;
  Tensor y = constant(0.0);
  {
    auto recording = tape.record();
    const Tensor weights = w.value();
    for (std::int64_t i = 0; i < 2; ++i) y = y * x + element(weights, i);
  }
  CHECK(name_of(tape.explain(y, w).reason) == "host_round_trip");
  CHECK_THROWS_AS(element(x, 1), Error);
  CHECK_THROWS_AS(element(x, -1), Error);
}
