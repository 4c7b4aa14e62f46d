// What a session sees of gradient calls inside functions.
#include <algorithm>
#include <bit>

#include "engine/explain/explain_zero.h"
#include "engine/explain/nonfinite.h"
#include "engine/tapescope.h"
#include "tests/engine/explain/observed.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// One step of training, all of it a function; `x` is what the function is called with.
class LookedProgram {
 public:
  using Loss = Tensor (*)(const Tensor& x, const Variable& w);

  LookedProgram(Loss loss, const Tensor& start)
      : w(start, {.name = "w"}), step("step", [this, loss](const Tensor& x) {
          GradientTape tape;
          Tensor value;
          {
            auto recording = tape.record();
            value = loss(x, w);
          }
          w.assign_sub(0.001 * tape.gradient(value, w));
          return value;
        }) {}

  const Variable w;
  Function<Tensor(const Tensor&)> step;
};

std::vector<std::uint64_t> bits_of(const Tensor& tensor) {
  std::vector<std::uint64_t> bits;
  for (const double value : elements(tensor)) bits.push_back(std::bit_cast<std::uint64_t>(value));
  return bits;
}

const Question& looked_question(const History& history) {
  for (const Question& question : history.questions()) {
    if (!(question.flags & GradientAskRecord::kTraced)) return question;
  }
  FAIL("nothing was looked at");
  return history.questions().front();
}

}  // namespace

TEST_CASE("a function that trains gives the same bits whether a session listens or not", "[flight]") {
  const auto train = [] {
    const Variable first(stateless_random_normal({8, 4}, {3, 4}), {.name = "first"});
    const Variable second(stateless_random_normal({4, 1}, {5, 6}), {.name = "second"});
    Adam optimizer(0.01);
    set_seed(7);
    Function step("step", [&](const Tensor& x) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_mean(square(matmul(dropout(relu(matmul(x, first) / 3.0), 0.5), second) - 1.0));
      }
      optimizer.apply_gradients(tape.gradient(loss, {first, second}), {first, second});
      return loss;
    });
    std::vector<std::uint64_t> bits;
    for (int i = 0; i < 6; ++i) {
      // From the third on every unit is dead.
      const Tensor x = stateless_random_uniform({16, 8}, {1, 2}) * (i < 3 ? 1.0 : -1e9);
      for (const Tensor& seen : {step(x), first.value(), second.value()}) {
        const auto more = bits_of(seen);
        bits.insert(bits.end(), more.begin(), more.end());
      }
    }
    return bits;
  };
  const auto alone = train();
  std::vector<std::uint64_t> listened;
  (void)observed([&] { listened = train(); });
  CHECK(listened == alone);
}

TEST_CASE("a NaN inside a function is followed to its op, before the update wrote it into the weights",
          "[flight]") {
  const History history = observed([] {
    LookedProgram program([](const Tensor& x, const Variable& w) { return reduce_sum(log(x * w)); },
                          constant({0.5, 0.5}));
    for (const double x : {1.0, 2.0, 0.0, 3.0}) program.step(constant({x, 1.0}));
  });
  const auto origin = find_nonfinite(history);
  REQUIRE(origin);
  CHECK(origin->op_type == "Log");
  CHECK(origin->value == "-inf");
  CHECK_FALSE(origin->backward);
  CHECK(origin->location.find("inside_function_test.cpp") != origin->location.npos);
  CHECK(origin->reached == std::vector<std::string>{"the loss", "the gradient of w"});
}

TEST_CASE("a NaN that came in with an argument is followed out of the function", "[flight]") {
  const History history = observed([] {
    LookedProgram program([](const Tensor& x, const Variable& w) { return reduce_sum(x * w); },
                          constant({0.5, 0.5}));
    const Tensor zero = zeros({2});
    program.step(ones({2}) / zero);
  });
  const auto origin = find_nonfinite(history);
  REQUIRE(origin);
  CHECK(origin->op_type == "RealDiv");
}

TEST_CASE("a zero inside a function has the op at which it began", "[flight]") {
  const History history = observed([] {
    LookedProgram program([](const Tensor& x, const Variable& w) { return reduce_sum(square(relu(x * w))); },
                          constant({0.5, 0.5}));
    program.step(constant({1.0, 1.0}));
    program.step(constant({-1.0, -2.0}));
  });
  const Question& question = looked_question(history);
  const Explanation found =
      find_zero(history, question.call, question.targets.at(0), question.sources.at(0).id);
  CHECK(found.zero_reason == "dead_relu");
  CHECK(found.edge.op == "Relu");
}

TEST_CASE("a second gradient call is answered by the values before the first one's update", "[flight]") {
  // The critic learns between the two calls, and the generator's loss has read it before.
  const auto history_of = [](Tensor (*judge)(const Tensor&)) {
    return observed([judge] {
      const Variable generator(constant({0.5, 0.5}), {.name = "generator"});
      const Variable critic(constant({1.0, 1.0}), {.name = "critic"});
      Function step("step", [&](const Tensor& x) {
        GradientTape tape({.persistent = true});
        Tensor real, fake;
        {
          auto recording = tape.record();
          real = reduce_sum(square(critic * 2.0));
          fake = reduce_sum(judge(generator * critic * x));
        }
        critic.assign_sub(10.0 * tape.gradient(real, critic));
        const Tensor slope = tape.gradient(fake, generator);
        generator.assign_sub(0.001 * slope);
        return fake;
      });
      for (int i = 0; i < 2; ++i)
        step(ones({2}));  // in the second the score is -39.5, and 3120.5 after the update
    });
  };
  const auto last_looked = [](const History& history) {
    const auto& all = history.questions();
    const auto last = std::find_if(all.rbegin(), all.rend(), [](const Question& question) {
      return !(question.flags & GradientAskRecord::kTraced);
    });
    REQUIRE(last != all.rend());
    return *last;
  };
  SECTION("a zero") {
    const History history = history_of([](const Tensor& score) { return square(relu(score + 20.0) - 20.0); });
    const Question question = last_looked(history);
    const Explanation found =
        find_zero(history, question.call, question.targets.at(0), question.sources.at(0).id);
    CHECK(found.zero_reason == "dead_relu");
    CHECK(found.edge.op == "Relu");
  }
  SECTION("a NaN") {
    const auto origin = find_nonfinite(history_of([](const Tensor& score) { return log(score + 20.0); }));
    REQUIRE(origin);
    CHECK(origin->op_type == "Log");
    CHECK_FALSE(origin->backward);
  }
}

namespace {

// A function that trains in a loop on tensors, a tape to each round; every second round has another loss.
Tensor train_in_rounds(Tensor (*loss_of)(const Tensor&), const Variable& w) {
  Function train("train", [&](const Tensor& x, const Tensor& rounds) {
    const auto more = [&](const Tensor& i, const Tensor&) { return i < rounds; };
    const auto round = [&](const Tensor& i, const Tensor&) {
      const Tensor loss = cond(
          i % 2 == 0,
          [&] {
            GradientTape tape;
            Tensor value;
            {
              auto recording = tape.record();
              value = loss_of(dropout(x, 0.5) * w / 3.0);
            }
            w.assign_sub(0.1 * tape.gradient(value, w));
            return value;
          },
          [&] { return reduce_sum(w * x); });
      GradientTape tape;
      Tensor value;
      {
        auto recording = tape.record();
        value = reduce_sum(square(w / 7.0 - x)) + 0.0 * loss;
      }
      w.assign_sub(0.1 * tape.gradient(value, w));
      return std::tuple(i + 1, value);
    };
    return std::get<1>(while_loop(more, round, std::tuple(constant(0), constant(0.0))));
  });
  set_seed(11);
  train(constant({1.0, 2.0}), constant(3));
  return train(constant({-1.0, -2.0}), constant(4));
}

}  // namespace

TEST_CASE("tapes in branches and in rounds of a loop are looked at", "[flight]") {
  const Variable w(constant({0.5, 0.25}), {.name = "w"});
  SECTION("a zero") {
    const History history = observed(
        [&] { train_in_rounds([](const Tensor& z) { return reduce_sum(square(relu(z) - 1.0)); }, w); });
    const Question& question = looked_question(history);
    const Explanation found =
        find_zero(history, question.call, question.targets.at(0), question.sources.at(0).id);
    CHECK(found.zero_reason == "dead_relu");
    CHECK(found.edge.op == "Relu");
  }
  SECTION("a NaN") {
    const auto origin = find_nonfinite(
        observed([&] { train_in_rounds([](const Tensor& z) { return reduce_sum(sqrt(z)); }, w); }));
    REQUIRE(origin);
    CHECK(origin->op_type == "Sqrt");
  }
  SECTION("and give the same bits") {
    const auto bits = [&] {
      w.assign(constant({0.5, 0.25}));
      const Tensor result = train_in_rounds([](const Tensor& z) { return reduce_sum(square(relu(z))); }, w);
      auto all = bits_of(result);
      for (const std::uint64_t each : bits_of(w)) all.push_back(each);
      return all;
    };
    const auto alone = bits();
    std::vector<std::uint64_t> listened;
    (void)observed([&] { listened = bits(); });
    CHECK(listened == alone);
  }
}

TEST_CASE("a function that another function calls is looked at in the run of the outer one", "[flight]") {
  const History history = observed([] {
    LookedProgram program([](const Tensor& x, const Variable& w) { return reduce_sum(log(x * w)); },
                          constant({0.5, 0.5}));
    Function outer("outer", [&](const Tensor& x) { return program.step(x - 1.0) * 2.0; });
    outer(constant({3.0, 2.0}));
    outer(constant({1.0, 2.0}));
  });
  const auto origin = find_nonfinite(history);
  REQUIRE(origin);
  CHECK(origin->op_type == "Log");
}

TEST_CASE("what is wrong in every run of a function is written once", "[flight]") {
  const History history = observed([] {
    LookedProgram program([](const Tensor& x, const Variable& w) { return reduce_sum(log(x * w)); },
                          constant({0.5, 0.5}));
    for (int i = 0; i < 20; ++i) program.step(zeros({2}));
  });
  CHECK(std::ranges::count_if(history.questions(), [](const Question& question) {
          return !(question.flags & GradientAskRecord::kTraced);
        }) == 1);
}

TEST_CASE("a read of a variable that the run has assigned to since has no known value", "[flight]") {
  const Variable w(constant({0.5}), {.name = "w"});
  const History history = observed([&] {
    Function step("step", [&](const Tensor& x) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_sum(log(x * w));
      }
      w.assign(ones({1}));  // before the gradient is asked for
      return tape.gradient(loss, w);
    });
    step(zeros({1}));
  });
  // Nothing is said rather than something that is not so.
  CHECK_FALSE(find_nonfinite(history));
}
