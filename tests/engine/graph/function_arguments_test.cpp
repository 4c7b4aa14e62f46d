// Functions of lambdas: default values, no name, plain functions.
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

Tensor doubled(const Tensor& x) { return x * 2.0; }

}  // namespace

TEST_CASE("a lambda's default values hold for arguments that a call leaves out") {
  Function scaled("scaled", [](const Tensor& x, double by = 2.0, bool negative = false) {
    return negative ? -(x * by) : x * by;
  });
  const Tensor x = constant({1.0});
  CHECK(values_text(scaled(x)) == "[2]");
  CHECK(values_text(scaled(x, 3.0)) == "[3]");
  CHECK(values_text(scaled(x, 3.0, true)) == "[-3]");
  CHECK(values_text(scaled(x)) == "[2]");
  CHECK(scaled.tracing_count() == 3);
}

TEST_CASE("a function without a name is called after its line, and plain functions are callables too") {
  const unsigned line = __LINE__ + 1;
  Function f([](const Tensor& x) { return x > 0.0; });
  CHECK(f.name() == "function:" + std::to_string(line));
  CHECK(values_text(f(constant({1.0, -1.0}))) == "[true, false]");
  Function g("g", doubled);
  Function<Tensor(const Tensor&)> h(doubled);
  CHECK(values_text(g(constant(2.0))) == "4");
  CHECK(values_text(h(constant(2.0))) == "4");
}
