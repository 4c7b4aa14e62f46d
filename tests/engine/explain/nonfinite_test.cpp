// Where NaN and infinity began, in programs that ran while a session listened.
#include "engine/explain/nonfinite.h"

#include <limits>
#include <map>

#include <fmt/format.h>

#include "engine/gate/op.h"
#include "engine/tapescope.h"
#include "tests/engine/explain/observed.h"
#include "tests/support/approval.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class Program>
NonFiniteExplanation origin_of(Program&& program, const SessionOptions& options = {}) {
  const auto found = find_nonfinite(observed(program, options));
  REQUIRE(found);
  return *found;
}

// Asks for the gradient of what `target` computes of a variable with these values.
template <class Target>
auto asks(const Tensor& start, Target target) {
  return [start, target] {
    const Variable w(start, {.name = "w"});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = target(w);
    }
    (void)tape.gradient(loss, w);
  };
}

bool says(const std::string& text, std::string_view part) { return text.find(part) != text.npos; }

}  // namespace

TEST_CASE("the log of a softmax that is 0 is where minus infinity began, on the way forward", "[flight]") {
  const auto origin = origin_of(asks(constant({{0.0, 900.0}}), [](const Variable& w) {
    return reduce_sum(constant({{1.0, 0.0}}) * log(softmax(w)));
  }));
  CHECK(origin.op_type == "Log");
  CHECK_FALSE(origin.backward);
  CHECK(origin.value == "-inf");
  CHECK(says(origin.fix, "log_softmax"));
  CHECK(origin.reached.size() == 2);
}

TEST_CASE("a slope that is infinite at 0 is an origin on the way back, at the line of the forward op",
          "[flight]") {
  const auto origin =
      origin_of(asks(zeros({2}), [](const Variable& w) { return reduce_sum(sqrt(w.value())); }));
  CHECK(origin.backward);
  CHECK(says(origin.what, "Sqrt"));
  CHECK(says(origin.location, "nonfinite_test.cpp"));
  CHECK(says(origin.fix, "under the root"));
  CHECK(origin.reached == std::vector<std::string>{"the gradient of w"});
}

TEST_CASE("a division that no tape recorded is an origin", "[flight]") {
  const auto origin = origin_of([] {
    const Tensor scale = constant({1.0, 2.0}) / zeros({2});
    asks(ones({2}), [&](const Variable& w) { return reduce_sum(w * scale); })();
  });
  CHECK(origin.op_type == "RealDiv");
  CHECK(says(origin.fix, "divide_no_nan"));
}

TEST_CASE("naN in the data is an origin without an op", "[flight]") {
  const auto origin = origin_of([] {
    const Tensor readings = constant({1.0, kNan}).named("readings");
    asks(ones({2}), [&](const Variable& w) { return reduce_sum(w * readings); })();
  });
  CHECK(origin.data);
  CHECK(origin.op == "readings");
  CHECK(origin.value == "nan");
  CHECK(says(origin.what, "element 1"));
  CHECK(says(origin.fix, "data"));
}

TEST_CASE("data is an origin in a later step as well", "[flight]") {
  const auto origin = origin_of([] {
    const Tensor good = constant({1.0, 2.0}), bad = constant({1.0, kNan}).named("bad");
    for (int step = 0; step < 5; ++step) {
      asks(ones({2}), [&](const Variable& w) { return reduce_sum(w * (step < 3 ? good : bad)); })();
    }
  });
  CHECK(origin.data);
  CHECK(origin.op == "bad");
}

TEST_CASE("where where() hides what is not finite the op whose argument is at its edge is the origin",
          "[flight]") {
  const auto origin = origin_of(asks(constant({1.0, 0.0}), [](const Variable& w) {
    const Tensor x = w.value();
    return reduce_sum(where(x > 0.0, log(x), 0.0));
  }));
  CHECK(origin.op_type == "Log");
  CHECK_FALSE(origin.backward);
  CHECK(says(origin.fix, "where()"));
}

TEST_CASE("a where() that hides nothing is not spoken of", "[flight]") {
  // A cross entropy from logits chooses by their sign.
  const auto origin = origin_of(asks(constant({1.0, 0.0}), [](const Variable& w) {
    return reduce_mean(sigmoid_cross_entropy_with_logits(constant({1.0, 0.0}), (w - 1.0) / (w - w)));
  }));
  CHECK(origin.op_type == "RealDiv");
  CHECK(says(origin.fix, "divide_no_nan"));
  CHECK_FALSE(says(origin.fix, "does not help"));
}

TEST_CASE("half precision overflows where its largest number is passed", "[flight]") {
  const auto origin = origin_of(asks(cast(constant({300.0}), DType::f16),
                                     [](const Variable& w) { return reduce_sum(square(w.value())); }));
  CHECK(origin.op_type == "Square");
  CHECK(origin.value == "inf");
  CHECK(says(origin.fix, "float32"));
}

TEST_CASE("a gradient that the program gave is where it is to be guarded", "[flight]") {
  const CustomGradient root = custom_gradient("root", [](std::span<const Tensor> x) {
    const Tensor y = sqrt(x[0]);
    return WithGradient{.outputs = {y}, .gradient = [y](std::span<const Tensor> dy) {
                          return std::vector<Tensor>{dy[0] * 0.5 / y};
                        }};
  });
  const auto origin =
      origin_of(asks(constant({0.0, 4.0}), [&](const Variable& w) { return reduce_sum(root(w)); }));
  CHECK(origin.backward);
  CHECK(says(origin.fix, "custom_gradient"));
}

TEST_CASE("the mean of nothing is an origin that says so", "[flight]") {
  const auto origin = origin_of(asks(ones({2}), [](const Variable& w) {
    return reduce_mean(boolean_mask(w.value(), constant({0.0, 0.0}) > 0.5));
  }));
  CHECK(origin.op_type == "Mean");
  CHECK(says(origin.what, "no elements"));
  CHECK(says(origin.fix, "empty"));
}

TEST_CASE("infinity that the program wrote is no origin; what makes NaN of it is", "[flight]") {
  const auto origin = origin_of(asks(ones({2}), [](const Variable& w) {
    const Tensor masked = where(constant({0.0, 0.0}) > 0.5, w.value(), -kInfinity);
    return reduce_sum(softmax(masked));
  }));
  CHECK(origin.op_type != "SelectV2");
  CHECK_FALSE(origin.data);
  CHECK(origin.value == "nan");
}

TEST_CASE("a mask of infinities beside another fault is not blamed", "[flight]") {
  const auto origin = origin_of(asks(constant({1.0, 0.0}), [](const Variable& w) {
    const Tensor kept = softmax(where(constant({1.0, 0.0}) > 0.5, w.value(), -kInfinity));
    return reduce_sum(kept) + reduce_sum(log(w.value()));
  }));
  CHECK(origin.op_type == "Log");
}

TEST_CASE("an infinite loss is noticed where all gradients are finite", "[flight]") {
  const auto origin = origin_of(asks(ones({2}), [](const Variable& w) {
    return reduce_sum(square(w.value())) - reduce_sum(log(constant({1.0, 0.0})));
  }));
  CHECK(origin.op_type == "Log");
  CHECK(origin.reached == std::vector<std::string>{"the loss"});
}

TEST_CASE("an op of a function's graph is an origin, though its buffers are planned", "[flight]") {
  const auto origin = origin_of([] {
    Function<Tensor(const Tensor&)> f("f", [](const Tensor& x) { return sqrt(reduce_sum(x)); });
    const Tensor x = constant({0.5, -2.0});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch(x);
      loss = f(x);
    }
    (void)tape.gradient(loss, x);
  });
  CHECK(origin.op_type == "Sqrt");
  CHECK_FALSE(origin.backward);
}

TEST_CASE("what an update made of a variable is an origin of the next step's values", "[flight]") {
  const auto origin = origin_of([] {
    const Variable w(ones({2}), {.name = "w"});
    for (int step = 0; step < 2; ++step) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_sum(square(w));
      }
      const Tensor gradient = tape.gradient(loss, w);
      w.assign_sub(gradient / (gradient - gradient));
    }
  });
  CHECK(origin.op_type == "RealDiv");
  CHECK_FALSE(origin.backward);
}

TEST_CASE("what was let go of for its size leaves enough behind to be found", "[flight]") {
  SessionOptions options;
  options.flight_budget = 1 << 16;
  const auto origin = origin_of(asks(ones({4096}),
                                     [](const Variable& w) {
                                       Tensor x = log(w.value() - 1.0);
                                       for (int i = 0; i < 40; ++i) x = x * 1.5;
                                       return reduce_sum(x);
                                     }),
                                options);
  CHECK(origin.op_type == "Log");
}

TEST_CASE("a program whose values are all finite has no origin", "[flight]") {
  CHECK_FALSE(find_nonfinite(
      observed(asks(ones({2}), [](const Variable& w) { return reduce_sum(log(w.value())); }))));
}

namespace {

// Rounds that update `w` by gradients that are not finite in those before `settles`; a guard looks and skips.
History guarded(int rounds, int settles, bool guard) {
  return observed([=] {
    const Variable w(constant({1.0, 2.0}), {.name = "w"});
    SGD optimizer(0.01);
    for (int round = 0; round < rounds; ++round) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_sum(w * (round < settles ? 1e30 : 1.0) * (round < settles ? 1e30 : 1.0));
      }
      const Tensor gradient = tape.gradient(loss, w);
      if (guard && !std::isfinite(item(norm(gradient)))) continue;
      optimizer.apply_gradients({gradient}, {w});
    }
  });
}

}  // namespace

TEST_CASE("a step that a guard skipped is no fault where the program goes on with finite gradients",
          "[flight]") {
  CHECK_FALSE(find_nonfinite(guarded(4, 2, true)));
  const auto unguarded = find_nonfinite(guarded(4, 2, false));
  REQUIRE(unguarded);
  CHECK_FALSE(unguarded->skipped);
}

TEST_CASE("skipping step after step without end is a fault", "[flight]") {
  const auto never = find_nonfinite(guarded(4, 4, true));
  REQUIRE(never);
  CHECK(never->skipped);
  CHECK(never->call == 1);
  CHECK(find_nonfinite(guarded(30, 28, true)));
}

TEST_CASE("a loss scale that overflows at first finds its size", "[flight]") {
  CHECK_FALSE(find_nonfinite(observed([] {
    const Variable w(constant({1.0, 2.0}), {.name = "w"});
    SGD optimizer(0.01);
    LossScale scale({.initial_scale = 262144});
    for (int round = 0; round < 5; ++round) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = scale.scale_loss(cast(reduce_sum(cast(w, DType::f16)), DType::f32));
      }
      (void)scale.apply_gradients(optimizer, std::vector<Tensor>{tape.gradient(loss, w)},
                                  std::vector<Variable>{w});
    }
    REQUIRE(scale.skipped_steps() > 0);
    REQUIRE(scale.skipped_steps() < 5);
  })));
}

TEST_CASE("every op that may leave the finite numbers has a guard by its type alone", "[explain]") {
  std::map<std::string, std::string> ops;  // to their names, by what is said of them
  const auto add = [&](const std::string& head, std::string_view said, std::string_view op) {
    if (!said.empty()) ops[head + std::string(said)] += fmt::format(" {}", op);
  };
  for (const OpDef* op : op_table()) {
    for (const char* value : {"nan", "inf"}) {
      add(fmt::format("forward, {}: ", value), nonfinite_guard(op->name, false, value), op->name);
      add(fmt::format("backward, {}: ", value), nonfinite_guard(op->name, true, value), op->name);
    }
    add("growth is no reason", nonfinite_growth(op->name).empty() ? ":" : "", op->name);
  }
  std::string text;
  for (const auto& [said, names] : ops) text += fmt::format("{}\n   {}\n", said, names);
  approve("engine/approved/explain/every_guard.txt", text);
}
