// What is said of a zero gradient where no values are known: judged by the ops on its way.
#include "viewer/store/zero_reason.h"

#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;

namespace {

// "w: saturated, v: dead_relu": of each source of one question about what the program gives.
template <class Program>
std::string guesses(const std::vector<Variable>& sources, Program&& program) {
  const auto snapshot = test::snapshot_of([&](std::uint64_t) {
    GradientTape tape;
    Tensor loss;
    {
      const auto recording = tape.record();
      loss = program();
    }
    tape.gradient(loss, sources);
  });
  std::vector<std::string> said;
  for (const GradientRow& row : snapshot->gradients) {
    const ZeroReason guess = zero_reason(*snapshot->complete, row.target_id, row.source_id, row.source);
    CHECK(guess.message.starts_with("the gradient of " + row.source + " is zero, probably because"));
    CHECK_FALSE(guess.fix.empty());
    said.push_back(row.source + ": " + guess.reason);
  }
  std::ranges::sort(said);
  std::string all;
  for (const std::string& one : said) all += (all.empty() ? "" : ", ") + one;
  return all;
}

}  // namespace

TEST_CASE("each source of a question is judged by the ops on its own way", "[zero]") {
  const Variable v(constant({-3.0, -4.0}, DType::f32), {.name = "v"}),
      w(constant({50.0, 60.0}, DType::f32), {.name = "w"});
  const std::string expected = "v: dead_relu, w: saturated";
  CHECK(guesses({v, w}, [&] {
          const Tensor first = relu(v);
          return reduce_sum(first + tanh(w));
        }) == expected);
  CHECK(guesses({v, w}, [&] {
          const Tensor first = tanh(w);
          return reduce_sum(relu(v) + first);
        }) == expected);
}

TEST_CASE("a difference is blamed only where both of its sides have the source", "[zero]") {
  const Variable w(constant({50.0, 60.0}, DType::f32), {.name = "w"});
  CHECK(guesses({w}, [&] {
          const Tensor twice = w * 2.0;
          return reduce_sum(twice - twice);
        }) == "w: cancels");
  CHECK(guesses({w}, [&] { return reduce_sum(tanh(w) - 1.0); }) == "w: saturated");
}
