// Functions and tapes: inside, outside, twice; the values are those of eager code.
#include <cmath>
#include <limits>
#include <vector>

#include "engine/graph/function.h"
#include "engine/nn/layers.h"
#include "engine/nn/losses.h"
#include "engine/ops/ops.h"
#include "engine/ops/slices.h"
#include "engine/tape/hessian.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// Rewrites that keep every bit alone, so that results can be compared with eager ones exactly.
const FunctionOptions kExact{.optimize = {.reassociating = false}};

Tensor network(const Tensor& x, const Variable& w1, const Variable& b1, const Variable& w2) {
  const Tensor h = tanh(matmul(x, w1) + b1);
  return reduce_mean(square(matmul(relu(h) * h, w2)));
}

struct SmallNetwork {
  Tensor x = random_normal({4, 3});
  Variable w1{random_normal({3, 5}), {.name = "w1"}};
  Variable b1{random_normal({5}), {.name = "b1"}};
  Variable w2{random_normal({5, 2}), {.name = "w2"}};

  std::vector<std::vector<double>> gradients(const auto& forward) {
    GradientTape tape;
    tape.enter();
    tape.watch(x);
    const Tensor loss = forward();
    tape.exit();
    std::vector<std::vector<double>> values{host_values(loss)};
    for (const Tensor& g : tape.gradient(loss, {w1, b1, w2, x})) values.push_back(host_values(g));
    return values;
  }
};

}  // namespace

TEST_CASE("a tape outside of a function gives the eager gradients, bit for bit, from one record") {
  SmallNetwork p;
  const auto eager = p.gradients([&] { return network(p.x, p.w1, p.b1, p.w2); });
  Function f(
      "f", [&](const Tensor& x) { return network(x, p.w1, p.b1, p.w2); }, kExact);
  for (int call = 0; call < 2; ++call) CHECK(p.gradients([&] { return f(p.x); }) == eager);
  CHECK(f.tracing_count() == 1);
  Function with(
      "with",
      [](const Tensor& x, const Variable& w1, const Variable& b1, const Variable& w2) {
        return network(x, w1, b1, w2);
      },
      kExact);
  CHECK(p.gradients([&] { return with(p.x, p.w1, p.b1, p.w2); }) == eager);

  GradientTape tape;
  tape.enter();
  f(p.x);
  tape.exit();
  CHECK(tape.counts().recorded == 1);
  CHECK(tape.counts().saved_bytes > 0);
  CHECK(tape.watched_variables().size() == 3);
}

TEST_CASE("a tape inside of a function gives the eager gradients, bit for bit") {
  SmallNetwork p;
  const auto eager = p.gradients([&] { return network(p.x, p.w1, p.b1, p.w2); });
  Function f(
      "f",
      [&](const Tensor& x) {
        GradientTape tape;
        tape.enter();
        tape.watch(x);
        const Tensor loss = network(x, p.w1, p.b1, p.w2);
        tape.exit();
        std::vector<Tensor> results{loss};
        for (const Tensor& g : tape.gradient(loss, {p.w1, p.b1, p.w2, x})) results.push_back(g);
        return results;
      },
      kExact);
  std::vector<std::vector<double>> values;
  for (const Tensor& t : f(p.x)) values.push_back(host_values(t));
  CHECK(values == eager);
}

TEST_CASE("a function inside a function inside a tape") {
  SmallNetwork p;
  const auto eager = p.gradients([&] { return network(p.x * 2.0, p.w1, p.b1, p.w2); });
  Function inner(
      "inner", [&](const Tensor& x) { return network(x, p.w1, p.b1, p.w2); }, kExact);
  Function outer(
      "outer", [&](const Tensor& x) { return inner(x * 2.0); }, kExact);
  CHECK(p.gradients([&] { return outer(p.x); }) == eager);
  Function taped(
      "taped",
      [&](const Tensor& x) {
        GradientTape tape;
        tape.enter();
        const Tensor loss = inner(x * 2.0);
        tape.exit();
        return tape.gradient(loss, {p.w1, p.w2});
      },
      kExact);
  const auto inside = taped(p.x);
  CHECK(host_values(inside[0]) == eager[1]);
  CHECK(host_values(inside[1]) == eager[3]);
}

TEST_CASE("higher derivatives of a function") {
  Function cube("cube", [](const Tensor& x) { return x * x * x; });
  const Tensor x = constant(3.0);
  GradientTape outermost, outer, inner;
  outermost.enter();
  outer.enter();
  inner.enter();
  for (GradientTape* tape : {&outermost, &outer, &inner}) tape->watch(x);
  const Tensor y = cube(x);
  const Tensor first = inner.gradient(y, x);
  const Tensor second = outer.gradient(first, x);
  const Tensor third = outermost.gradient(second, x);
  CHECK(item(y) == 27);
  CHECK(item(first) == 27);
  CHECK(item(second) == 18);
  CHECK(item(third) == 6);
}

TEST_CASE("a persistent tape asks a function's record more than once") {
  Function both("both", [](const Tensor& x, const Tensor& y) {
    return std::vector<Tensor>{x * y, exp(x), y + 1.0};
  });
  const Tensor x = constant(2.0), y = constant(5.0);
  GradientTape tape({.persistent = true});
  tape.enter();
  tape.watch({x, y});
  const auto r = both(x, y);
  tape.exit();
  CHECK(item(tape.gradient(r[0], x)) == 5);
  CHECK(item(tape.gradient(r[0], y)) == 2);
  CHECK(item(tape.gradient(r[1], x)) == Approx(std::exp(2.0)));
  CHECK_FALSE(tape.gradient(r[1], y));
  CHECK(item(tape.gradient(r[2], y)) == 1);
}

TEST_CASE("a captured tensor that the tape watches gets its gradient") {
  const Tensor c = constant(4.0);
  Function f("f", [&](const Tensor& x) { return x * c; });
  GradientTape tape;
  tape.enter();
  tape.watch(c);
  const Tensor y = f(constant(3.0));
  tape.exit();
  CHECK(item(tape.gradient(y, c)) == 3);
}

TEST_CASE("a gradient outlives its function") {
  const Tensor x = constant(3.0);
  GradientTape tape;
  tape.enter();
  tape.watch(x);
  Tensor y;
  {
    Function f("f", [](const Tensor& t) { return t * t; });
    y = f(x);
  }
  tape.exit();
  CHECK(item(tape.gradient(y, x)) == 6);
}

TEST_CASE("a gradient uses the values of its call, whatever was assigned since") {
  const Variable v(constant(3.0));
  Function f("f", [&] { return v * v; });
  GradientTape tape;
  tape.enter();
  const Tensor y = f();
  tape.exit();
  v.assign(constant(100.0));
  CHECK(item(tape.gradient(y, v)) == 6);
}

TEST_CASE("nothing is recorded where nothing is watched, and stop_gradient holds inside") {
  Function f("f", [](const Tensor& x) { return x * stop_gradient(x); });
  GradientTape idle;
  idle.enter();
  f(constant(2.0));
  idle.exit();
  CHECK(idle.counts().recorded == 0);
  GradientTape tape;
  const Tensor x = constant(2.0);
  tape.enter();
  tape.watch(x);
  const Tensor y = f(x);
  tape.exit();
  CHECK(item(tape.gradient(y, x)) == 2);
}

TEST_CASE("layers built inside a function train as outside") {
  const Tensor x = stateless_random_normal({8, 4}, {1, 2});
  const Tensor t = stateless_random_normal({8, 1}, {1, 3});
  const auto run = [&](bool traced) {
    Sequential model(Dense(5, {.activation = Activation::relu}), Dense(1));
    const auto loss = [&](const Tensor& input) { return MeanSquaredError()(t, model(input)); };
    Function f("f", loss, kExact);
    GradientTape tape;
    tape.enter();
    const Tensor value = traced ? f(x) : loss(x);
    tape.exit();
    std::vector<Traced> sources;
    for (const Variable& v : model.trainable_variables()) sources.push_back(v);
    std::vector<std::vector<double>> values{host_values(value)};
    for (const Tensor& g : tape.gradient(value, sources)) values.push_back(host_values(g));
    if (traced) CHECK(f.tracing_count() == 2);
    return values;
  };
  CHECK(run(true) == run(false));
}

TEST_CASE(
    "rows stay rows through functions: as gradient, as result, as cotangent; as an argument they are made "
    "dense") {
  const Variable table(constant({{1.0, 2.0}, {3.0, 4.0}, {5.0, 6.0}}), {.name = "table"});
  const auto ids = [](std::vector<std::int32_t> rows) {
    return constant(std::span<const std::int32_t>(rows), Shape{static_cast<std::int64_t>(rows.size())});
  };
  Function look_up("look_up", [&](const Tensor& rows) { return reduce_sum(square(gather(table, rows))); });
  const auto gradient_by = [&](const auto& loss_of) {
    GradientTape tape;
    Tensor loss;
    {
      const auto recording = tape.record();
      loss = loss_of();
    }
    return tape.gradient(loss, table);
  };
  const std::vector<double> all{4, 8, 0, 0, 10, 12};
  const Tensor outside = gradient_by([&] { return look_up(ids({0, 2, 0})); });
  REQUIRE(is_indexed_slices(outside));
  CHECK(IndexedSlices(outside).indices().numel() == 3);
  CHECK(elements(to_dense(outside)) == all);

  Function step("step", [&](const Tensor& rows) {
    GradientTape tape;
    tape.enter();
    const Tensor loss = reduce_sum(square(gather(table, rows)));
    tape.exit();
    return tape.gradient(loss, table);
  });
  const Tensor inside = step(ids({0, 2, 0}));
  REQUIRE(is_indexed_slices(inside));
  CHECK(IndexedSlices(inside).dense_shape() == Shape{3, 2});
  CHECK(elements(to_dense(inside)) == all);

  Function twice("twice", [](const Tensor& x) { return x * 2; });
  CHECK(elements(twice(inside)) == std::vector<double>{8, 16, 0, 0, 20, 24});

  // The cotangent of the call's result comes from a gather: rows, which the backward graph takes dense.
  const Tensor of_result = gradient_by([&] { return reduce_sum(gather(twice(table.value()), ids({1, 1}))); });
  CHECK(elements(to_dense(of_result)) == std::vector<double>{0, 0, 4, 4, 0, 0});
}

TEST_CASE("a function's Jacobian saves the products that an eager one does, and is NaN where that is") {
  using Layer = Tensor (*)(const Arg&);
  const Layer layers[] = {[](const Arg& x) { return tanh(x); },     [](const Arg& x) { return -sigmoid(x); },
                          [](const Arg& x) { return relu(x); },     [](const Arg& x) { return softplus(x); },
                          [](const Arg& x) { return softsign(x); }, [](const Arg& x) { return elu(x); }};
  const Tensor w1 = random_normal({4, 4}), w2 = random_normal({3, 4});
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const Layer layer : layers) {
    const auto jacobian = [&](const Tensor& x, const Tensor& offset) {
      GradientTape tape({.persistent = true});
      Tensor y;
      {
        auto recording = tape.record();
        tape.watch(x);
        y = layer(matmul(w2, tanh(matmul(w1, x))) + offset);
      }
      return tape.jacobian(y, x);
    };
    const Function f("f", jacobian, kExact);
    const Tensor x = random_normal({4, 1});
    for (const double third : {0.5, nan, inf, -inf}) {
      const Tensor offset = constant({{0.0}, {1.0}, {third}}, DType::f32);
      const auto eager = host_values(jacobian(x, offset)), traced = host_values(f(x, offset));
      REQUIRE(eager.size() == traced.size());
      for (std::size_t i = 0; i < eager.size(); ++i) {
        INFO(&layer - layers << " with " << third << ", element " << i);
        CHECK((std::isnan(eager[i]) ? std::isnan(traced[i]) : eager[i] == traced[i]));
      }
    }
    const std::string text =
        f.get_concrete_function({x, constant({{0.0}, {0.0}, {0.0}}, DType::f32)}).graph_text();
    std::size_t products = 0;
    for (std::size_t at = text.find("MatMul"); at != text.npos; at = text.find("MatMul", at + 1)) ++products;
    INFO(text);
    CHECK(products == 3);  // two forward
  }
}

TEST_CASE("Hessians and Jacobians by columns inside of a function are the eager ones") {
  const Tensor data = random_normal({6, 3}), signs = sign(random_normal({6, 1}));
  Variable w(random_normal({3, 1}), {.name = "w"});
  const auto loss = [&] { return reduce_mean(softplus(-(matmul(data, w) * signs))); };
  const auto outputs = [&] { return tanh(matmul(data, square(w))); };
  const auto of_columns = [&] { return forward_jacobian(outputs, w, 2); };
  const std::function<Tensor()> asked[] = {
      [&] { return hessian(loss, w, HessianMethod::vectorized); },
      [&] { return hessian(loss, w, HessianMethod::nested_tapes); },
      [&] { return hessian(loss, w, HessianMethod::forward_over_reverse); },
      of_columns,
      [&] { return forward_jacobian(of_columns, w); },
      [&] { return hessian_vector_product(loss, w, w.value()); },
  };
  for (const auto& one : asked) {
    Function f(
        "f", [&](const Tensor&) { return one(); }, kExact);
    for (int call = 0; call < 2; ++call) {
      const auto eager = host_values(one()), traced = host_values(f(zeros({})));
      REQUIRE(eager.size() == traced.size());
      for (std::size_t i = 0; i < eager.size(); ++i) {
        INFO(&one - asked << ", element " << i);
        CHECK(traced[i] == Approx(eager[i]).margin(1e-6));
      }
      w.assign(w.value() * 2.0);
    }
  }
}
