// gradients() in graphs: tensorflow-semantics.md, 5.1.
#include "engine/graph/gradients.h"

#include <cmath>

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("the gradient is the sum over all ys") {
  Function f("f", [](const Tensor& x) { return gradients({x * x, x * x * x}, {x}); });
  CHECK(item(f(constant(2.0))[0]) == 16);
}

TEST_CASE("total and partial derivatives") {
  Function f("f", [](const Tensor& a) {
    const Tensor b = a * 2.0;
    const Tensor y = a + b;
    std::vector<Tensor> all = gradients({y}, {a, b});
    for (const Tensor& partial : gradients({y}, {a, b}, {.stop_gradients = {a, b}})) all.push_back(partial);
    return all;
  });
  const auto all = f(constant(0.0));
  CHECK(item(all[0]) == 3);
  CHECK(item(all[1]) == 1);
  CHECK(item(all[2]) == 1);
  CHECK(item(all[3]) == 1);
}

TEST_CASE("weights of ys, unconnected xs and variables") {
  const Variable v(constant(3.0));
  Function f("f", [&](const Tensor& x, const Tensor& unused) {
    const Tensor y = x * v, z = exp(x);
    const auto weighted = gradients({y, z}, {x}, {.grad_ys = {constant(10.0), Tensor()}});
    const auto none = gradients({y}, {unused});
    const auto zero = gradients({y}, {unused, v}, {.unconnected = Unconnected::zero});
    return std::vector<Tensor>{weighted[0], none[0] ? x : constant(-1.0), zero[0], zero[1]};
  });
  const auto all = f(constant(2.0), constant(5.0));
  CHECK(item(all[0]) == Approx(30 + std::exp(2.0)));
  CHECK(item(all[1]) == -1);
  CHECK(item(all[2]) == 0);
  CHECK(item(all[3]) == 2);
}

TEST_CASE("gradients of gradients") {
  Function f("f", [](const Tensor& x) { return gradients({gradients({x * x * x}, {x})[0]}, {x})[0]; });
  CHECK(item(f(constant(5.0))) == 30);
}

TEST_CASE("eager code gets an error that says what to use instead") {
  const Tensor x = constant(2.0);
  CHECK_THROWS_WITH(gradients({x * x}, {x}), contains_text("[gradients]") && contains_text("GradientTape"));
}
