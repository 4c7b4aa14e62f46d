// A host value that a function was traced with is a constant of its graph: no gradient passes, and the reason
// says so.
#include "engine/graph/function.h"
#include "tests/engine/explain/ask_why.h"
#include "tests/engine/explain/explained.h"

using namespace tapescope;

namespace {

// The gradient of f(x) with respect to a variable.
Tensor gradient_of(const Function<Tensor(const Tensor&)>& f, const Variable& source) {
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = f(constant({1.0, 2.0, 3.0}));
  }
  return tape.gradient(y, source);
}

}  // namespace

TEST_CASE("a value read before the trace and baked in is named, at the call that traced and at later ones",
          "[explain]") {
  const auto found = explained([] {
    const Variable scale = variable("scale");
    const double factor = host_values(scale.value())[0];
    Function f("scaled", [factor](const Tensor& x) { return x * factor; });
    for (int call = 0; call < 3; ++call) CHECK_FALSE(gradient_of(f, scale));
  });
  REQUIRE(found.size() == 3);
  for (const Explanation& e : found) {
    CHECK(e.reason == Reason::traced_constant);
    CHECK(e.edge.op == "Mul");
    CHECK(e.edge.name == "scaled/Mul");
    CHECK(e.edge.location.starts_with("traced_constant_test.cpp:"));
    CHECK(e.path.front().op == "PartitionedCall");
    CHECK_THAT(e.message, contains_text("variable 'scale'") && contains_text("function 'scaled'"));
    CHECK_THAT(e.fix, contains_text("argument"));
  }
}

TEST_CASE("the tape itself says it where its records hold the trace", "[explain]") {
  const Variable scale = variable("scale");
  const Tensor x = constant({1.0, 2.0, 3.0});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    const double factor = host_values(square(scale))[0];
    Function f("scaled", [factor](const Tensor& given) { return given * constant(factor); });
    y = f(x);
  }
  CHECK(why(tape, y, scale) == "traced_constant");
}

TEST_CASE("a value read inside the body, and one in a function that another calls, are named too",
          "[explain]") {
  const auto found = explained([] {
    const Variable scale = variable("scale");
    const Tensor outside = square(scale);
    Function inner("inner", [&](const Tensor& x) { return x + host_values(outside)[0]; });
    Function outer("outer", [&](const Tensor& x) { return inner(x) * 2.0; });
    CHECK_FALSE(gradient_of(inner, scale));
    CHECK_FALSE(gradient_of(outer, scale));
  });
  REQUIRE(found.size() == 2);
  for (const Explanation& e : found) {
    INFO(e.message);
    CHECK(e.reason == Reason::traced_constant);
    CHECK(e.edge.op == "AddV2");
  }
}

TEST_CASE("numbers that were not read, and captured tensors, are no traced constants", "[explain]") {
  const auto found = explained([] {
    const Variable scale = variable("scale");
    host_values(scale.value());
    Function unrelated("unrelated", [](const Tensor& x) { return x * 2.0 + 7.5; });
    CHECK_FALSE(gradient_of(unrelated, scale));
    const Tensor copy = constant(host_values(square(scale)), {}).named("copy");
    Function captures("captures", [&](const Tensor& x) { return x * copy; });
    CHECK_FALSE(gradient_of(captures, scale));
  });
  REQUIRE(found.size() == 2);
  CHECK(found[0].reason != Reason::traced_constant);
  CHECK(found[1].reason != Reason::traced_constant);
}
