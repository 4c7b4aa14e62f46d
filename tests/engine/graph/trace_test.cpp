// What tracing does to a program: effects once, values later, symbols that stay inside.
#include <string>
#include <vector>

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("side effects happen while tracing only") {
  int runs = 0;
  Function f("f", [&](const Tensor& x) {
    ++runs;
    return x + static_cast<double>(runs);
  });
  CHECK(item(f(constant(1.0))) == 2);
  CHECK(item(f(constant(2.0))) == 3);
  CHECK(runs == 1);
}

TEST_CASE("captured tensors keep their value, captured variables their place") {
  Tensor scale = constant(2.0);
  const Variable v(constant(10.0));
  Function f("f", [&](const Tensor& x) { return x * scale + v; });
  CHECK(item(f(constant(1.0))) == 12);
  scale = constant(100.0);
  v.assign(constant(20.0));
  CHECK(item(f(constant(1.0))) == 22);
}

TEST_CASE("a captured variable outlives its last name") {
  std::vector<Variable> variables{Variable(constant(3.0))};
  Function f("f", [&](const Tensor& x) { return x * variables.front(); });
  CHECK(item(f(constant(2.0))) == 6);
  variables.clear();
  CHECK(item(f(constant(3.0))) == 9);
}

TEST_CASE("assignments and reads keep their order") {
  const Variable v(constant(1.0));
  Function f("f", [&](const Tensor& x) {
    const Tensor before = v.value();
    v.assign(x);
    const Tensor between = v.value();
    v.assign_add(1.0);
    v.assign_sub(0.5);
    return std::vector<Tensor>{before, between, v.value()};
  });
  const auto all = f(constant(5.0));
  CHECK(item(all[0]) == 1);
  CHECK(item(all[1]) == 5);
  CHECK(item(all[2]) == 5.5);
  CHECK(item(f(constant(7.0))[0]) == 5.5);
  CHECK(element(v.peek(), 0) == 7.5);
}

TEST_CASE("stateful draws are new at each call, as eager ones are") {
  const auto draws = [] { return random_normal({3}) + random_uniform({3}); };
  set_seed(5);
  const auto first = host_values(draws()), second = host_values(draws());
  Function f("f", draws);
  set_seed(5);
  CHECK(host_values(f()) == first);
  CHECK(host_values(f()) == second);
}

TEST_CASE("a symbol has no values for the host, and the error names the function") {
  Function f("train_step", [](const Tensor& x) { return constant(item(x)); });
  CHECK_THROWS_WITH(f(constant(1.0)), contains_text("[item]") && contains_text("'train_step'"));
  Function g("train_step", [](const Tensor& x) { return constant(host_values(x)[0]); });
  CHECK_THROWS_WITH(g(constant(1.0)), contains_text("[host_values]") && contains_text("'train_step'"));
}

TEST_CASE("a symbol that leaked is refused, and the error names its function") {
  Tensor leaked;
  Function f("leaky", [&](const Tensor& x) { return leaked = x * 2.0; });
  CHECK(item(f(constant(1.0))) == 2);
  CHECK_THROWS_WITH(leaked + 1.0, contains_text("'leaky'") && contains_text("return it"));
  CHECK_THROWS_WITH(item(leaked), contains_text("'leaky'"));
  Function g("g", [&](const Tensor& x) { return x + leaked; });
  CHECK_THROWS_WITH(g(constant(1.0)), contains_text("'leaky'"));
  // As a source it is merely unknown.
  GradientTape tape;
  const Tensor x = constant(1.0);
  tape.enter();
  tape.watch(x);
  const Tensor y = x * x;
  tape.exit();
  CHECK_FALSE(tape.gradient(y, leaked));
}

TEST_CASE("a function may use the symbols of the function around it") {
  Function outer("outer", [](const Tensor& x) {
    const Tensor doubled = x * 2.0;
    Function inner("inner", [&](const Tensor& y) { return y + doubled; });
    return inner(x) * inner(doubled);
  });
  CHECK(item(outer(constant(3.0))) == 9 * 12);
}

TEST_CASE("results may be arguments, captures, nothing, and be repeated") {
  const Tensor outside = constant(7.0);
  Function f("f", [&](const Tensor& x) { return std::tuple(x, outside, Tensor(), x); });
  const auto [a, b, c, d] = f(constant(1.0));
  CHECK(item(a) == 1);
  CHECK(item(b) == 7);
  CHECK_FALSE(c);
  CHECK(item(d) == 1);
  Function maps("maps", [](const std::map<std::string, Tensor>& m) {
    return std::map<std::string, Tensor>{{"sum", m.at("a") + m.at("b")}};
  });
  CHECK(item(maps({{"a", constant(1.0)}, {"b", constant(2.0)}}).at("sum")) == 3);
}

TEST_CASE("a trace that raised leaves the thread as it was") {
  bool raise = true;
  Function f("f", [&](const Tensor& x) {
    if (raise) throw std::runtime_error("no");
    return x + 1.0;
  });
  CHECK_THROWS_WITH(f(constant(1.0)), "no");
  CHECK(item(constant(1.0) + 1.0) == 2);
  raise = false;
  CHECK(item(f(constant(1.0))) == 2);
  CHECK(f.tracing_count() == 1);
}

TEST_CASE("functions can be run eagerly") {
  int runs = 0;
  Function f("f", [&](const Tensor& x) {
    ++runs;
    return constant(item(x));
  });
  run_functions_eagerly(true);
  f(constant(1.0));
  f(constant(1.0));
  run_functions_eagerly(false);
  CHECK(runs == 2);
  CHECK(f.tracing_count() == 0);
}
