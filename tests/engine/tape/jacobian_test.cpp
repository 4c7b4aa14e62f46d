// Jacobians by rows together, by rows one at a time and by columns; their shapes, Nones and errors.
#include <cmath>
#include <limits>

#include "engine/debug/gate.h"
#include "engine/events/records/ops.h"
#include "engine/events/session.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/hessian.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

// A small network, two layers of different kinds.
struct Network {
  Tensor x = numbers({2, 4}, 1), w1 = numbers({4, 5}, 2), w2 = numbers({5, 3}, 3), b = numbers({3}, 4);
  Tensor operator()() const { return softmax(matmul(tanh(matmul(x, w1)), w2) + b); }
};

Tensor jacobian_of(const std::function<Tensor()>& f, const Tensor& x, const JacobianOptions& options = {}) {
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = f();
  }
  return tape.jacobian(y, x, options);
}

// Asks for the gradient of each element apart.
Tensor by_gradients(const std::function<Tensor()>& f, const Tensor& x) {
  std::vector<Tensor> rows;
  GradientTape tape({.persistent = true});
  Tensor y;
  std::vector<Tensor> parts;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = f();
    parts = unstack(reshape(y, {y.numel()}), 0);
  }
  for (const Tensor& part : parts) rows.push_back(tape.gradient(part, x));
  Shape shape = y.shape();
  for (std::int64_t size : x.shape().dims()) shape.push_back(size);
  return reshape(stack(rows, 0), shape);
}

}  // namespace

TEST_CASE("a Jacobian's rows are the gradients of the target's elements", "[jacobian]") {
  const Network f;
  for (const Tensor& source : {f.x, f.w1, f.w2, f.b}) {
    const Tensor expected = by_gradients(f, source);
    check_close(jacobian_of(f, source), expected);
    check_close(jacobian_of(f, source, {.vectorized = false}), expected);
    check_close(jacobian_of(f, source, {.chunk = 4}), expected);
    check_close(forward_jacobian(f, source), expected);
    check_close(forward_jacobian(f, source, 3), expected);
  }
}

TEST_CASE("the identity's rows pass a last layer without a product and come out right", "[jacobian]") {
  const Tensor x = numbers({1, 3}, 1), w = numbers({3, 5}, 2), b = numbers({5}, 3);
  for (const Tensor& matrix : {w, transpose(w)}) {
    const auto f = [&] { return reshape(matmul(sin(x), matrix, false, matrix.dim(0) == 5) + b, {-1}); };
    for (const JacobianOptions& options : {JacobianOptions{}, JacobianOptions{.chunk = 2}}) {
      check_close(jacobian_of(f, x, options), by_gradients(f, x));
      check_close(jacobian_of(f, matrix, options), by_gradients(f, matrix));
    }
  }
  // A column beside a matrix: its transpose is the row.
  const Tensor column = numbers({3, 1}, 4);
  const auto g = [&] { return matmul(column * column, w, true); };
  check_close(jacobian_of(g, column), by_gradients(g, column));
}

namespace {

// Products among the records that a Jacobian leaves.
int products_of(const std::function<void()>& work) {
  Session session;
  session.start();
  work();
  int count = 0;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) {
      if (record.is<OpRecord>())
        count += op_name_text(record.as<OpRecord>().name).find("MatMul") != std::string_view::npos;
    }
  });
  session.stop();
  return count;
}

bool same(double a, double b) { return std::isnan(a) ? std::isnan(b) : a == Approx(b).epsilon(1e-12); }

}  // namespace

TEST_CASE("a layer of elementwise functions keeps the rows a diagonal, and saves the product behind it",
          "[jacobian]") {
  const Tensor column = numbers({4, 1}, 1), row = numbers({1, 4}, 2), w1 = numbers({5, 4}, 3),
               w2 = numbers({3, 5}, 4), scale = numbers({3, 1}, 5);
  const auto of_column = [&] { return -tanh(matmul(w2, sigmoid(matmul(w1, column)))) * scale; };
  const auto of_row = [&] {
    return reshape(square(tanh(matmul(sigmoid(matmul(row, w1, false, true)), transpose(w2)))), {3});
  };
  for (const JacobianOptions& options : {JacobianOptions{}, JacobianOptions{.chunk = 2}}) {
    check_close(jacobian_of(of_column, column, options), by_gradients(of_column, column));
    check_close(jacobian_of(of_row, row, options), by_gradients(of_row, row));
    check_close(jacobian_of(of_column, w1, options), by_gradients(of_column, w1));
  }
  check_close(forward_jacobian(of_column, column), by_gradients(of_column, column));
  // Two forward, and of the two backward ones the second alone.
  CHECK(products_of([&] { jacobian_of(of_column, column); }) == 3);
  CHECK(products_of([&] { jacobian_of(of_row, row); }) == 3);
}

TEST_CASE("what is infinite makes zeros beside a diagonal NaN, as row by row", "[jacobian]") {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor x = numbers({1, 2}, 1);
  const auto in_matrix = [&] { return matmul(x, constant({{1, inf}, {2, 3}}, DType::f64)); };
  const auto in_factor = [&] {
    return matmul(x, constant({{1, 4}, {2, 3}}, DType::f64)) * constant({{1, inf}}, DType::f64);
  };
  for (const auto& f : {std::function<Tensor()>(in_matrix), std::function<Tensor()>(in_factor)}) {
    const Tensor together = jacobian_of(f, x), apart = jacobian_of(f, x, {.vectorized = false});
    Function traced("traced", [&](const Tensor&) { return jacobian_of(f, x); });
    const Tensor in_graph = traced(x);
    for (std::int64_t i = 0; i < 4; ++i) {
      CHECK(same(element(together, i), element(apart, i)));
      CHECK(same(element(in_graph, i), element(apart, i)));
    }
    CHECK(std::isnan(element(apart, 0)));
  }
}

TEST_CASE("several sources are answered in one call", "[jacobian]") {
  const Network f;
  GradientTape tape;
  Tensor y;
  const Tensor other = numbers({2}, 9);
  {
    auto recording = tape.record();
    tape.watch({f.w1, f.b, other});
    y = f();
  }
  const std::vector<Tensor> j = tape.jacobian(y, {f.w1, f.b, other});
  check_close(j[0], by_gradients(f, f.w1));
  check_close(j[1], by_gradients(f, f.b));
  CHECK(!j[2]);
  CHECK_THROWS_WITH(tape.jacobian(y, f.b), contains_text("[jacobian]") && contains_text("used up"));
}

TEST_CASE("unconnected Jacobians are None, or zeros when asked for", "[jacobian]") {
  const Tensor x = numbers({2}, 1), z = numbers({3}, 2);
  CHECK(!jacobian_of([&] { return z * 2; }, x));
  const Tensor zero = jacobian_of([&] { return z * 2; }, x, {.unconnected = Unconnected::zero});
  CHECK(zero.shape() == Shape{3, 2});
  CHECK(elements(zero) == std::vector<double>(6, 0.0));
  CHECK(!forward_jacobian([&] { return z * 2; }, x));
}

TEST_CASE("a Jacobian of a variable has the variable's shape behind", "[jacobian]") {
  const Variable w(numbers({2, 2}, 5), {.name = "w"});
  const Tensor x = numbers({3, 2}, 6);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = matmul(x, w);
  }
  const Tensor j = tape.jacobian(y, w);
  CHECK(j.shape() == Shape{3, 2, 2, 2});
  check_close(j, forward_jacobian([&] { return matmul(x, w); }, w));
}

TEST_CASE("targets and sources without elements have empty Jacobians", "[jacobian]") {
  const Tensor x = numbers({0, 2}, 1);
  const Tensor j = jacobian_of([&] { return reduce_sum(x, {0}); }, x);
  CHECK(j.shape() == Shape{2, 0, 2});
  const Tensor y = jacobian_of([&] { return x * 2; }, x);
  CHECK(y.shape() == Shape{0, 2, 0, 2});
}

TEST_CASE("a chunk, a loop and a used-up tape are refused as TensorFlow does", "[jacobian]") {
  const Tensor x = numbers({3}, 1);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = x * x;
  }
  const auto kind_of = [&](const JacobianOptions& options) {
    try {
      tape.jacobian(y, x, options);
    } catch (const Error& error) {
      return error.kind();
    }
    return ErrorKind::internal;
  };
  CHECK(kind_of({.chunk = 1}) == ErrorKind::value);
  CHECK(kind_of({.chunk = 2}) == ErrorKind::value);
  CHECK(kind_of({.vectorized = false}) == ErrorKind::runtime);
  check_close(tape.jacobian(y, x), matrix_diag(2 * x));  // refused questions do not use the tape up
  CHECK(kind_of({}) == ErrorKind::runtime);
}

TEST_CASE("a result of more dimensions than there can be is refused", "[jacobian]") {
  const Tensor x = ones({1, 1, 1, 1, 1}, DType::f64);
  CHECK_THROWS_WITH(jacobian_of([&] { return x * 2; }, x), contains_text("10 dimensions"));
}

TEST_CASE("batch_jacobian keeps to each row's own block", "[jacobian]") {
  const Network f;
  for (const JacobianOptions& options :
       {JacobianOptions{}, JacobianOptions{.vectorized = false}, JacobianOptions{.chunk = 2}}) {
    GradientTape tape({.persistent = true});
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(f.x);
      y = f();
    }
    const Tensor blocks = tape.batch_jacobian(y, f.x, options);
    const Tensor whole = tape.jacobian(y, f.x);
    REQUIRE(blocks.shape() == Shape{2, 3, 4});
    for (int b = 0; b < 2; ++b)
      check_close(at(blocks, b), reshape(slice(whole, {b, 0, b, 0}, {1, 3, 1, 4}), {3, 4}));
  }
}

TEST_CASE("batch_jacobian sums over rows that are coupled, as TensorFlow's does", "[jacobian]") {
  GradientTape tape;
  const Tensor x = constant({{1}, {2}}, DType::f64);
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = x * reduce_sum(x);
  }
  CHECK(elements(tape.batch_jacobian(y, x)) == std::vector<double>{6, 6});
}

TEST_CASE("batch_jacobian refuses what has no rows in common, and gives zeros for what is not connected",
          "[jacobian]") {
  GradientTape tape({.persistent = true});
  const Tensor x = numbers({2, 3}, 1), z = numbers({2, 3}, 2);
  Tensor y, vector;
  {
    auto recording = tape.record();
    tape.watch({x, z});
    y = x * x;
    vector = reduce_sum(x, {1});
  }
  CHECK_THROWS_WITH(tape.batch_jacobian(vector, x), contains_text("at least two dimensions"));
  CHECK_THROWS_WITH(tape.batch_jacobian(transpose(y), x), contains_text("of the same size"));
  CHECK(elements(tape.batch_jacobian(y, z)) == std::vector<double>(18, 0.0));
}

TEST_CASE("an outer tape differentiates a Jacobian", "[jacobian]") {
  const Tensor x = constant({2, 3}, DType::f64);
  const auto sum_of_jacobian = [&](bool vectorized) {
    GradientTape outer;
    Tensor total;
    {
      auto outside = outer.record();
      outer.watch(x);
      total =
          reduce_sum(jacobian_of([&] { return x * x * x * reduce_sum(x); }, x, {.vectorized = vectorized}));
    }
    return outer.gradient(total, x);
  };
  // y_i = x_i^3 s: the sum of J is 3 x0^2 s + 3 x1^2 s + 2 (x0^3 + x1^3), s = x0 + x1.
  const Tensor expected = constant({6 * 2 * 5 + 3 * 13 + 6 * 4.0, 6 * 3 * 5 + 3 * 13 + 6 * 9.0}, DType::f64);
  check_close(sum_of_jacobian(true), expected);
  check_close(sum_of_jacobian(false), expected);
}

TEST_CASE("a Jacobian inside the tape's own block works", "[jacobian]") {
  for (bool persistent : {false, true}) {
    GradientTape tape({.persistent = persistent});
    auto recording = tape.record();
    const Tensor x = numbers({3}, 1);
    tape.watch(x);
    const Tensor y = x * x;
    check_close(tape.jacobian(y, x), matrix_diag(2 * x));
  }
}

TEST_CASE("an op without a batching rule is looped over in a Jacobian and leaves one record", "[jacobian]") {
  static OpDef row = *find_op("Neg");
  row.batch = BatchRule::loop;
  row.vjp = [](VjpContext& c) {
    TensorImpl* inputs[] = {c.grad().impl()};
    c.set(0, apply(row, inputs, c.attrs(), Location::current()));
  };
  Session session;
  session.start();
  const Tensor x = numbers({4}, 1);
  const Tensor j = jacobian_of([&] { return apply(row, Arg(x)); }, x, {.chunk = 2});
  std::size_t fallbacks = 0;
  session.drain([&](std::uint32_t, std::span<const Record> records) {
    for (const Record& record : records) fallbacks += record.is<BatchFallbackRecord>();
  });
  CHECK(fallbacks == 1);
  check_close(j, matrix_diag(-ones({4}, DType::f64)));
}

TEST_CASE("what a batched backward pass shows to the debugger is one row", "[jacobian]") {
  DebugGate gate;
  gate.bind();
  std::vector<Shape> seen;
  gate.on_park([&](StopReason, const Frame& frame, const Breakpoint*) {
    for (const FrameTensor& tensor : frame.cotangents_in) {
      if (tensor.value) seen.push_back(tensor.value.shape());
    }
    return DebugGate::Move{DebugGate::Move::Kind::go_on, gate.cursor() + 1};
  });
  gate.begin_step(1);
  const Tensor x = numbers({3}, 1);
  const Tensor j = jacobian_of([&] { return sin(x) * x; }, x);
  gate.unbind();
  REQUIRE(!seen.empty());
  for (const Shape& shape : seen) CHECK(shape == Shape{3});
  check_close(j, matrix_diag(cos(x) * x + sin(x)));
}
