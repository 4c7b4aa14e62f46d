// Every row with a sampler, differentiated at random points: against finite differences, to the second order,
// linear in the cotangent, and the same whether asked for alone or with others.
#include <charconv>
#include <cmath>
#include <string>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/support/op_rows.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

// "3,4;4|;2,3": cases by '|', inputs by ';', sizes by ','.
std::vector<std::vector<Shape>> cases_of(std::string_view text) {
  std::vector<std::vector<Shape>> cases(1, std::vector<Shape>(1));
  for (std::size_t i = 0; i < text.size();) {
    if (text[i] == '|') cases.push_back(std::vector<Shape>(1)), ++i;
    else if (text[i] == ';') cases.back().emplace_back(), ++i;
    else if (text[i] == ',') ++i;
    else {
      std::int64_t size = 0;
      i = static_cast<std::size_t>(std::from_chars(text.data() + i, text.data() + text.size(), size).ptr -
                                   text.data());
      cases.back().back().push_back(size);
    }
  }
  return cases;
}

Tensor run(const OpDef& op, const std::vector<Tensor>& inputs, const Attrs& attrs) {
  std::vector<TensorImpl*> raw;
  for (const Tensor& input : inputs) raw.push_back(input.impl());
  return apply(op, raw, attrs, Location::current());
}

Attrs attrs_of(const OpDef& op) {
  Attrs attrs;
  if (op.name == "LeakyRelu" || op.name == "LeakyReluGrad") attrs.f[0] = 0.2f;
  return attrs;
}

// Functions of all inputs to a scalar, differentiated by central differences.
template <class F>
Tensor numeric(F f, std::vector<Tensor> inputs, std::size_t which) {
  std::vector<double> values = elements(inputs[which]), slopes;
  const Shape shape = inputs[which].shape();
  for (double& value : values) {
    const double kept = value, step = 6e-6 * std::max(1.0, std::fabs(value));
    value = kept + step;
    inputs[which] = make_tensor(values, shape, DType::f64);
    const double above = f(inputs);
    value = kept - step;
    inputs[which] = make_tensor(values, shape, DType::f64);
    const double below = f(inputs);
    value = kept;
    slopes.push_back((above - below) / (2 * step));
  }
  return make_tensor(slopes, shape, DType::f64);
}

// sum(op(inputs) * weights) and its gradients, recorded for `sources`.
std::vector<Tensor> gradients(const OpDef& op, const std::vector<Tensor>& inputs, const Tensor& weights,
                              const std::vector<Traced>& sources) {
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    for (const Traced& source : sources) tape.watch(source);
    y = run(op, inputs, attrs_of(op));
  }
  return tape.gradient(std::vector<Traced>{y}, sources, {.output_gradients = {weights}});
}

struct Point {
  std::vector<Tensor> inputs;
  std::vector<std::size_t> differentiable;
  Tensor weights;
};
Point point_of(const OpDef& op, const std::vector<Shape>& shapes) {
  Point p;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    p.inputs.push_back(
        stateless_random_uniform(shapes[i], {11 + i, 3}, op.sampler.low, op.sampler.high, DType::f64));
    if (!(op.never >> i & 1)) p.differentiable.push_back(i);
  }
  const Tensor y = run(op, p.inputs, attrs_of(op));
  p.weights = stateless_random_uniform(y.shape(), {5, 9}, 0.5, 1.5, DType::f64);
  return p;
}

template <class Check>
void each_case(Check check) {
  for (const OpDef* op : op_table()) {
    if (!op->vjp || op->sampler.shapes[0] == 0) continue;
    for (const std::vector<Shape>& shapes : cases_of(op->sampler.shapes)) {
      INFO(op->name << " on " << op->sampler.shapes);
      check(*op, point_of(*op, shapes));
    }
  }
}
double weighted(const Tensor& y, const Tensor& weights) { return element(reduce_sum(y * weights), 0); }

}  // namespace

TEST_CASE("every sampled row's gradient agrees with finite differences") {
  each_case([](const OpDef& op, const Point& p) {
    std::vector<Traced> sources;
    for (std::size_t i : p.differentiable) sources.push_back(p.inputs[i]);
    const std::vector<Tensor> g = gradients(op, p.inputs, p.weights, sources);
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const auto f = [&](const std::vector<Tensor>& inputs) {
        return weighted(run(op, inputs, attrs_of(op)), p.weights);
      };
      check_close(g[k], numeric(f, p.inputs, p.differentiable[k]), 2e-6);
    }
  });
}

TEST_CASE("every sampled row's gradient has a right gradient itself") {
  each_case([](const OpDef& op, const Point& p) {
    std::vector<Traced> sources;
    for (std::size_t i : p.differentiable) sources.push_back(p.inputs[i]);
    GradientTape outer;
    Tensor total;
    {
      auto recording = outer.record();
      for (const Traced& source : sources) outer.watch(source);
      for (const Tensor& g : gradients(op, p.inputs, p.weights, sources)) {
        const Tensor part = reduce_sum(sin(g));
        total = total ? total + part : part;
      }
    }
    const std::vector<Tensor> second =
        outer.gradient(std::vector<Traced>{total}, sources, {.unconnected = Unconnected::zero});
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const auto f = [&](const std::vector<Tensor>& inputs) {
        std::vector<Traced> moved;
        for (std::size_t i : p.differentiable) moved.push_back(inputs[i]);
        double sum = 0;
        for (const Tensor& g : gradients(op, inputs, p.weights, moved)) sum += element(reduce_sum(sin(g)), 0);
        return sum;
      };
      check_close(second[k], numeric(f, p.inputs, p.differentiable[k]), 2e-5);
    }
  });
}

TEST_CASE("a gradient asked for alone equals the one asked for with the others") {
  each_case([](const OpDef& op, const Point& p) {
    std::vector<Traced> sources;
    for (std::size_t i : p.differentiable) sources.push_back(p.inputs[i]);
    const std::vector<Tensor> all = gradients(op, p.inputs, p.weights, sources);
    for (std::size_t k = 0; k < sources.size(); ++k) {
      const std::vector<Tensor> alone = gradients(op, p.inputs, p.weights, {sources[k]});
      REQUIRE(elements(alone[0]) == elements(all[k]));
    }
  });
}

TEST_CASE("gradients are linear in what comes from above") {
  each_case([](const OpDef& op, const Point& p) {
    std::vector<Traced> sources;
    for (std::size_t i : p.differentiable) sources.push_back(p.inputs[i]);
    const std::vector<Tensor> once = gradients(op, p.inputs, p.weights, sources),
                              thrice = gradients(op, p.inputs, -3 * p.weights, sources);
    for (std::size_t k = 0; k < sources.size(); ++k) check_close(thrice[k], -3 * once[k], 1e-12);
  });
}

TEST_CASE("a gradient has the dtype of what it is the gradient of") {
  for (DType dtype : {DType::f16, DType::bf16, DType::f32}) {
    const Tensor x = cast(stateless_random_uniform({2, 5}, {1, 1}, 0.5, 1.5, DType::f64), dtype);
    for (const OpDef* op : test::elementwise_rows(1, dtype)) {
      if (!op->vjp) continue;
      INFO(op->name);
      const std::vector<Tensor> g = gradients(*op, {x}, ones(Shape{2, 5}, dtype), {x});
      REQUIRE(g[0]);
      CHECK(g[0].dtype() == dtype);
    }
  }
}
