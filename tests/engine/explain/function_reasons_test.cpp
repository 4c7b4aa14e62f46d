// What breaks inside a function's body is explained as in a program without functions: the op and line of the
// body.
#include <fmt/format.h>

#include "engine/graph/function.h"
#include "engine/tape/custom_gradient.h"
#include "tests/engine/explain/ask_why.h"
#include "tests/engine/explain/explained.h"

using namespace tapescope;

namespace {

// The None that f(x) has with respect to `source`, in two rounds.
template <class F>
std::vector<Explanation> answers(F&& f, const Variable& source) {
  return explained([&] {
    for (int round = 0; round < 2; ++round) {
      GradientTape tape;
      Tensor y;
      {
        auto recording = tape.record();
        y = reduce_sum(f(constant({1.0, 2.0, 3.0})) * 2.0);
      }
      CHECK_FALSE(tape.gradient(y, source));
    }
  });
}

void check(const std::vector<Explanation>& found, Reason reason, std::string_view op, int line) {
  REQUIRE(found.size() == 2);
  for (const Explanation& e : found) {
    INFO(e.message);
    CHECK(name_of(e.reason) == name_of(reason));
    CHECK(e.edge.op == op);
    CHECK(e.location == fmt::format("function_reasons_test.cpp:{}", line));
    CHECK(e.location == e.edge.location);
  }
}

}  // namespace

TEST_CASE("stop_gradient in a function's body", "[explain]") {
  const Variable w = variable("w"), b = variable("b");
  Function f("f", [&](const Tensor& x) { return stop_gradient(x * w) * b; });
  check(answers(f, w), Reason::stop_gradient, "StopGradient", __LINE__ - 1);
}

TEST_CASE("an op without a gradient in the body of a function that another one calls", "[explain]") {
  const Variable w = variable("w");
  Function inner("inner", [&](const Tensor& x) { return round(x * w); });
  const int line = __LINE__ - 1;
  Function outer("outer", [&](const Tensor& x) { return square(inner(x + 1.0)); });
  check(answers(outer, w), Reason::not_differentiable, "Round", line);
}

TEST_CASE("a cast to whole numbers in a function's body", "[explain]") {
  const Variable w = variable("w");
  Function f("f", [&](const Tensor& x) { return cast(cast(x * w, DType::i32), DType::f32); });
  check(answers(f, w), Reason::integer_cast, "Cast", __LINE__ - 1);
}

TEST_CASE("an argument without a gradient in a function's body", "[explain]") {
  const Variable w = variable("w");
  Function f("f", [&](const Tensor& x) { return polygamma(w, x); });
  check(answers(f, w), Reason::argument_not_differentiable, "Polygamma", __LINE__ - 1);
}

TEST_CASE("an assignment in a function's body", "[explain]") {
  const Variable w = variable("w"), state = variable("state");
  Function f("f", [&](const Tensor& x) {
    state.assign(reduce_sum(x * w));
    return state.value() * x;
  });
  check(answers(f, w), Reason::state_update, "AssignVariableOp", __LINE__ - 3);
}

TEST_CASE("one result of a function does not depend on what another one uses", "[explain]") {
  const Variable w = variable("w"), b = variable("b");
  Function f("f", [&](const Tensor& x) { return std::vector<Tensor>{x * b, x * w}; });
  const auto found = answers([&](const Tensor& x) { return f(x)[0]; }, w);
  REQUIRE(found.size() == 2);
  for (const Explanation& e : found) CHECK(name_of(e.reason) == "independent");
}

TEST_CASE("an argument that a function's body leaves unread is unused", "[explain]") {
  const Variable w = variable("w");
  Function f("f", [](const Tensor& x, const Variable&) { return x * 2.0; });
  const auto found = answers([&](const Tensor& x) { return f(x, w); }, w);
  REQUIRE(found.size() == 2);
  for (const Explanation& e : found) CHECK(name_of(e.reason) == "unused");
}

TEST_CASE("a tensor that a function captured and the program exchanged since", "[explain]") {
  const int line = __LINE__ + 10;
  const auto found = explained([] {
    Tensor scale = constant(2.0).named("scale");
    Function f("scaled", [&](const Tensor& x) { return x * scale; });
    for (int round = 0; round < 2; ++round) {
      GradientTape tape;
      Tensor y;
      {
        auto recording = tape.record();
        tape.watch(scale);
        y = f(constant({1.0, 2.0, 3.0}));
      }
      const Tensor gradient = tape.gradient(y, scale);
      CHECK(static_cast<bool>(gradient) == (round == 0));
      if (gradient) scale = constant(3.0).named("scale");
    }
  });
  REQUIRE(found.size() == 1);
  INFO(found[0].message);
  CHECK(name_of(found[0].reason) == "traced_constant");
  CHECK(found[0].edge.name == "scaled");
  CHECK_THAT(found[0].edge.location, contains_text(fmt::format("function_reasons_test.cpp:{}", line)));
  CHECK(found[0].path.back().name == "scaled/Mul");
  CHECK_THAT(found[0].fix, contains_text("argument"));
}

TEST_CASE("a variable's value that the body takes without a read and reads on the host", "[explain]") {
  const int line = __LINE__ + 3;
  check(explained([] {
          const Variable w = variable("w");
          Function f("f", [&](const Tensor& x) { return x * item(w.peek()); });
          for (int round = 0; round < 2; ++round) {
            GradientTape tape;
            Tensor y;
            {
              auto recording = tape.record();
              y = reduce_sum(f(constant({1.0, 2.0, 3.0})));
            }
            tape.gradient(y, w);
          }
        }),
        Reason::traced_constant, "Mul", line);
}

TEST_CASE("a number that a helper computed from a variable's value, before the body takes it", "[explain]") {
  const int line = __LINE__ + 6;
  const auto found = explained([] {
    const Variable w = variable("w");
    const auto sharpness = [&] {
      return constant(std::log1p(std::exp(item(w.peek()))));
    };
    Function f("f", [&](const Tensor& x) { return x * sharpness(); });
    for (int round = 0; round < 2; ++round) {
      GradientTape tape;
      Tensor y;
      {
        auto recording = tape.record();
        y = reduce_sum(f(constant({1.0, 2.0, 3.0})));
      }
      tape.gradient(y, w);
    }
  });
  check(found, Reason::traced_constant, "Mul", line);
}

TEST_CASE("a custom gradient's None in a function's body, and in one that another calls", "[explain]") {
  const Variable w = variable("w"), b = variable("b");
  const CustomGradient mine("mine", [](std::span<const Tensor> x) {
    const Tensor e = exp(x[0]);  // held, as is an argument
    return WithGradient{.outputs = {e * x[1]}, .gradient = [e, v = x[1]](std::span<const Tensor> dy) {
                          return std::vector<Tensor>{dy[0] * v * e, Tensor()};
                        }};
  });
  Function f("f", [&](const Tensor& x) { return mine(x * b, x * w); });
  const int line = __LINE__ - 1;
  check(answers(f, w), Reason::custom_gradient_none, "mine", line);
  const int inner_line = __LINE__ + 1;
  Function inner("inner", [&](const Tensor& x) { return mine(x * b, x * w); });
  Function outer("outer", [&](const Tensor& x) { return square(inner(x + 1.0)); });
  check(answers(outer, w), Reason::custom_gradient_none, "mine", inner_line);
}
