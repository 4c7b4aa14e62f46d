// Programs as users write them, whose None was once answered wrongly: what was blamed was innocent.
#include <fmt/format.h>

#include "engine/graph/flow.h"
#include "engine/tape/custom_gradient.h"
#include "engine/tape/trainable.h"
#include "tests/engine/explain/ask_why.h"
#include "tests/engine/explain/explained.h"

using namespace tapescope;

namespace {

std::string here(int line) { return fmt::format("user_programs_test.cpp:{}", line); }

// The only None of a program.
Explanation only(const std::vector<Explanation>& found) {
  REQUIRE(found.size() == 1);
  INFO(found[0].message);
  CHECK_FALSE(found[0].fix.empty());
  return found[0];
}

Tensor x3() { return constant({1.0, 2.0, 3.0}); }

}  // namespace

TEST_CASE("leaves that one line makes side by side are several tensors", "[explain]") {
  const Explanation e = only(explained([] {
    const Tensor used = constant(0.5), unused = constant(0.5);
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(used);
      tape.watch(unused);
      y = square(used);
    }
    tape.gradient(y, {used, unused});
  }));
  CHECK(name_of(e.reason) == "unused");
}

TEST_CASE("variables without names that one line makes are several", "[explain]") {
  const int line = __LINE__ + 3;
  const Explanation e = only(explained([] {
    std::vector<Variable> weights;
    for (int i = 0; i < 3; ++i) weights.emplace_back(constant(0.5 + i));
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      y = square(weights[0]) + weights[2];
    }
    tape.gradient(y, {weights[0], weights[1], weights[2]});
  }));
  CHECK(name_of(e.reason) == "unused");
  CHECK(e.location == here(line));  // not a line of <vector>
}

TEST_CASE("what a line makes again after the first one was used is another making of it", "[explain]") {
  const Explanation e = only(explained([] {
    const auto make = [] { return constant({1.0, 2.0}); };
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      const Tensor x = make();
      tape.watch(x);
      y = reduce_sum(square(x));
    }
    tape.gradient(y, {make()});
  }));
  CHECK(name_of(e.reason) == "recreated_tensor");
}

TEST_CASE("a variable's value times one is another tensor than the variable that the target read",
          "[explain]") {
  const Explanation e = only(explained([] {
    const Variable fee(constant({0.1, 0.2}), {.name = "fee"});
    GradientTape tape;
    Tensor y, named;
    {
      auto recording = tape.record();
      named = 1.0 * fee;
      y = reduce_sum(square(fee));
    }
    tape.gradient(y, {named});
  }));
  CHECK(name_of(e.reason) == "recreated_tensor");
  CHECK(e.message.find("variable 'fee'") != std::string::npos);
}

TEST_CASE("a variable that a copy of it has replaced is asked for by that copy", "[explain]") {
  const int line = __LINE__ + 3;
  const Explanation e = only(explained([] {
    const Variable first(constant({0.1, 0.2}), {.name = "stroke"});
    const Variable copy(first.value(), {.name = "stroke"});
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      y = reduce_sum(square(copy));
    }
    tape.gradient(y, {first});
  }));
  CHECK(name_of(e.reason) == "recreated_tensor");
  CHECK(e.location == here(line));
}

TEST_CASE("a derivative whose values the host changes on the way to the loss is a host round trip",
          "[explain]") {
  const int line = __LINE__ + 15;
  const Explanation e = only(explained([] {
    const Variable stiffness(constant(1.5), {.name = "stiffness"});
    const Tensor bend = constant({0.1, 0.5});
    GradientTape outer;
    Tensor loss;
    {
      auto recording = outer.record();
      GradientTape inner;
      Tensor energy;
      {
        auto recording_inner = inner.record();
        inner.watch(bend);
        energy = reduce_sum(stiffness * square(bend));
      }
      std::vector<double> force = host_values(inner.gradient(energy, bend));
      for (double& one : force) one = -one;
      loss = reduce_variance(constant(force));
    }
    outer.gradient(loss, {stiffness});
  }));
  CHECK(name_of(e.reason) == "host_round_trip");
  CHECK(e.location == here(line));
}

TEST_CASE("what the program has moved on since the target was computed is another tensor", "[explain]") {
  const int line = __LINE__ + 10;
  const Explanation e = only(explained([] {
    Tensor x = constant({1.0, 2.0});
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);
      const Tensor pull = 2.0 * x;
      y = reduce_sum(square(pull));
      x = x - 0.1 * pull;
    }
    tape.gradient(y, {x});
  }));
  CHECK(name_of(e.reason) == "recreated_tensor");
  CHECK(e.location == here(line));
}

TEST_CASE("what was computed from the target's inputs but is no replacement of one is unused", "[explain]") {
  const Explanation e = only(explained([] {
    const Variable w = variable("w");
    GradientTape tape;
    Tensor y, side;
    {
      auto recording = tape.record();
      side = tanh(w);
      y = reduce_sum(square(w));
    }
    tape.gradient(y, {side});
  }));
  CHECK(name_of(e.reason) == "unused");
}

TEST_CASE("a custom gradient is blamed, not the variable read before it", "[explain]") {
  const int line = __LINE__ + 13;
  const Explanation e = only(explained([] {
    const Variable a = variable("a"), b = variable("b");
    const CustomGradient mine("mine", [](std::span<const Tensor> x) {
      return WithGradient{.outputs = {x[0] * x[1]}, .gradient = [v = x[1]](std::span<const Tensor> dy) {
                            return std::vector<Tensor>{dy[0] * v, Tensor()};
                          }};
    });
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      const Tensor k = exp(b);
      y = reduce_sum(mine(x3() * a, k));
    }
    tape.gradient(y, {a, b});
  }));
  CHECK(name_of(e.reason) == "custom_gradient_none");
  CHECK(e.edge.op == "mine");
  CHECK(e.location == here(line));
}

TEST_CASE("a first gradient taken before the outer tape was opened", "[explain]") {
  const int line = __LINE__ + 9;
  const Explanation e = only(explained([] {
    const Variable a = variable("a");
    GradientTape inner, outer;
    Tensor y, z;
    {
      auto recording = inner.record();
      y = square(a) * a;
    }
    const Tensor slope = inner.gradient(y, a);
    {
      auto recording = outer.record();
      z = slope * slope;
    }
    outer.gradient(z, a);
  }));
  CHECK(name_of(e.reason) == "inner_gradient_outside_outer_tape");
  CHECK(e.location == here(line));
}

TEST_CASE("the gradient of something linear depends on nothing: the call that took it is named",
          "[explain]") {
  const int line = __LINE__ + 13;
  const Explanation e = only(explained([] {
    const Variable a = variable("a");
    GradientTape outer;
    Tensor slope;
    {
      auto recording = outer.record();
      GradientTape inner;
      Tensor y;
      {
        auto within = inner.record();
        y = a * 3.0;
      }
      slope = inner.gradient(y, a);
    }
    outer.gradient(slope, a);
  }));
  CHECK(name_of(e.reason) == "independent");
  CHECK(e.location == here(line));
}

TEST_CASE("a tensor made in the round before ran before this round's tape", "[explain]") {
  const auto found = explained([] {
    const Variable w = variable("w"), b = variable("b");
    Tensor state = constant(0.1);
    for (int round = 0; round < 2; ++round) {
      GradientTape tape;
      Tensor y, next;
      {
        auto recording = tape.record();
        y = square(b - state);
        next = tanh(w * state);
      }
      if (round == 1) tape.gradient(y, {w, b});
      state = next;
    }
  });
  CHECK(name_of(only(found).reason) == "outside_tape_before");
}

TEST_CASE("an op that another tape recorded for another input is not what that tape saw of the source",
          "[explain]") {
  const Explanation e = only(explained([] {
    const Variable a = variable("a");
    const Tensor x = constant(2.0).named("x");
    GradientTape asked, other({.watch_accessed_variables = false});
    {
      auto recording = asked.record();
      asked.watch(x);
    }
    Tensor y;
    {
      auto recording = other.record();
      other.watch(x);
      y = x * a;
    }
    asked.gradient(y, a);
  }));
  CHECK(name_of(e.reason) == "outside_tape_after");
}

TEST_CASE("tapes that one line opened are distinguished", "[explain]") {
  const Explanation e = only(explained([] {
    const Variable a = variable("a"), b = variable("b");
    GradientTape tapes[2];
    Tensor y[2];
    for (int i = 0; i < 2; ++i) {
      auto recording = tapes[i].record();
      y[i] = square(i == 0 ? a : b);
    }
    tapes[0].gradient(y[1], b);
  }));
  CHECK(name_of(e.reason) == "other_tape");
  CHECK_THAT(e.message, contains_text("opened later"));
}

TEST_CASE("freezing is named with the line that froze", "[explain]") {
  const int line = __LINE__ + 3;
  const Explanation e = only(explained([] {
    const Variable a = variable("a");
    set_trainable(a, false);
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      y = square(a);
    }
    tape.gradient(y, a);
  }));
  CHECK(name_of(e.reason) == "not_trainable");
  CHECK(e.location == here(line));
}

TEST_CASE("a branch that the host's if did not take, though it did in the round before", "[explain]") {
  const int line = __LINE__ + 9;
  const Explanation e = only(explained([] {
    const Variable a = variable("a"), b = variable("b");
    for (int round = 0; round < 2; ++round) {
      GradientTape tape;
      Tensor y;
      {
        auto recording = tape.record();
        const Tensor s = b * 2.0;
        y = item(s) > 3.0 ? s * a : s * 2.0;
      }
      tape.gradient(y, {a, b});
      b.assign(constant(1.0));
    }
  }));
  CHECK(name_of(e.reason) == "branch_not_taken");
  CHECK(e.location == here(line));
}

TEST_CASE("a variable that only the branch of an eager cond reads which never ran", "[explain]") {
  const int line = __LINE__ + 8;
  const Explanation e = only(explained([] {
    const Variable a = variable("a"), b = variable("b");
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      const Tensor s = b * 2.0;
      y = cond(
          s > 100.0, [&] { return s * a; }, [&] { return s * 2.0; });
    }
    tape.gradient(y, {a, b});
  }));
  CHECK(name_of(e.reason) == "branch_not_taken");
  CHECK(e.location == here(line));
}

TEST_CASE("a condition chooses although its line prints as well", "[explain]") {
  const int line = __LINE__ + 8;
  const Explanation e = only(explained([] {
    const Variable a = variable("a"), b = variable("b");
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      const Tensor s = b * 2.0;
      if (s > 100.0) std::printf("%g", item(s * a));
      y = s * 2.0;
    }
    tape.gradient(y, {a, b});
  }));
  CHECK(name_of(e.reason) == "branch_not_taken");
  CHECK(e.location == here(line));
}

TEST_CASE("a value that was only printed is unused", "[explain]") {
  const Explanation e = only(explained([] {
    const Variable a = variable("a"), b = variable("b");
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      CHECK(element(a.peek(), 0) > 0);
      y = reduce_sum(square(x3() * b) * 0.25);
    }
    tape.gradient(y, {a, b});
  }));
  CHECK(name_of(e.reason) == "unused");
}

TEST_CASE("a way that an assignment cut by chance is named before one that was stopped on purpose",
          "[explain]") {
  const int line = __LINE__ + 8;
  const Explanation e = only(explained([] {
    const Variable a = variable("a"), b = variable("b"), level = variable("level", 8.0, false);
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      const Tensor price = stop_gradient(a * 0.1);
      level.assign(level * exp(-a));
      y = square(level) + price * b;
    }
    tape.gradient(y, {a, b});
  }));
  CHECK(name_of(e.reason) == "state_update");
  CHECK(e.location == here(line));
}

TEST_CASE("of several uses of a tensor that no tape watches the first one is named", "[explain]") {
  const int line = __LINE__ + 8;
  const Explanation e = only(explained([&] {
    const Variable glass = variable("glass", 1.5);
    const Tensor beam = constant(0.8).named("beam");
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      const Tensor inside = asin(sin(beam) / glass);
      y = beam + asin(glass * sin(1.0 - inside));
    }
    tape.gradient(y, {Traced(glass), Traced(beam)});
  }));
  CHECK(name_of(e.reason) == "not_watched");
  CHECK(e.location == here(line));
}

TEST_CASE("tensors that one_hot takes for its values get no gradient from it", "[explain]") {
  const int line = __LINE__ + 7;
  const Explanation e = only(explained([&] {
    const Variable sure = variable("sure", 0.9), b = variable("b");
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      const Tensor labels = one_hot(constant({0, 2}, DType::i32), 3, sure, 0.05);
      y = reduce_sum(labels * b);
    }
    tape.gradient(y, {sure, b});
  }));
  CHECK(name_of(e.reason) == "not_differentiable");
  CHECK(e.edge.op == "OneHot");
  CHECK(e.location == here(line));
  CHECK(e.fix.find("outside") != std::string::npos);
}

TEST_CASE("a value that the host reads to print it did not come back", "[explain]") {
  for (const bool kept : {false, true}) {
    const auto program = [&] {
      const Variable a = variable("a", 40.0), b = variable("b");
      GradientTape tape;
      Tensor y;
      {
        auto recording = tape.record();
        const Tensor shown = square(a) / 40.0;
        if (kept) {
          const double degrees = item(shown);
          INFO("degrees " << degrees);
        } else {
          INFO("degrees " << item(shown));
        }
        y = reduce_sum(square(b - 40.0));
      }
      CHECK(name_of(tape.explain(y, a).reason) == "independent");
      tape.gradient(y, {a, b});
    };
    CHECK(name_of(only(explained(program)).reason) == "independent");
  }
}

TEST_CASE("a value that the host reads and gives to an op as a number or a parameter", "[explain]") {
  for (const bool parameter : {false, true}) {
    const int line = __LINE__ + 7;
    const Explanation e = only(explained([&] {
      const Variable a = variable("a", 0.3), b = variable("b");
      GradientTape tape;
      Tensor y;
      {
        auto recording = tape.record();
        const double k = item(square(a)) * 0.7;
        const Tensor h = square(tanh(b * 0.25)) + 1.0;
        y = parameter ? leaky_relu(h, k) : exp(h) * k;
      }
      tape.gradient(y, {a, b});
    }));
    CHECK(name_of(e.reason) == "host_round_trip");
    CHECK(e.location == here(line));
  }
}
