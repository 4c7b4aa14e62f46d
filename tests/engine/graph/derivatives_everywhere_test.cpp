// Jacobians and Hessians asked for in every way, eagerly, in a function and in a compiled one, inside of each
// other: all agree with differences of the eager gradient.
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/ops/slices.h"
#include "engine/tape/custom_gradient.h"
#include "engine/tape/forward.h"
#include "engine/tape/hessian.h"
#include "engine/tape/recompute_grad.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/near.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

using Map = std::function<Tensor(const Tensor&)>;  // of 3 numbers

struct Program {
  const char* name;
  Map f;
};

Tensor rounds(int count, const Tensor& x,
              const std::function<Tensor(const Tensor& i, const Tensor& y)>& body) {
  auto [i, y] = while_loop([&](const Tensor& i, const Tensor&) { return i < count; },
                           [&](const Tensor& i, const Tensor& y) { return std::tuple(i + 1, body(i, y)); },
                           std::tuple(constant(0), x));
  return y;
}

std::vector<Program> programs() {
  const Tensor a = numbers({4, 3}, 1), b = numbers({3, 4}, 2);
  const auto layer = std::make_shared<Function<Tensor(const Tensor&)>>("layer", [a](const Tensor& x) {
    return tanh(reshape(matmul(a, reshape(x, {3, 1})), {4}));
  });
  const CustomGradient own = custom_gradient("own", [](std::span<const Tensor> given) {
    const Tensor x = given[0];
    return WithGradient{{log1p(exp(x))},
                        [x](std::span<const Tensor> dy) { return std::vector<Tensor>{dy[0] * sigmoid(x)}; }};
  });
  const RecomputeGrad again = recompute_grad([](const Tensor& x) { return tanh(x) * x; });
  return {
      {"layers",
       [=](const Tensor& x) {
         return tanh(reshape(matmul(a, reshape(tanh(x), {3, 1})), {4}));
       }},
      {"softmax", [](const Tensor& x) { return log(softmax(x * 2.0)); }},
      {"gather",
       [](const Tensor& x) {
         return gather(x, constant({0, 2, 2})) * gather(x, constant({1, 1, 0}));
       }},
      {"slices",
       [](const Tensor& x) {
         return concat({slice(x, {1}, {2}) * 3.0, exp(slice(x, {0}, {1}))}, 0);
       }},
      {"a function", [=](const Tensor& x) { return (*layer)(x)*2.0; }},
      {"an own gradient", [=](const Tensor& x) { return own(x) * x; }},
      {"recomputed", [=](const Tensor& x) { return again(x) + x; }},
      {"where", [](const Tensor& x) { return where(x > 0.0, square(x), sin(x)); }},
      {"einsum",
       [=](const Tensor& x) {
         return einsum("ij,j->i", {a, x}) * einsum("ij,j->i", {a, square(x)});
       }},
      {"cond",
       [](const Tensor& x) {
         return cond(
             reduce_sum(x) > 0.0, [&] { return square(x); }, [&] { return exp(x) * x; });
       }},
      {"map_fn",
       [](const Tensor& x) { return map_fn([](const Tensor& row) { return exp(row) * sin(row); }, x); }},
      {"scan",
       [](const Tensor& x) {
         return scan([&](const Tensor& state, const Tensor& row) { return tanh(state * row) + x; }, x, x);
       }},
      {"while_loop",
       [](const Tensor& x) {
         return rounds(3, x, [&](const Tensor&, const Tensor& y) { return sin(y) * x; });
       }},
      {"a loop that reads no value of a round",
       [](const Tensor& x) {
         return rounds(3, square(x), [&](const Tensor&, const Tensor& y) { return y * 1.7 + x; });
       }},
      {"a loop that gathers",
       [](const Tensor& x) {
         return rounds(3, x, [&](const Tensor& i, const Tensor& y) { return y * gather(x, i) + sin(y); });
       }},
      {"a loop of products",
       [=](const Tensor& x) {
         return reshape(rounds(2, reshape(x, {3, 1}),
                               [&](const Tensor&, const Tensor& y) { return tanh(matmul(b, matmul(a, y))); }),
                        {3});
       }},
      {"a loop in a loop",
       [](const Tensor& x) {
         return rounds(2, x, [&](const Tensor&, const Tensor& y) {
           return rounds(2, y, [&](const Tensor&, const Tensor& z) { return cos(z) * x; }) + y * x;
         });
       }},
      {"a branch in a loop",
       [](const Tensor& x) {
         return rounds(3, x, [&](const Tensor& i, const Tensor& y) {
           return cond(
               equal(i, 1), [&] { return exp(y * 0.3) * x; }, [&] { return sin(y); });
         });
       }},
      {"a function in a loop",
       [=](const Tensor& x) {
         return rounds(2, x,
                       [&](const Tensor&, const Tensor& y) { return reduce_sum((*layer)(y)) * sin(y); });
       }},
  };
}

// What is asked of f at x: the Jacobian, the Hessian of the sum of its squares, or the gradient of the sum of
// the squares of either.
enum class Asked { jacobian, hessian, of_jacobian, of_hessian };
struct Way {
  const char* name;
  Asked asked;
  std::function<Tensor(const Map& f, const Tensor& x)> run;
};

Tensor jacobian_of(const Map& f, const Tensor& x, bool vectorized) {
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = f(x);
  }
  return tape.jacobian(y, x, {.vectorized = vectorized});
}

Tensor gradient_of_squares(const Map& f, const Tensor& x) {
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = reduce_sum(square(f(x)));
  }
  const Tensor gradient = tape.gradient(y, x);
  return gradient ? to_dense(gradient) : gradient;
}

Tensor hessian_of(const Map& f, const Tensor& x, HessianMethod method) {
  return hessian([&] { return reduce_sum(square(f(x))); }, x, method);
}

Tensor batch_jacobian_of(const Map& f, const Tensor& x) {
  GradientTape tape({.persistent = true});
  Tensor batch, y;
  {
    auto recording = tape.record();
    tape.watch(x);
    batch = expand_dims(x, 0);
    tape.watch(batch);
    y = expand_dims(f(reshape(batch, {3})), 0);
  }
  return squeeze(tape.batch_jacobian(y, batch), {0});
}

Tensor products_with_columns(const Map& f, const Tensor& x) {
  std::vector<Tensor> columns;
  for (int i = 0; i < 3; ++i) {
    const Tensor column = cast(one_hot(constant(i), 3), DType::f64);
    columns.push_back(hessian_vector_product([&] { return reduce_sum(square(f(x))); }, x, column));
  }
  return transpose(stack(columns, 0));
}

const Way kWays[] = {
    {"Jacobian", Asked::jacobian, [](const Map& f, const Tensor& x) { return jacobian_of(f, x, true); }},
    {"Jacobian, row by row", Asked::jacobian,
     [](const Map& f, const Tensor& x) { return jacobian_of(f, x, false); }},
    {"Jacobian of a batch", Asked::jacobian, batch_jacobian_of},
    {"Jacobian by columns", Asked::jacobian,
     [](const Map& f, const Tensor& x) { return forward_jacobian([&] { return f(x); }, x); }},
    {"Jacobian by two columns at a time", Asked::jacobian,
     [](const Map& f, const Tensor& x) { return forward_jacobian([&] { return f(x); }, x, 2); }},
    {"Jacobian by columns of a function", Asked::jacobian,
     [](const Map& f, const Tensor& x) {
       Function inside("inside", f);
       return forward_jacobian([&] { return inside(x); }, x);
     }},
    {"Hessian", Asked::hessian,
     [](const Map& f, const Tensor& x) { return hessian_of(f, x, HessianMethod::vectorized); }},
    {"Hessian of nested tapes", Asked::hessian,
     [](const Map& f, const Tensor& x) { return hessian_of(f, x, HessianMethod::nested_tapes); }},
    {"Hessian, column by column", Asked::hessian,
     [](const Map& f, const Tensor& x) { return hessian_of(f, x, HessianMethod::forward_over_reverse); }},
    {"Hessian of a function", Asked::hessian,
     [](const Map& f, const Tensor& x) {
       Function inside("inside", f);
       return hessian_of([&](const Tensor& y) { return inside(y); }, x, HessianMethod::vectorized);
     }},
    {"Jacobian of the gradient", Asked::hessian,
     [](const Map& f, const Tensor& x) {
       return jacobian_of([&](const Tensor& y) { return gradient_of_squares(f, y); }, x, true);
     }},
    {"Hessian times columns", Asked::hessian, products_with_columns},
    {"gradient of a Jacobian", Asked::of_jacobian,
     [](const Map& f, const Tensor& x) {
       return gradient_of_squares([&](const Tensor& y) { return jacobian_of(f, y, true); }, x);
     }},
    {"gradient of a Jacobian by columns", Asked::of_jacobian,
     [](const Map& f, const Tensor& x) {
       return gradient_of_squares([&](const Tensor& y) { return forward_jacobian([&] { return f(y); }, y); },
                                  x);
     }},
    {"gradient of a Hessian", Asked::of_hessian,
     [](const Map& f, const Tensor& x) {
       return gradient_of_squares(
           [&](const Tensor& y) { return hessian_of(f, y, HessianMethod::vectorized); }, x);
     }},
};

// Column i: the difference of f on both sides of x[i].
Tensor by_differences(const Map& f, const Tensor& x) {
  constexpr double kStep = 1e-6;
  std::vector<Tensor> columns;
  for (int i = 0; i < 3; ++i) {
    const Tensor step = cast(one_hot(constant(i), 3), DType::f64) * kStep;
    columns.push_back((f(x + step) - f(x - step)) / (2 * kStep));
  }
  return stack(columns, -1);
}

Tensor expected(Asked asked, const Map& f, const Tensor& x) {
  const auto gradient = [&](const Tensor& y) { return gradient_of_squares(f, y); };
  const auto squares = [](const Tensor& y) { return reduce_sum(square(y)); };
  switch (asked) {
    case Asked::jacobian: return by_differences(f, x);
    case Asked::hessian: return by_differences(gradient, x);
    case Asked::of_jacobian:
      return by_differences([&](const Tensor& y) { return squares(jacobian_of(f, y, false)); }, x);
    case Asked::of_hessian:
      return by_differences([&](const Tensor& y) { return squares(jacobian_of(gradient, y, false)); }, x);
  }
  return Tensor();
}

}  // namespace

TEST_CASE(
    "derivatives asked for in every way, inside and outside of functions, are those of the eager program",
    "[derivatives]") {
  const Tensor x = numbers({3}, 3);
  for (const Program& program : programs()) {
    std::vector<std::vector<double>> right;
    for (const Asked asked : {Asked::jacobian, Asked::hessian, Asked::of_jacobian, Asked::of_hessian})
      right.push_back(host_values(expected(asked, program.f, x)));
    for (const Way& way : kWays) {
      const auto run = [&](const Tensor& at) { return way.run(program.f, at); };
      Function traced("traced", run), compiled("compiled", run, {.optimize = {.compiled = true}});
      const std::pair<const char*, Tensor> found[] = {
          {"eager", run(x)}, {"function", traced(x)}, {"compiled", compiled(x)}};
      for (const auto& [mode, result] : found) {
        INFO(program.name << ": " << way.name << ", " << mode);
        REQUIRE(result);
        const auto values = host_values(result);
        const auto& reference = right[static_cast<std::size_t>(way.asked)];
        REQUIRE(values.size() == reference.size());
        for (std::size_t i = 0; i < values.size(); ++i)
          CHECK(std::abs(values[i] - reference[i]) < 1e-5 * (1 + std::abs(reference[i])));
      }
    }
  }
}

TEST_CASE("an accumulator says of a target that is kept as rows how to follow it", "[derivatives]") {
  const Tensor x = numbers({3}, 3);
  const auto asked = [&](bool dense) {
    ForwardAccumulator accumulator(x, ones({3}, DType::f64));
    Tensor rows;
    {
      auto recording = accumulator.record();
      GradientTape tape;
      Tensor y;
      {
        auto inner = tape.record();
        tape.watch(x);
        y = reduce_sum(square(gather(x, constant({0, 2}))));
      }
      rows = tape.gradient(y, x);
      if (dense) rows = to_dense(rows);
    }
    return accumulator.jvp(rows);
  };
  check_close(asked(true), constant({2.0, 0.0, 2.0}, DType::f64));
  CHECK_THROWS_WITH(asked(false), contains_text("to_dense()"));
}
