// Gradients through branches and loops: outside of functions, inside, symbolic, and of higher order.
#include <functional>
#include <vector>

#include "engine/graph/flow.h"
#include "engine/graph/function.h"
#include "engine/graph/gradients.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// Rewrites that keep every bit alone, so that results can be compared with eager ones exactly.
const FunctionOptions kExact{.optimize = {.reassociating = false}};

using Numbers = std::vector<std::vector<double>>;
using Program = std::function<Tensor(const Tensor&)>;

Numbers numbers(const std::vector<Tensor>& tensors) {
  Numbers all;
  for (const Tensor& tensor : tensors) all.push_back(tensor ? elements(tensor) : std::vector<double>{});
  return all;
}

// A program of one tensor and two variables.
struct Case {
  const char* name;
  Program program;
};

struct Setting {
  Variable w{constant({0.5, -1.25, 2.0}, DType::f64), {.name = "w"}};
  Variable b{constant({0.1, 0.2, -0.3}, DType::f64), {.name = "b"}};
  Tensor x = constant({0.3, -0.7, 1.1}, DType::f64);
  Tensor rows = constant({0.1, 0.9, -0.4, 0.8, -1.2, 0.3, 0.5, 0.2, -0.6}, Shape{3, 3}, DType::f64);

  std::vector<Case> cases() {
    return {
        {"the first branch", [this](const Tensor& x) { return cond(reduce_sum(x) < 100, [&] { return tanh(x * w); }, [&] { return x * b; }); }},
        {"the second branch", [this](const Tensor& x) { return cond(reduce_sum(x) > 100, [&] { return x * b; }, [&] { return exp(x * w) * w; }); }},
        {"one branch passes on", [](const Tensor& x) { return cond(reduce_sum(x) < 100, [&] { return x; }, [&] { return x * x; }) * 3; }},
        {"a loop", [this](const Tensor& x) {
           return std::get<1>(while_loop([](const Tensor& i, const Tensor&) { return i < 4; },
                                         [this](const Tensor& i, const Tensor& v) { return std::tuple(i + 1, tanh(v * w) + b); },
                                         std::tuple(constant(0, DType::i32), x)));
         }},
        {"a loop that runs never", [this](const Tensor& x) {
           return while_loop([](const Tensor& v) { return reduce_sum(v) > 1000; }, [this](const Tensor& v) { return v * w; }, x) * b;
         }},
        {"a loop until a value is large", [this](const Tensor& x) {
           return while_loop([](const Tensor& v) { return reduce_sum(v * v) < 50; }, [this](const Tensor& v) { return v * 1.5 + sin(w); }, x);
         }},
        {"a loop whose variables swap", [this](const Tensor& x) {
           const auto [i, a, c] = while_loop(
               [](const Tensor& i, const Tensor&, const Tensor&) { return i < 3; },
               [this](const Tensor& i, const Tensor& a, const Tensor& c) { return std::tuple(i + 1, c * w, sin(a)); },
               std::tuple(constant(0, DType::i32), x, x * b));
           return a + c;
         }},
        {"a branch in a loop", [this](const Tensor& x) {
           return std::get<1>(while_loop(
               [](const Tensor& i, const Tensor&) { return i < 5; },
               [this](const Tensor& i, const Tensor& v) {
                 return std::tuple(i + 1, cond(equal(floormod(i, 2), 0), [&] { return tanh(v) * w; }, [&] { return v * v + b; }));
               },
               std::tuple(constant(0, DType::i32), x)));
         }},
        {"a loop in a branch", [this](const Tensor& x) {
           return cond(reduce_sum(x) < 100,
                       [&] { return while_loop([](const Tensor& v) { return reduce_sum(v * v) < 20; }, [&](const Tensor& v) { return v * 2 + w; }, x); },
                       [&] { return x * b; });
         }},
        {"a loop in a loop", [this](const Tensor& x) {
           return std::get<1>(while_loop(
               [](const Tensor& i, const Tensor&) { return i < 3; },
               [this](const Tensor& i, const Tensor& v) {
                 const auto inner = while_loop([&](const Tensor& j, const Tensor&) { return j < i; },
                                               [&](const Tensor& j, const Tensor& u) { return std::tuple(j + 1, sin(u) * w); },
                                               std::tuple(constant(0, DType::i32), v));
                 return std::tuple(i + 1, std::get<1>(inner) + b);
               },
               std::tuple(constant(0, DType::i32), x)));
         }},
        {"map_fn", [this](const Tensor& x) { return map_fn([&](const Tensor& row) { return sin(row * x) * w; }, rows * x); }},
        {"scan", [this](const Tensor& x) { return scan([this](const Tensor& a, const Tensor& row) { return tanh(a * w) + row * b; }, rows * x, x); }},
        {"scan from the end", [this](const Tensor& x) {
           return scan([this](const Tensor& a, const Tensor& row) { return sin(a * w) * row; }, rows * x, x, {.reverse = true});
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
    for (std::size_t k = 0; k < found[i].size(); ++k) CHECK(found[i][k] == Approx(expected[i][k]).margin(tolerance).epsilon(tolerance));
  }
}

}  // namespace

TEST_CASE("a tape outside of a function gives the eager gradients of branches and loops") {
  Setting s;
  for (const Case& c : s.cases()) {
    INFO(c.name);
    Function f("f", c.program, kExact);
    CHECK(elements(f(s.x)) == elements(c.program(s.x)));
    const Numbers eager = s.from_outside(c.program);
    for (int call = 0; call < 2; ++call) check_close(s.from_outside([&](const Tensor& x) { return f(x); }), eager, 1e-13);
  }
}

TEST_CASE("a tape inside of a function gives the eager gradients of branches and loops") {
  Setting s;
  for (const Case& c : s.cases()) {
    INFO(c.name);
    for (const bool symbolic : {false, true}) {
      INFO((symbolic ? "gradients()" : "a tape"));
      Function f("f", [&](const Tensor& x) {
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
      }, kExact);
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
  for (const Case& c : s.cases()) {
    INFO(c.name);
    const Numbers eager = numbers(second(c.program, s.x));
    Function f("f", c.program, kExact);
    check_close(numbers(second([&](const Tensor& x) { return f(x); }, s.x)), eager, 1e-11);
    Function whole("whole", [&](const Tensor& x) { return second(c.program, x); }, kExact);
    check_close(numbers(whole(s.x)), eager, 1e-11);
    Function half("half", [&](const Tensor& x) {
      GradientTape tape;
      tape.enter();
      tape.watch(x);
      const Tensor y = c.program(x), loss = reduce_sum(y * y);
      tape.exit();
      return tape.gradient(loss, x);
    }, kExact);
    GradientTape tape;
    tape.enter();
    tape.watch({s.x, s.w, s.b});
    const Tensor g = half(s.x), total = reduce_sum(g * g);
    tape.exit();
    check_close(numbers(tape.gradient(total, {s.x, s.w, s.b}, {.unconnected = Unconnected::zero})), eager, 1e-11);
  }
}
