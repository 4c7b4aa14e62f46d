// What a thread holds of its step while a session listens: never more than its budget, never a variable's
// value that an update is about to write over, and never anything that changes a result.
#include "engine/gate/flight.h"

#include <bit>
#include <limits>

#include "engine/gate/state.h"
#include "engine/tapescope.h"
#include "tests/engine/explain/observed.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

Tensor data() { return stateless_random_normal({16, 8}, {1, 2}); }

// Losses and gradients of some steps, bit by bit.
std::vector<std::uint64_t> train(bool in_function) {
  const Variable first(stateless_random_normal({8, 4}, {3, 4}), {.name = "first"});
  const Variable second(stateless_random_normal({4, 1}, {5, 6}), {.name = "second"});
  const auto loss_of = [&](const Tensor& x) {
    return reduce_mean(square(matmul(tanh(matmul(x, first)), second) - 1.0));
  };
  Function<Tensor(const Tensor&)> traced("traced", loss_of);
  Adam optimizer(0.01);
  const Tensor x = data();
  std::vector<std::uint64_t> bits;
  for (int step = 0; step < 4; ++step) {
    GradientTape tape;
    Tensor loss;
    {
      auto recording = tape.record();
      loss = in_function ? traced(x) : loss_of(x);
    }
    const std::vector<Tensor> gradients = tape.gradient(loss, {first, second});
    optimizer.apply_gradients(gradients, {first, second});
    bits.push_back(std::bit_cast<std::uint64_t>(element(loss, 0)));
    for (const Tensor& gradient : gradients) {
      for (const double value : elements(gradient)) bits.push_back(std::bit_cast<std::uint64_t>(value));
    }
  }
  return bits;
}

}  // namespace

TEST_CASE("losses and gradients are the same bits with and without a session", "[flight]") {
  const bool in_function = GENERATE(false, true);
  const auto alone = train(in_function);
  std::vector<std::uint64_t> listened, unheld;
  (void)observed([&] { listened = train(in_function); });
  SessionOptions none;
  none.flight_budget = 0;
  (void)observed([&] { unheld = train(in_function); }, none);
  CHECK(listened == alone);
  CHECK(unheld == alone);
}

TEST_CASE("what is held stays within the budget", "[flight]") {
  SessionOptions options;
  options.flight_budget = 1 << 18;
  std::size_t most = 0;
  (void)observed(
      [&] {
        Tensor x = ones({1024});
        for (int i = 0; i < 500; ++i) {
          x = x * 1.001;
          most = std::max(most, state().flight.bytes());
        }
      },
      options);
  CHECK(most > options.flight_budget / 2);
  CHECK(most <= options.flight_budget);
}

TEST_CASE("a step that ends lets go of all but its update", "[flight]") {
  (void)observed([] {
    const Variable w(ones({1024}), {.name = "w"});
    std::size_t after_first = 0;
    for (int step = 0; step < 20; ++step) {
      GradientTape tape;
      Tensor loss;
      {
        auto recording = tape.record();
        loss = reduce_sum(square(w));
      }
      w.assign_sub(0.1 * tape.gradient(loss, w));
      if (step == 1) after_first = state().flight.bytes();
    }
    CHECK(after_first > 0);
    CHECK(state().flight.bytes() <= after_first);
  });
}

TEST_CASE("an update in place stays in place while a session listens", "[flight]") {
  (void)observed([] {
    const Variable w(ones({256}), {.name = "w"});
    const void* before = w.peek().raw();
    for (int step = 0; step < 3; ++step) {
      const Tensor doubled = w * 2.0;  // the read of w is held
      w.assign(doubled);
      CHECK(w.peek().raw() == before);
    }
    CHECK(element(w.peek(), 0) == 8);
  });
}

TEST_CASE("a value that the program holds is copied before an update as ever", "[flight]") {
  (void)observed([] {
    const Variable w(ones({4}), {.name = "w"});
    const Tensor kept = w.value();
    w.assign(zeros({4}));
    CHECK(element(kept, 0) == 1);
    CHECK(element(w.peek(), 0) == 0);
  });
}

TEST_CASE("nothing is held without a session, nor after one", "[flight]") {
  const Tensor x = ones({64}) * 2.0;
  CHECK(state().flight.bytes() == 0);
  (void)observed([&] {
    (void)(x * 3.0);
    CHECK(state().flight.bytes() > 0);
  });
  (void)(x * 3.0);
  CHECK(state().flight.bytes() == 0);
  CHECK((state().listen.load() & (kListenFlight | kReleaseFlight)) == 0);
}

TEST_CASE("values are records with their extremes, zeros and the first element that is not finite",
          "[flight]") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const TensorValuesRecord mixed = values_of(constant({0.0, -2.0, kNan, 3.0}));
  CHECK(mixed.flags == TensorValuesRecord::kNan);
  CHECK(mixed.first == 2);
  CHECK(mixed.min == -2);
  CHECK(mixed.max == 3);
  CHECK(mixed.zeros == 65535 / 4);
  CHECK(values_of(zeros({3})).flags == TensorValuesRecord::kZero);
  CHECK(values_of(zeros({0})).flags == TensorValuesRecord::kEmpty);
}
