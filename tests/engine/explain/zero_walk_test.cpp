// Which op made a gradient zero, in programs that ran while a session listened.
#include "engine/explain/explain_zero.h"
#include "engine/tapescope.h"
#include "tests/engine/explain/observed.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

struct Found {
  std::string reason, op, message, fix;
};

// Why the gradient of the first source of the last question is zero.
template <class Program>
Found why_zero(Program&& program) {
  const History history = observed(program);
  REQUIRE_FALSE(history.questions().empty());
  const Question& question = history.questions().back();
  const Explanation found =
      find_zero(history, question.call, question.targets.at(0), question.sources.at(0).id);
  return {std::string(found.zero_reason), found.edge.op, found.message, found.fix};
}

template <class Target>
Found why_zero_of(const Tensor& start, Target target) {
  return why_zero([&] {
    const Variable w(start, {.name = "w"});
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = target(w);
    }
    const Tensor gradient = tape.gradient(loss, w);
    REQUIRE(gradient);
    for (const double value : elements(gradient)) REQUIRE(value == 0);
  });
}

}  // namespace

TEST_CASE("units that got no positive input are dead", "[flight]") {
  const Found found =
      why_zero_of(constant({-1.0, -2.0}), [](const Variable& w) { return reduce_sum(square(relu(w))); });
  CHECK(found.reason == "dead_relu");
  CHECK(found.op == "Relu");
}

TEST_CASE("weights after dead units get zero because of the units", "[flight]") {
  const Tensor x = constant({{1.0, 2.0}}), first = constant({{-1.0}, {-1.0}});
  const Found found = why_zero_of(ones({1, 1}), [&](const Variable& w) {
    return reduce_sum(square(matmul(relu(matmul(x, first)), w) - 1.0));
  });
  CHECK(found.reason == "dead_relu");
  CHECK(found.op == "Relu");
}

TEST_CASE("what a choice from zeros alone gives is zero because of what made those", "[flight]") {
  const Tensor x = constant({{1.0, 2.0}}), first = constant({{-1.0}, {-1.0}});
  const auto why_weights_after = [](const Tensor& mask, auto units) {
    return why_zero_of(ones({1, 1}), [&](const Variable& w) {
      return reduce_sum(square(matmul(where(mask > 0.5, units(), zeros({1, 1})), w) - 1.0));
    });
  };
  const Found dead = why_weights_after(constant({{1.0}}), [&] { return 2.0 * relu(matmul(x, first)); });
  CHECK(dead.reason == "dead_relu");
  CHECK(dead.op == "Relu");
  const Found dropped = why_weights_after(constant({{0.0}}), [&] { return 2.0 * relu(matmul(x, -first)); });
  CHECK(dropped.reason == "masked");
}

TEST_CASE("weights that are zero pass nothing on", "[flight]") {
  const Variable second(zeros({1, 1}), {.name = "second"});
  const Found found = why_zero_of(ones({1, 1}), [&](const Variable& w) {
    return reduce_sum(square(matmul(matmul(ones({1, 1}), w), second) - 1.0));
  });
  CHECK(found.reason == "zero_weights");
  CHECK(found.op == "MatMul");
}

TEST_CASE("a mask of zeros is not taken for weights that are zero", "[flight]") {
  const Found found = why_zero_of(ones({2, 2}), [](const Variable& w) {
    return reduce_sum(log_softmax(w) * one_hot(constant({7, 8}, DType::i32), 2));
  });
  CHECK(found.reason == "masked");
  CHECK(found.op == "Mul");
  CHECK(found.fix.find("one_hot") != found.fix.npos);
}

TEST_CASE("a bound that is taken everywhere clips", "[flight]") {
  const Found found =
      why_zero_of(constant({1.0, 2.0}), [](const Variable& w) { return reduce_sum(maximum(w, 5.0)); });
  CHECK(found.reason == "clipped");
  CHECK(found.op == "Maximum");
}

TEST_CASE("of two computed operands the smaller one loses", "[flight]") {
  const Variable other(constant({3.0}), {.name = "other"});
  const Found found = why_zero_of(
      constant({1.0}), [&](const Variable& w) { return reduce_sum(maximum(w * 1.0, other * 2.0)); });
  CHECK(found.reason == "max_loser");
}

TEST_CASE("a source that top_k never picks loses there and not where it was stacked", "[flight]") {
  const Variable a(constant(3.0), {.name = "a"}), b(constant(2.0), {.name = "b"});
  const Found found = why_zero_of(constant(1.0), [&](const Variable& w) {
    return reduce_sum(top_k(stack({w * 1.0, a * 1.0, b * 1.0}), 2).first);
  });
  CHECK(found.reason == "max_loser");
  CHECK(found.op == "TopKV2");
}

TEST_CASE(
    "a part that a mask leaves out gets nothing because of the mask, whatever chose its elements before",
    "[flight]") {
  const Tensor other = constant({{2.0}, {3.0}}), labels = constant({{1.0, -1.0}, {0.0, -1.0}});
  const Found found = why_zero_of(constant({{1.0}, {2.0}}), [&](const Variable& w) {
    const Tensor known = cast(labels != -1.0, DType::f32);
    const Tensor logits = concat({other * 2.0, w * 2.0}, 1);
    const Tensor losses = where(logits > 0, logits, 0.5 * logits) - 0.1 * logits;
    return reduce_sum(known * losses);
  });
  CHECK(found.reason == "masked");
  CHECK(found.op == "Mul");
}

TEST_CASE("a cross entropy of logits that are far apart is saturated", "[flight]") {
  const Found found = why_zero_of(constant({{900.0, 0.0}}), [](const Variable& w) {
    return reduce_mean(softmax_cross_entropy_with_logits(constant({{1.0, 0.0}}), w));
  });
  CHECK(found.reason == "saturated");
  CHECK(found.op == "SoftmaxCrossEntropyWithLogits");
}

TEST_CASE("the sum of all shares does not depend on them, and neither does the share of one element",
          "[flight]") {
  const Found summed = why_zero_of(constant({0.3, -0.2, 0.8}), [](const Variable& w) {
    return square(2.0 * reduce_sum(softmax(w) * ones({3})));
  });
  CHECK(summed.reason == "cancels");
  CHECK(summed.op == "Softmax");
  const Found one_hot = why_zero_of(constant({900.0, 0.0, -900.0}), [](const Variable& w) {
    return reduce_sum(softmax(w) * constant({0.5, 0.2, 0.1}));
  });
  CHECK(one_hot.reason == "saturated");
  const Found single = why_zero_of(constant({{0.3}, {40.0}}),
                                   [](const Variable& w) { return reduce_sum(square(softmax(w) - 0.5)); });
  CHECK(single.reason == "saturated");
  CHECK(single.fix.find("sigmoid for a single unit") != single.fix.npos);
}

TEST_CASE("a sigmoid of large inputs is saturated, and the values that it read are said", "[flight]") {
  const Found found =
      why_zero_of(constant({-900.0, -950.0}), [](const Variable& w) { return reduce_sum(sigmoid(w)); });
  CHECK(found.reason == "saturated");
  CHECK(found.message.find("-950") != found.message.npos);
}

TEST_CASE("contributions that cancel are named where they meet", "[flight]") {
  const Found found = why_zero_of(constant({1.0, 2.0, 4.0, 5.0}), [](const Variable& w) {
    const Tensor level = w * 2.0;
    return reduce_sum(level - reduce_mean(level));
  });
  CHECK(found.reason == "cancels");
  CHECK(found.op == "Sub");
  CHECK(found.fix.find("single example") != found.fix.npos);
}

TEST_CASE("weights of examples that the program gives as 0 mask them, a source that is 0 does not",
          "[flight]") {
  const Tensor worth = constant({1.0, 0.0});
  const Found given = why_zero_of(ones({2}), [&](const Variable& w) {
    return reduce_sum(exp(w) * gather(worth, constant({1, 1}, DType::i32)));
  });
  CHECK(given.reason == "masked");
  CHECK(given.op == "Mul");
  const Found asked = why_zero([] {
    const Variable w(constant(2.0), {.name = "w"});
    const Tensor start = constant(0.0);
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      tape.watch(start);
      loss = square(w) * start;
    }
    tape.gradient(loss, {Traced(w), Traced(start)});
  });
  CHECK(asked.reason == "zero_weights");
}

TEST_CASE("a relu that is bounded above is dead below and clipped above", "[flight]") {
  const auto found = [](double at) {
    return why_zero_of(constant({at, at + 1}), [](const Variable& w) { return reduce_sum(relu6(w)); }).reason;
  };
  CHECK(found(-3) == "dead_relu");
  CHECK(found(7) == "clipped");
}

TEST_CASE("a gradient that half precision cannot hold underflows", "[flight]") {
  const Found found = why_zero_of(constant({1.0}), [](const Variable& w) {
    return reduce_sum(cast(cast(w.value(), DType::f16), DType::f32) * 1e-12);
  });
  CHECK(found.reason == "underflow");
  CHECK(found.op == "Cast");
}

TEST_CASE("a relu has no second derivative, and what is multiplied by it gets nothing", "[flight]") {
  // The gradient of relu(x) w at x, where some units are on.
  const auto slope_of = [](const Tensor& x, const Tensor& w) {
    GradientTape inner;
    Tensor made;
    {
      auto recording = inner.record();
      inner.watch(x);
      made = reduce_sum(relu(x) * w);
    }
    return inner.gradient(made, x);
  };
  const Tensor weights = constant({2.0, 3.0, 5.0});
  const auto second_derivative = [&](const Tensor& x) {
    GradientTape outer;
    Tensor slope;
    {
      auto recording = outer.record();
      outer.watch(x);
      slope = reduce_sum(square(slope_of(x, weights)));
    }
    return outer.gradient(slope, x);
  };
  const Found found = why_zero([&] { second_derivative(constant({-1.0, 2.0, 3.0})); });
  CHECK(found.reason == "sign");
  CHECK(found.op == "ReluGrad");
  const Found factor = why_zero_of(constant(0.5), [&](const Variable& w) {
    return reduce_sum(square(w * second_derivative(constant({-1.0, 2.0, 3.0})) - 1.0));
  });
  CHECK(factor.reason == "sign");
  CHECK(factor.op == "ReluGrad");
  CHECK(factor.message.starts_with("the gradient of variable 'w'"));
  // Where all units are off what arrives is cut off, whatever it depends on.
  const Found dead = why_zero([&] {
    const Variable w(constant({2.0, 3.0}), {.name = "w"});
    GradientTape outer;
    Tensor slope;
    {
      auto recording = outer.record();
      slope = reduce_sum(square(slope_of(constant({-1.0, -2.0}), w.value())));
    }
    outer.gradient(slope, w);
  });
  CHECK(dead.reason == "dead_relu");
}

TEST_CASE("inside a called function the op that lets nothing through is named", "[flight]") {
  Function<Tensor(const Tensor&)> f("f", [](const Tensor& x) { return reduce_sum(relu(x)); });
  const Found found = why_zero_of(constant({-1.0, -2.0}), [&](const Variable& w) { return f(w.value()); });
  CHECK(found.reason == "dead_relu");
  CHECK(found.op == "Relu");
}

TEST_CASE("without a flight recorder nothing is claimed", "[flight]") {
  SessionOptions options;
  options.flight_budget = 0;
  const History history = observed(
      [] {
        const Variable w(constant({-1.0}), {.name = "w"});
        GradientTape tape;
        Tensor loss;
        {
          auto recording = tape.record();
          loss = reduce_sum(relu(w));
        }
        (void)tape.gradient(loss, w);
      },
      options);
  const Question& question = history.questions().back();
  CHECK(find_zero(history, question.call, question.targets.at(0), question.sources.at(0).id)
            .zero_reason.empty());
}
