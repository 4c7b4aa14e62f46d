// ForwardAccumulator: directional derivatives, alone, nested, and around and within tapes.
#include "engine/tape/forward.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/debug/gate.h"
#include "engine/events/records/ops.h"
#include "engine/events/session.h"
#include "engine/ops/ops.h"
#include "engine/tape/hessian.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

using namespace tapescope;
using namespace tapescope::test;

TEST_CASE("an accumulator gives the derivative along its tangent", "[forward]") {
  const Tensor x = constant({1, 2, 3}, DType::f64), v = constant({1, 0, -1}, DType::f64);
  ForwardAccumulator accumulator(x, v);
  Tensor y, before = x * x;
  {
    auto recording = accumulator.record();
    y = x * x + reduce_sum(sin(x));
  }
  const double along = std::cos(1) - std::cos(3);
  check_close(accumulator.jvp(y), constant({2 + along, along, -6 + along}, DType::f64));
  check_close(accumulator.jvp(x), v);
  CHECK(!accumulator.jvp(before));
  CHECK(elements(accumulator.jvp(before, Unconnected::zero)) == std::vector<double>(3, 0.0));
}

TEST_CASE("a variable may be a primal, a number that is not floating has no tangent", "[forward]") {
  const Variable w(constant({2, 3}, DType::f64), {.name = "w"});
  const Tensor n = constant({1, 2}, DType::i32);
  const std::vector<Traced> primals{w, n};
  const std::vector<Tensor> tangents{constant({1, 1}, DType::f64), n};
  ForwardAccumulator accumulator(primals, tangents);
  Tensor y, m;
  {
    auto recording = accumulator.record();
    y = w * w * cast(n, DType::f64);
    m = n + 1;
  }
  CHECK(elements(accumulator.jvp(y)) == std::vector<double>{4, 12});
  CHECK(!accumulator.jvp(m));
}

TEST_CASE("mistakes with accumulators are named", "[forward]") {
  const Tensor x = numbers({2}, 1);
  const std::vector<Traced> twice{x, x};
  const std::vector<Tensor> tangents{x, x};
  CHECK_THROWS_WITH(ForwardAccumulator(twice, tangents), contains_text("is a primal already"));
  CHECK_THROWS_WITH(ForwardAccumulator(twice, std::span(tangents).first(1)),
                    contains_text("2 primals and 1 tangents"));
  CHECK_THROWS_WITH(ForwardAccumulator(x, Tensor()), contains_text("the tangent is None"));
  ForwardAccumulator accumulator(x, ones({3}, DType::f64));  // noticed when it is used, as in TensorFlow
  auto recording = accumulator.record();
  CHECK_THROWS_WITH(x * 2, contains_text("the tangent of input 0 of Mul is float64[3], expected float64[2]"));
  CHECK_THROWS_WITH(accumulator.enter(), contains_text("already"));
}

TEST_CASE("nested accumulators give derivatives of derivatives and do not mix up their tangents",
          "[forward]") {
  const Tensor x = constant(2.0, DType::f64), one = constant(1.0, DType::f64);
  ForwardAccumulator outer(x, one), inner(x, constant(3.0, DType::f64));
  Tensor y, dy;
  {
    auto outside = outer.record();
    {
      auto inside = inner.record();
      y = x * x * x;
    }
    dy = inner.jvp(y);
  }
  CHECK(element(outer.jvp(y), 0) == 12);
  CHECK(element(dy, 0) == 36);
  CHECK(element(outer.jvp(dy), 0) == 36);  // 3 * 6 x
  // d/dx (x d/dy (x + y)) is 1: the inner tangent of x is none.
  const Tensor z = constant(5.0, DType::f64);
  ForwardAccumulator a(x, one), b(z, one);
  Tensor mixed;
  {
    auto outside = a.record();
    Tensor sum;
    {
      auto inside = b.record();
      sum = x + z;
    }
    mixed = x * b.jvp(sum);
  }
  CHECK(element(a.jvp(mixed), 0) == 1);
}

TEST_CASE("stop_gradient stops tangents too", "[forward]") {
  const Tensor x = numbers({2}, 1);
  ForwardAccumulator accumulator(x, x);
  auto recording = accumulator.record();
  CHECK(!accumulator.jvp(stop_gradient(x) * 2));
  CHECK(!accumulator.jvp(floor(x)));
  CHECK(!accumulator.jvp(argmax(x, 0)));
}

TEST_CASE("a tape inside an accumulator gives Hessian-vector products", "[forward]") {
  const Tensor x = numbers({4}, 1), v = numbers({4}, 2), a = numbers({4, 4}, 3);
  const auto loss = [&] { return reduce_sum(exp(matvec(a, sin(x)))); };
  check_close(hessian_vector_product(loss, x, v), matvec(hessian(loss, x, HessianMethod::nested_tapes), v),
              1e-11);
}

TEST_CASE("a tape outside an accumulator differentiates the tangents", "[forward]") {
  const Tensor x = numbers({3}, 1), v = numbers({3}, 2);
  for (bool by_double_vjp : {false, true}) {
    GradientTape tape;
    Tensor moved;
    {
      auto recording = tape.record();
      tape.watch(x);
      ForwardAccumulator accumulator(x, v);
      auto forward = accumulator.record();
      moved = accumulator.jvp(by_double_vjp ? softmax(x) : tanh(x) * x);
    }
    const Tensor w = numbers({3}, 4);
    const Tensor got = tape.gradient(moved, x, {.output_gradients = {w}});
    // The same by tapes alone: the gradient of <J^T w, v>.
    GradientTape outer;
    Tensor product;
    {
      auto recording = outer.record();
      outer.watch(x);
      GradientTape inner;
      Tensor y;
      {
        auto inside = inner.record();
        inner.watch(x);
        y = by_double_vjp ? softmax(x) : tanh(x) * x;
      }
      product = reduce_sum(inner.gradient(y, x, {.output_gradients = {w}}) * v);
    }
    check_close(got, outer.gradient(product, x));
  }
}

TEST_CASE("a tape inside an accumulator records no tangent", "[forward]") {
  const Tensor x = numbers({3}, 1);
  ForwardAccumulator accumulator(x, x);
  auto forward = accumulator.record();
  GradientTape tape;
  auto recording = tape.record();
  tape.watch(x);
  const Tensor y = softmax(tanh(x));
  CHECK(tape.counts().recorded == 2);
  CHECK(accumulator.jvp(y));
}

TEST_CASE(
    "the ops that push a tangent come after their op, in records, on an outer tape and at the debugger's "
    "gate",
    "[forward]") {
  const Variable w(constant({1, 2}, DType::f64), {.name = "w"});
  const auto program = [&] {
    GradientTape tape;
    auto outside = tape.record();
    ForwardAccumulator accumulator(w, constant({1, 0}, DType::f64));
    auto recording = accumulator.record();
    exp(w.value());
  };
  std::vector<std::string> recorded, stopped;
  std::vector<TensorId> ids;
  Session session;
  session.start();
  program();
  session.stop();
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) {
      if (!record.is<OpRecord>()) continue;
      const auto op = record.as<OpRecord>();
      recorded.emplace_back(op_name_text(op.name));
      ids.push_back(op.output);
    }
  });
  CHECK(recorded == std::vector<std::string>{"ReadVariableOp", "Exp", "Mul"});
  CHECK(std::is_sorted(ids.begin(), ids.end()));

  DebugGate gate;
  gate.bind();
  gate.begin_step(0);
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    stopped.emplace_back(op_name_text(frame.op));
    return DebugGate::Move{.target = frame.cursor + 1};
  });
  program();
  gate.unbind();
  CHECK(stopped == recorded);
}

TEST_CASE("tangents of tensors that can not be used any more are given back", "[forward]") {
  Tensor x = numbers({1000}, 1);
  ForwardAccumulator accumulator(x, x);
  auto recording = accumulator.record();
  const Tensor early = x * 1;
  const Tensor tangent = accumulator.jvp(early);
  Tensor step = x;
  for (int i = 0; i < 2000; ++i) step = step * 1;
  CHECK(accumulator.jvp(step));
  CHECK(accumulator.tangents() < 600);
  check_close(accumulator.jvp(early), tangent);
}
