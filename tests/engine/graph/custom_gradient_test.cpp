// Custom gradients inside traced functions: what the gradient function holds is a tensor of the trace.
#include "engine/tape/custom_gradient.h"

#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/graph/gradients.h"
#include "engine/graph/optimize.h"
#include "engine/graph/trace.h"
#include "engine/ops/ops.h"
#include "engine/tape/forward.h"
#include "engine/tape/recompute_grad.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"
#include "tests/support/two_derivatives.h"

using namespace tapescope;

namespace {

using TracedBody = std::function<Tensor(const Tensor&)>;

// sin(x), whose gradient is ten times what it should be, from a tensor of its body.
CustomGradient ten_sin() {
  return custom_gradient("ten_sin", [](std::span<const Tensor> x) {
    const Tensor c = cos(x[0]);
    return WithGradient{.outputs = {sin(x[0])}, .gradient = [c](std::span<const Tensor> dy) {
                          return std::vector{dy[0] * c * 10.0};
                        }};
  });
}

// exp(x), whose gradient function calls it again.
Tensor own_exp(const Tensor& x) {
  static const CustomGradient f = custom_gradient("own_exp", [](std::span<const Tensor> in) {
    const Tensor held = in[0];
    return WithGradient{.outputs = {exp(in[0])}, .gradient = [held](std::span<const Tensor> dy) {
                          return std::vector{dy[0] * own_exp(held)};
                        }};
  });
  return f(x);
}

Tensor gradient_of(const TracedBody& f, const Tensor& x) {
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = f(x);
  }
  return tape.gradient(y, x);
}

// The body as a function with the tape outside, twice: as it is traced, and as it is kept.
std::vector<double> traced_gradient(const TracedBody& f, const Tensor& x) {
  const Function traced("f", f);
  const std::vector<double> first = elements(gradient_of([&](const Tensor& in) { return traced(in); }, x));
  CHECK(elements(gradient_of([&](const Tensor& in) { return traced(in); }, x)) == first);
  return first;
}

std::vector<double> near(std::vector<double> values) {
  for (double& value : values) value = std::round(value * 1e9) / 1e9;
  return values;
}

}  // namespace

TEST_CASE("custom_gradient in a function: the tape outside of it gives what it gives without the function",
          "[custom][graph]") {
  const Tensor x = constant({0.3, 1.1}, DType::f64);
  const Tensor outside = constant({2.0, 3.0}, DType::f64);
  const CustomGradient c = ten_sin();
  const CustomGradient of_input = custom_gradient("of_input", [](std::span<const Tensor> in) {
    return WithGradient{.outputs = {square(in[0])}, .gradient = [in = in[0]](std::span<const Tensor> dy) {
                          return std::vector{dy[0] * in * 7.0};
                        }};
  });
  const RecomputeGrad again = recompute_grad([](const Tensor& in) { return sin(exp(in)); });
  const std::vector<std::pair<const char*, TracedBody>> bodies = {
      {"an intermediate", [&](const Tensor& in) { return c(in * outside); }},
      {"its input", [&](const Tensor& in) { return of_input(in * outside); }},
      {"a tensor of the function, made before",
       [&](const Tensor& in) {
         const Tensor mask = cast(in > 0.5, DType::f64);
         return custom_gradient("masked", [mask](std::span<const Tensor> given) {
           return WithGradient{.outputs = {round(given[0])}, .gradient = [mask](std::span<const Tensor> dy) {
                                 return std::vector{dy[0] * mask};
                               }};
         })(in * 3.0);
       }},
      {"recompute_grad", [&](const Tensor& in) { return again(in) * in; }},
      {"called twice", [&](const Tensor& in) { return c(in) * c(in * 2.0); }},
      {"itself", [&](const Tensor& in) { return own_exp(in * 2.0); }},
      {"several outputs",
       [&](const Tensor& in) {
         const auto both =
             custom_gradient("both", [](std::span<const Tensor> given) {
               const Tensor s = sin(given[0]), e = exp(given[1]);
               return WithGradient{.outputs = {s * e, s + e}, .gradient = [s, e](std::span<const Tensor> dy) {
                                     return std::vector{dy[0] * e * 3.0, dy[1] * s * 5.0};
                                   }};
             }).call(std::vector{in, in * 2.0});
         return both[0] * both[1];
       }},
      {"inside recompute_grad",
       [&](const Tensor& in) {
         return recompute_grad([&](const Tensor& given) { return c(exp(given)); })(in);
       }},
  };
  for (const auto& [what, body] : bodies) {
    INFO(what);
    CHECK(near(traced_gradient(body, x)) == near(elements(gradient_of(body, x))));
  }
}

TEST_CASE("custom_gradient in a function that another calls twice: each call has its own tensors",
          "[custom][graph]") {
  const Tensor x = constant({0.3, 1.1}, DType::f64);
  const CustomGradient c = ten_sin();
  const Function inner("inner", [&](const Tensor& in) { return c(in * 2.0); });
  const TracedBody twice = [&](const Tensor& in) { return inner(in) * inner(exp(in)) + inner(inner(in)); };
  const TracedBody plain = [&](const Tensor& in) {
    return c(in * 2.0) * c(exp(in) * 2.0) + c(c(in * 2.0) * 2.0);
  };
  CHECK(near(traced_gradient(twice, x)) == near(elements(gradient_of(plain, x))));
}

TEST_CASE("custom_gradient in branches and loops of a function", "[custom][graph]") {
  const Tensor x = constant(0.4, DType::f64);
  const CustomGradient c = ten_sin();
  const TracedBody branch = [&](const Tensor& in) {
    const Tensor factor = exp(in);
    return cond(
        in < 1.0, [&] { return c(in * factor); }, [&] { return in * 1.0; });
  };
  const TracedBody loop = [&](const Tensor& in) {
    const Tensor scale = in * 3.0;
    const auto [i, a] = while_loop(
        [](const Tensor& k, const Tensor&) { return k < 3; },
        [&](const Tensor& k, const Tensor& v) {
          const auto f = custom_gradient("scaled", [&](std::span<const Tensor> given) {
            const Tensor s = scale;
            return WithGradient{.outputs = {sin(given[0])}, .gradient = [s](std::span<const Tensor> dy) {
                                  return std::vector{dy[0] * s};
                                }};
          });
          return std::tuple(k + 1, f(v) + c(v));
        },
        std::tuple(constant(0), identity(in)));
    return a;
  };
  const TracedBody recomputed = [&](const Tensor& in) {
    return recompute_grad([&](const Tensor& given) {
      return cond(
          given < 1.0, [&] { return c(given * 2.0); }, [&] { return given * 1.0; });
    })(in);
  };
  for (const TracedBody& body : {branch, loop, recomputed})
    CHECK(near(traced_gradient(body, x)) == near(elements(gradient_of(body, x))));
}

TEST_CASE("custom_gradient in a function: second derivatives by two tapes outside, and by gradients()",
          "[custom][graph]") {
  const Tensor x = constant(0.5, DType::f64);
  const CustomGradient c = ten_sin();
  for (const TracedBody& body : {TracedBody([&](const Tensor& in) { return c(in * 2.0); }),
                                 TracedBody([](const Tensor& in) { return own_exp(in * 2.0); })}) {
    const Function f("f", body);
    const TwoDerivatives plain = two_derivatives(x, body);
    const TwoDerivatives found = two_derivatives(x, [&](const Tensor& in) { return f(in); });
    CHECK(element(found.first, 0) == Approx(element(plain.first, 0)));
    CHECK(element(found.second, 0) == Approx(element(plain.second, 0)));
    const Function g("g", [&](const Tensor& in) {
      const Tensor first = gradients({body(in)}, {in})[0];
      return gradients({first}, {in})[0];
    });
    CHECK(element(g(x), 0) == Approx(element(plain.second, 0)));
  }
}

TEST_CASE("custom_gradient in a function: jacobians and forward mode", "[custom][graph]") {
  const Tensor x = constant({0.5, 0.7, 0.9}, DType::f64);
  const CustomGradient c = ten_sin();
  const Function f("f", [&](const Tensor& in) { return c(in * in); });
  for (const bool vectorized : {true, false}) {
    GradientTape tape({.persistent = true});
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);
      y = f(x);
    }
    const Tensor found = tape.jacobian(y, x, {.vectorized = vectorized});
    for (int i = 0; i < 3; ++i) {
      const double v = element(x, i);
      CHECK(element(found, 4 * i) == Approx(10 * std::cos(v * v) * 2 * v));
    }
  }
  ForwardAccumulator forward(x, constant({1.0, 0.0, 0.0}, DType::f64));
  Tensor y;
  {
    auto recording = forward.record();
    y = f(x);
  }
  CHECK(element(forward.jvp(y), 0) == Approx(10 * std::cos(0.25)));
}

TEST_CASE("custom_gradient in a function: a gradient function that throws does so when it is needed",
          "[custom][graph]") {
  const Tensor x = constant(0.5);
  int ran = 0;
  const CustomGradient c = custom_gradient("refuses", [&](std::span<const Tensor> in) {
    return WithGradient{.outputs = {square(in[0])},
                        .gradient = [&ran](std::span<const Tensor> dy) -> std::vector<Tensor> {
                          ++ran;
                          return {dy[0], dy[0]};
                        }};
  });
  const Function f("f", [&](const Tensor& in) { return c(in); });
  CHECK(element(f(x), 0) == 0.25);
  CHECK(error_of([&] {
          gradient_of([&](const Tensor& in) { return f(in); }, x);
        }).find("returned 2 gradients") != std::string::npos);
}

TEST_CASE("custom_gradient in a function: finding what the gradient holds leaves no trace",
          "[custom][graph]") {
  set_seed(5);
  const Tensor x = constant({0.5, 0.5});
  const Variable w(constant(2.0), {.name = "w"});
  // The gradient function reads a variable, draws, and opens a tape.
  const CustomGradient c = custom_gradient("busy", [&](std::span<const Tensor> in) {
    return WithGradient{.outputs = {square(in[0])}, .gradient = [&, in = in[0]](std::span<const Tensor> dy) {
                          GradientTape tape;
                          Tensor y;
                          {
                            auto recording = tape.record();
                            tape.watch(in);
                            y = in * in * w + 0.0 * random_uniform({2});
                          }
                          return std::vector{dy[0] * tape.gradient(y, in)};
                        }};
  });
  // Were the variable noted as read in the body, the outer function would be refused.
  const CustomGradient outer = custom_gradient("outer", [&](std::span<const Tensor> in) {
    const Tensor y = c(in[0]);
    return WithGradient{.outputs = {y},
                        .gradient = [](std::span<const Tensor> dy) { return std::vector{dy[0]}; }};
  });
  std::size_t watched = 0;
  const Function f("f", [&](const Tensor& in) {
    GradientTape tape({.persistent = true});
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(in);
      y = outer(in) + c(in);
    }
    watched = tape.watched_variables().size();
    return y;
  });
  const Tensor before = random_uniform({3});
  set_seed(5);
  f(x);
  CHECK(elements(random_uniform({3})) == elements(before));
  CHECK(watched == 0);
  CHECK(elements(gradient_of([&](const Tensor& in) { return f(in); }, x)) == std::vector<double>{3, 3});
}

TEST_CASE("custom_gradient in a function: what only the gradient reads is not computed where none is taken",
          "[custom][graph]") {
  const Tensor x = constant({0.5, 0.7});
  Trace trace("f");
  const CustomGradient c = ten_sin();
  const Tensor in = trace.parameter(&x.type(), 0);
  const TracedGraph traced = trace.finish(std::vector{c(in)});
  const auto has = [](const Graph& graph, std::string_view name) {
    return std::ranges::any_of(graph.nodes(), [&](const GraphNode& node) { return node.op->name == name; });
  };
  Graph graph = *traced.graph;
  CHECK(has(graph, "Cos"));
  optimize(graph, {});
  CHECK_FALSE(has(graph, "Cos"));
  CHECK(has(graph, "ten_sin"));
}
