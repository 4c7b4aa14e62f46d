// The Jacobians, Hessian, tangent and higher derivatives that TensorFlow computed, by every way there is
// here.
#include <fstream>

#include <nlohmann/json.hpp>

#include "engine/ops/ops.h"
#include "engine/tape/forward.h"
#include "engine/tape/hessian.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"
#include "tests/support/places.h"

using namespace tapescope;
using namespace tapescope::test;
using nlohmann::json;

namespace {

struct Case {
  std::vector<Tensor> inputs, outputs;
};

Tensor tensor_of(const json& value) {
  Shape shape;
  for (std::int64_t size : value.at("shape")) shape.push_back(size);
  REQUIRE(value.at("dtype") == "float64");
  return make_tensor(value.at("data").get<std::vector<double>>(), shape, DType::f64);
}

Case golden(const std::string& id) {
  std::ifstream file(tests_folder() + "/goldens/jacobians.json");
  const json all = json::parse(file);
  for (const json& one : all.at("cases")) {
    if (one.at("id") != id) continue;
    Case found;
    for (const json& value : one.at("inputs")) found.inputs.push_back(tensor_of(value));
    for (const json& value : one.at("outputs")) found.outputs.push_back(tensor_of(value));
    return found;
  }
  FAIL("no case " << id);
  return {};
}

constexpr double kTolerance = 1e-10;  // of tests/goldens/README.md

Tensor network(const Tensor& x, const Case& c) {
  return tanh(matmul(tanh(matmul(x, c.inputs[1])), c.inputs[2]));
}

}  // namespace

TEST_CASE("jacobian and batch_jacobian agree with TensorFlow's", "[jacobian][goldens]") {
  for (const char* op : {"jacobian", "batch_jacobian"}) {
    const Case c = golden(std::string(op) + "/mlp");
    const Tensor& x = c.inputs[0];
    for (const JacobianOptions& options :
         {JacobianOptions{}, JacobianOptions{.vectorized = false}, JacobianOptions{.chunk = 2}}) {
      GradientTape tape({.persistent = true});
      Tensor y;
      {
        auto recording = tape.record();
        tape.watch(x);
        y = network(x, c);
      }
      check_close(*op == 'j' ? tape.jacobian(y, x, options) : tape.batch_jacobian(y, x, options),
                  c.outputs[0]);
    }
  }
  const Case c = golden("jacobian/mlp");
  check_close(forward_jacobian([&] { return network(c.inputs[0], c); }, c.inputs[0]), c.outputs[0],
              kTolerance);
}

TEST_CASE("the Hessian agrees with TensorFlow's", "[hessian][goldens]") {
  const Case c = golden("hessian/mlp-cubed-sum");
  const Tensor& v = c.inputs[0];
  const auto loss = [&] { return reduce_sum(pow(network(expand_dims(v, 0), c), 3)); };
  check_close(loss(), c.outputs[0], kTolerance);
  for (HessianMethod method :
       {HessianMethod::nested_tapes, HessianMethod::forward_over_reverse, HessianMethod::vectorized}) {
    check_close(hessian(loss, v, method), c.outputs[2], kTolerance);
  }
  GradientTape outer;
  Tensor gradient;
  {
    auto outside = outer.record();
    outer.watch(v);
    GradientTape inner;
    Tensor value;
    {
      auto inside = inner.record();
      inner.watch(v);
      value = loss();
    }
    gradient = inner.gradient(value, v);
  }
  check_close(gradient, c.outputs[1], kTolerance);
  check_close(outer.jacobian(gradient, v), c.outputs[2], kTolerance);
}

TEST_CASE("the tangent agrees with TensorFlow's", "[forward][goldens]") {
  const Case c = golden("jvp/mlp");
  ForwardAccumulator accumulator(c.inputs[0], c.inputs[3]);
  auto recording = accumulator.record();
  check_close(accumulator.jvp(network(c.inputs[0], c)), c.outputs[0], kTolerance);
}

TEST_CASE("four derivatives agree with TensorFlow's, backward and forward", "[goldens]") {
  const Case c = golden("orders/scalar");
  const Tensor& s = c.inputs[0];
  const auto f = [&] { return sin(s) * pow(s, 4) + exp(-s); };
  {
    GradientTape tape({.persistent = true});
    auto recording = tape.record();
    tape.watch(s);
    Tensor y = f();
    for (const Tensor& expected : c.outputs) check_close(y = tape.gradient(y, s), expected, kTolerance);
  }
  // By accumulators within accumulators.
  const Tensor one = constant(1.0, DType::f64);
  ForwardAccumulator a(s, one), b(s, one), d(s, one);
  auto outer = a.record();
  auto middle = b.record();
  auto inner = d.record();
  const Tensor first = d.jvp(f());
  check_close(first, c.outputs[0], kTolerance);
  check_close(b.jvp(first), c.outputs[1], kTolerance);
  check_close(a.jvp(b.jvp(first)), c.outputs[2], kTolerance);
}
