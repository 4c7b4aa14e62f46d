// 1.4 of the semantics: what is computed and dropped while a tape records is not kept, unless the op keeps
// its own output.
#include "engine/core/pool.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

constexpr std::int64_t kBytes = 100 * 4;

Tensor hundred() { return ones({100}); }

}  // namespace

TEST_CASE("1.4 what is dropped inside the block is given back, what depends on it alone too",
          "[tape][release]") {
  for (const bool persistent : {false, true}) {
    const Tensor x = hundred();
    GradientTape tape({.persistent = persistent});
    Tensor y;
    {
      const auto recording = tape.record();
      tape.watch(x);
      y = x * x;
      const std::uint64_t kept = tape.counts().saved_bytes;
      {
        const Tensor a = y * 2.0, b = a * a, c = b * b * b;
        CHECK(tape.counts().saved_bytes >= kept + 3 * kBytes);
      }
      CHECK(tape.counts().saved_bytes == kept);
    }
    CHECK(element(tape.gradient(y, x), 0) == 2);
  }
}

TEST_CASE("1.4 a dropped tensor that something alive was computed from stays", "[tape][release]") {
  const Tensor x = hundred();
  GradientTape tape;
  Tensor y;
  {
    const auto recording = tape.record();
    tape.watch(x);
    Tensor h = x * 3.0;
    y = h * h;
    h = Tensor();
  }
  CHECK(element(tape.gradient(y, x), 0) == 18);
}

TEST_CASE("1.4 an op that keeps its own output keeps itself; deaths after the block are missed",
          "[tape][release]") {
  const Tensor x = hundred();
  GradientTape tape({.persistent = true});
  const auto saved = [&] { return tape.counts().saved_bytes; };
  Tensor late;
  {
    const auto recording = tape.record();
    tape.watch(x);
    exp(x);
    CHECK(saved() == kBytes);
    late = square(x * 2.0);
  }
  const std::uint64_t before = saved();
  late = Tensor();
  CHECK(saved() == before);
}

TEST_CASE("1.4 each of two tapes hears of it, one that pauses too", "[tape][release]") {
  const Tensor x = hundred();
  GradientTape first, second;
  const auto recording_first = first.record(), recording_second = second.record();
  first.watch(x);
  second.watch(x);
  Tensor y = square(square(x));
  const auto pause = first.stop_recording();
  y = Tensor();
  // What is left is the input that no op made.
  CHECK(first.counts().saved_bytes == 0);
  CHECK(second.counts().saved_bytes == 0);
}

TEST_CASE("1.4 a loop whose results are dropped runs in the memory of one round", "[tape][release]") {
  const Tensor x = ones({1000}), weights = ones({1000});
  GradientTape tape;
  const auto recording = tape.record();
  tape.watch(x);
  const auto round = [&] {
    Tensor y = x * weights;
    for (int k = 0; k < 10; ++k) y = square(y) * 0.5;
    return reduce_sum(y);
  };
  round();
  pool_reset_peak();
  const std::int64_t before = pool_stats().peak_bytes;
  for (int i = 0; i < 100; ++i) round();
  CHECK(pool_stats().peak_bytes - before < 40 * 4000);
}

TEST_CASE("1.4 a chain of a million ops is dropped without recursion", "[tape][release][scale]") {
  const Tensor x = constant(1.0), one = constant(1.0);
  GradientTape tape;
  const auto recording = tape.record();
  tape.watch(x);
  Tensor y = x;
  for (int i = 0; i < 1'000'000; ++i) y = y * one;
  y = Tensor();
  CHECK(tape.counts().saved_bytes == 0);
}

TEST_CASE("1.4 a reset inside the block, with values alive and dropped", "[tape][release]") {
  const Tensor x = hundred();
  GradientTape tape;
  Tensor y;
  {
    const auto recording = tape.record();
    tape.watch(x);
    const Tensor a = x * x;
    { const Tensor b = a * a; }
    tape.reset();
    tape.watch(x);
    y = x * x + a;
  }
  CHECK(element(tape.gradient(y, x), 0) == 2);
}
