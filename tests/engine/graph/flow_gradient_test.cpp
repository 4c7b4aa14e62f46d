// Gradients through branches and loops: outside of functions, inside, symbolic, and of higher order.
#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/graph/gradients.h"
#include "engine/ops/ops.h"
#include "engine/tape/forward.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// Rewrites that keep every bit alone, so that results can be compared with eager ones exactly.
const FunctionOptions kOrderKept{.optimize = {.reassociating = false}};

using Numbers = std::vector<std::vector<double>>;
using FlowProgram = std::function<Tensor(const Tensor&)>;

Numbers numbers(const std::vector<Tensor>& tensors) {
  Numbers all;
  for (const Tensor& tensor : tensors) all.push_back(tensor ? elements(tensor) : std::vector<double>{});
  return all;
}

// A program of one tensor and two variables.
struct FlowCase {
  const char* name;
  FlowProgram program;
};

struct Setting {
  Variable w{constant({0.5, -1.25, 2.0}, DType::f64), {.name = "w"}};
  Variable b{constant({0.1, 0.2, -0.3}, DType::f64), {.name = "b"}};
  Tensor x = constant({0.3, -0.7, 1.1}, DType::f64);
  Tensor rows = constant({0.1, 0.9, -0.4, 0.8, -1.2, 0.3, 0.5, 0.2, -0.6}, Shape{3, 3}, DType::f64);

  std::vector<FlowCase> cases() {
    return {
        {"the first branch",
         [this](const Tensor& x) {
           return cond(
               reduce_sum(x) < 100, [&] { return tanh(x * w); }, [&] { return x * b; });
         }},
        {"the second branch",
         [this](const Tensor& x) {
           return cond(
               reduce_sum(x) > 100, [&] { return x * b; }, [&] { return exp(x * w) * w; });
         }},
        {"one branch passes on",
         [](const Tensor& x) {
           return cond(
                      reduce_sum(x) < 100, [&] { return x; }, [&] { return x * x; }) *
                  3;
         }},
        {"a loop",
         [this](const Tensor& x) {
           return std::get<1>(while_loop(
               [](const Tensor& i, const Tensor&) { return i < 4; },
               [this](const Tensor& i, const Tensor& v) { return std::tuple(i + 1, tanh(v * w) + b); },
               std::tuple(constant(0, DType::i32), x)));
         }},
        {"a loop that runs never",
         [this](const Tensor& x) {
           return while_loop([](const Tensor& v) { return reduce_sum(v) > 1000; },
                             [this](const Tensor& v) { return v * w; }, x) *
                  b;
         }},
        {"a loop until a value is large",
         [this](const Tensor& x) {
           return while_loop([](const Tensor& v) { return reduce_sum(v * v) < 50; },
                             [this](const Tensor& v) { return v * 1.5 + sin(w); }, x);
         }},
        {"a loop whose variables swap",
         [this](const Tensor& x) {
           const auto [i, a, c] =
               while_loop([](const Tensor& i, const Tensor&, const Tensor&) { return i < 3; },
                          [this](const Tensor& i, const Tensor& a, const Tensor& c) {
                            return std::tuple(i + 1, c * w, sin(a));
                          },
                          std::tuple(constant(0, DType::i32), x, x * b));
           return a + c;
         }},
        {"a branch in a loop",
         [this](const Tensor& x) {
           return std::get<1>(while_loop([](const Tensor& i, const Tensor&) { return i < 5; },
                                         [this](const Tensor& i, const Tensor& v) {
                                           return std::tuple(i + 1, cond(
                                                                        equal(floormod(i, 2), 0),
                                                                        [&] { return tanh(v) * w; },
                                                                        [&] { return v * v + b; }));
                                         },
                                         std::tuple(constant(0, DType::i32), x)));
         }},
        {"a loop in a branch",
         [this](const Tensor& x) {
           return cond(
               reduce_sum(x) < 100,
               [&] {
                 return while_loop([](const Tensor& v) { return reduce_sum(v * v) < 20; },
                                   [&](const Tensor& v) { return v * 2 + w; }, x);
               },
               [&] { return x * b; });
         }},
        {"a loop in a loop",
         [this](const Tensor& x) {
           return std::get<1>(while_loop([](const Tensor& i, const Tensor&) { return i < 3; },
                                         [this](const Tensor& i, const Tensor& v) {
                                           const auto inner = while_loop(
                                               [&](const Tensor& j, const Tensor&) { return j < i; },
                                               [&](const Tensor& j, const Tensor& u) {
                                                 return std::tuple(j + 1, sin(u) * w);
                                               },
                                               std::tuple(constant(0, DType::i32), v));
                                           return std::tuple(i + 1, std::get<1>(inner) + b);
                                         },
                                         std::tuple(constant(0, DType::i32), x)));
         }},
        {"map_fn",
         [this](const Tensor& x) {
           return map_fn([&](const Tensor& row) { return sin(row * x) * w; }, rows * x);
         }},
        {"scan",
         [this](const Tensor& x) {
           return scan([this](const Tensor& a, const Tensor& row) { return tanh(a * w) + row * b; }, rows * x,
                       x);
         }},
        {"scan from the end",
         [this](const Tensor& x) {
           return scan([this](const Tensor& a, const Tensor& row) { return sin(a * w) * row; }, rows * x, x,
                       {.reverse = true});
         }},
    };
  }

  Numbers from_outside(const std::function<Tensor(const Tensor&)>& run) {
    GradientTape tape;
    tape.enter();
    tape.watch({x, w, b});
    const Tensor y = run(x), loss = reduce_sum(y * y);
    tape.exit();
    return numbers(tape.gradient(loss, {x, w, b}, {.unconnected = Unconnected::zero}));
  }
};

void check_close(const Numbers& found, const Numbers& expected, double tolerance) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    REQUIRE(found[i].size() == expected[i].size());
    for (std::size_t k = 0; k < found[i].size(); ++k)
      CHECK(found[i][k] == Approx(expected[i][k]).margin(tolerance).epsilon(tolerance));
  }
}

}  // namespace

TEST_CASE("a tape outside of a function gives the eager gradients of branches and loops") {
  Setting s;
  for (const FlowCase& c : s.cases()) {
    INFO(c.name);
    Function f("f", c.program, kOrderKept);
    CHECK(elements(f(s.x)) == elements(c.program(s.x)));
    const Numbers eager = s.from_outside(c.program);
    for (int call = 0; call < 2; ++call)
      check_close(s.from_outside([&](const Tensor& x) { return f(x); }), eager, 1e-13);
  }
}

TEST_CASE("a tape inside of a function gives the eager gradients of branches and loops") {
  Setting s;
  for (const FlowCase& c : s.cases()) {
    INFO(c.name);
    for (const bool symbolic : {false, true}) {
      INFO((symbolic ? "gradients()" : "a tape"));
      Function f(
          "f",
          [&](const Tensor& x) {
            if (symbolic) {
              const Tensor y = c.program(x), loss = reduce_sum(y * y);
              return gradients({loss}, {x, s.w, s.b}, {.unconnected = Unconnected::zero});
            }
            GradientTape tape;
            tape.enter();
            tape.watch(x);
            const Tensor y = c.program(x), loss = reduce_sum(y * y);
            tape.exit();
            return tape.gradient(loss, {x, s.w, s.b}, {.unconnected = Unconnected::zero});
          },
          kOrderKept);
      check_close(numbers(f(s.x)), s.from_outside(c.program), 1e-13);
    }
  }
}

TEST_CASE("second derivatives pass through branches and loops") {
  Setting s;
  // d/d(x, w, b) of the sum of squares of dy/dx, by two tapes around the call and by two in the function.
  const auto second = [&](const std::function<Tensor(const Tensor&)>& run, const Tensor& x) {
    GradientTape outer, inner;
    outer.enter();
    outer.watch({x, s.w, s.b});
    inner.enter();
    inner.watch(x);
    const Tensor y = run(x), loss = reduce_sum(y * y);
    inner.exit();
    const Tensor g = inner.gradient(loss, x), total = reduce_sum(g * g);
    outer.exit();
    return outer.gradient(total, {x, s.w, s.b}, {.unconnected = Unconnected::zero});
  };
  for (const FlowCase& c : s.cases()) {
    INFO(c.name);
    const Numbers eager = numbers(second(c.program, s.x));
    Function f("f", c.program, kOrderKept);
    check_close(numbers(second([&](const Tensor& x) { return f(x); }, s.x)), eager, 1e-11);
    Function whole(
        "whole", [&](const Tensor& x) { return second(c.program, x); }, kOrderKept);
    check_close(numbers(whole(s.x)), eager, 1e-11);
    Function half(
        "half",
        [&](const Tensor& x) {
          GradientTape tape;
          tape.enter();
          tape.watch(x);
          const Tensor y = c.program(x), loss = reduce_sum(y * y);
          tape.exit();
          return tape.gradient(loss, x);
        },
        kOrderKept);
    GradientTape tape;
    tape.enter();
    tape.watch({s.x, s.w, s.b});
    const Tensor g = half(s.x), total = reduce_sum(g * g);
    tape.exit();
    check_close(numbers(tape.gradient(total, {s.x, s.w, s.b}, {.unconnected = Unconnected::zero})), eager,
                1e-11);
  }
}

namespace {

// What TensorFlow 2.21 gives in float64 for the case of that name: the gradient of sum(y * y) by x, w and b,
// and the gradient by x of the sum of squares of the first. By tf.cond, tf.while_loop, tf.map_fn and tf.scan
// in a tf.function, two tapes inside, the inner one persistent and asked with unconnected_gradients="zero".
struct Golden {
  const char* name;
  Numbers expected;
};
const Golden kGoldens[] = {
    {"the first branch",
     {{0.14558473582230497, -0.8878306842907058, 0.18705130141622112},
      {0.08735084149338297, -0.4971851832027952, 0.10287821577892162},
      {0, 0, 0},
      {0.1328907778750163, 1.3618317898877152, -0.26624185677651224}}},
    {"a loop",
     {{0.024134591171040765, -0.11140602008740466, 0.022701504161529218},
      {0.16979533888868617, -0.772006984234104, 0.4329889308316559},
      {0.7633288311478025, -0.8395576038811746, 2.449192005403506},
      {4.365635684607027e-05, 0.09174222638907198, -0.004564631610455655}}},
    {"a loop until a value is large",
     {{22.20595633149726, -46.37369435808848, 54.21372374759842},
      {27.42693636191119, -20.58004402235433, -31.75233504185716},
      {0, 0, 0},
      {1011.7588853538439, -2112.9014491904063, 2470.112788249953}}},
    {"map_fn",
     {{0.024231218816890557, -4.028171604831025, 9.895051547177768},
      {0.0072796795444707305, -1.2486475039384854, 3.1333976260474143},
      {0, 0, 0},
      {0.011698637609761236, -101.03139519162946, 331.7998970675907}}},
    {"scan",
     {{0.24473525975269805, -0.6756942775956742, 0.7299213615366109},
      {0.18047679140278497, -1.8579284819417903, 0.47036861899763627},
      {0.09594128108638224, -3.240622193479739, -1.8235777335551613},
      {0.3767888743281748, 3.8237659860852578, -1.1660179532786838}}},
};

}  // namespace

TEST_CASE("gradients through branches and loops are TensorFlow's") {
  Setting s;
  for (const Golden& golden : kGoldens) {
    INFO(golden.name);
    const auto cases = s.cases();
    const auto found = std::find_if(cases.begin(), cases.end(), [&](const FlowCase& c) {
      return std::string_view(c.name) == golden.name;
    });
    REQUIRE(found != cases.end());
    const auto both = [&](const Tensor& x) {
      GradientTape outer, inner({.persistent = true});
      outer.enter();
      outer.watch(x);
      inner.enter();
      inner.watch(x);
      const Tensor y = found->program(x), loss = reduce_sum(y * y);
      inner.exit();
      std::vector<Tensor> gradients = inner.gradient(loss, {x, s.w, s.b}, {.unconnected = Unconnected::zero});
      const Tensor total = reduce_sum(gradients[0] * gradients[0]);
      outer.exit();
      gradients.push_back(outer.gradient(total, x));
      return gradients;
    };
    Function f("f", both);
    check_close(numbers(f(s.x)), golden.expected, 1e-11);
    check_close(numbers(both(s.x)), golden.expected, 1e-11);
  }
}

TEST_CASE("a loop's gradient carries back bit for bit what eager code does") {
  // Without variables that rounds share, whose contributions are added up in another order.
  Setting s;
  const auto program = [](const Tensor& x) {
    return while_loop([](const Tensor& v) { return reduce_sum(v * v) < 50; },
                      [](const Tensor& v) { return v * 1.25 + sin(v); }, x);
  };
  Function f("f", program, kOrderKept);
  CHECK(s.from_outside([&](const Tensor& x) { return f(x); }) == s.from_outside(program));
}

TEST_CASE("what the rounds of a loop keep for its gradient counts as saved") {
  Function f("f", [](const Tensor& x, const Tensor& n) {
    return std::get<1>(while_loop([&](const Tensor& i, const Tensor&) { return i < n; },
                                  [](const Tensor& i, const Tensor& v) { return std::tuple(i + 1, tanh(v)); },
                                  std::tuple(constant(0, DType::i32), x)));
  });
  const auto saved = [&](int rounds) {
    const Tensor x = ones({1000});
    GradientTape tape;
    tape.enter();
    tape.watch(x);
    f(x, constant(rounds, DType::i32));
    tape.exit();
    CHECK(tape.counts().recorded == 1);
    return tape.counts().saved_bytes;
  };
  // tanh keeps its result: 4,000 bytes a round.
  CHECK(saved(12) - saved(2) == 10 * 4000);
}

TEST_CASE("a Jacobian over a branch or a loop in a function is that of eager code") {
  Setting s;
  for (const FlowCase& c : s.cases()) {
    INFO(c.name);
    const auto jacobian = [&](const std::function<Tensor(const Tensor&)>& run, const Tensor& x,
                              bool vectorized) {
      GradientTape tape({.persistent = true});
      tape.enter();
      tape.watch(x);
      const Tensor y = run(x);
      tape.exit();
      return tape.jacobian(y, {x, s.w}, {.vectorized = vectorized, .unconnected = Unconnected::zero});
    };
    const Numbers eager = numbers(jacobian(c.program, s.x, true));
    Function f("f", c.program, kOrderKept);
    check_close(numbers(jacobian([&](const Tensor& x) { return f(x); }, s.x, true)), eager, 1e-12);
    Function whole(
        "whole", [&](const Tensor& x) { return jacobian(c.program, x, true); }, kOrderKept);
    check_close(numbers(whole(s.x)), eager, 1e-12);
  }
}

TEST_CASE("gradients through branches and loops are those of finite differences") {
  Setting s;
  for (const FlowCase& c : s.cases()) {
    INFO(c.name);
    Function f("f", c.program);
    const std::vector<double> found = s.from_outside([&](const Tensor& x) { return f(x); })[0];
    const auto loss = [&](std::int64_t i, double step) {
      std::vector<double> at = elements(s.x);
      at[static_cast<std::size_t>(i)] += step;
      const Tensor y = f(constant(std::span<const double>(at), Shape{3}, DType::f64));
      return element(reduce_sum(y * y), 0);
    };
    for (std::int64_t i = 0; i < 3; ++i) {
      const double expected = (loss(i, 1e-6) - loss(i, -1e-6)) / 2e-6;
      CHECK(found[static_cast<std::size_t>(i)] == Approx(expected).epsilon(1e-6).margin(1e-6));
    }
  }
}

TEST_CASE("a branch that does not use a source gives it zeros in a function, and None in eager code") {
  const Variable w(constant(2.0)), v(constant(3.0));
  const auto choose = [&](const Tensor& x) {
    return cond(
        x > 0, [&] { return x * w; }, [&] { return x * v; });
  };
  const auto gradient = [&](const std::function<Tensor(const Tensor&)>& run) {
    GradientTape tape;
    tape.enter();
    const Tensor y = run(constant(5.0));
    tape.exit();
    return tape.gradient(y, {w, v});
  };
  Function f("f", choose);
  CHECK(numbers(gradient([&](const Tensor& x) { return f(x); })) == Numbers{{5}, {0}});
  CHECK(numbers(gradient(choose)) == Numbers{{5}, {}});
}

TEST_CASE("an accumulator outside of a function follows its branches and loops") {
  Setting s;
  for (const FlowCase& c : s.cases()) {
    INFO(c.name);
    const Tensor tangent = constant({0.7, -0.2, 0.4}, DType::f64);
    const auto forward = [&](const std::function<Tensor(const Tensor&)>& run) {
      ForwardAccumulator accumulator(s.x, tangent);
      accumulator.enter();
      const Tensor y = run(s.x);
      accumulator.exit();
      return numbers({accumulator.jvp(y, Unconnected::zero)});
    };
    Function f("f", c.program, kOrderKept);
    check_close(forward([&](const Tensor& x) { return f(x); }), forward(c.program), 1e-12);
  }
}
