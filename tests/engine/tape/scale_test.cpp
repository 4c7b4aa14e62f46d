// Shapes of graphs that break careless engines: linear time, no recursion, memory as designed.
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

TEST_CASE("y = y y sixty times visits each node once", "[tape][scale]") {
  const Tensor x = constant(1.0, DType::f64);
  GradientTape tape;
  Tensor y = x;
  {
    auto recording = tape.record();
    tape.watch(x);
    for (int i = 0; i < 60; ++i) y = y * y;
  }
  CHECK(element(tape.gradient(y, x), 0) == Approx(1152921504606846976.0));  // 2^60
  CHECK(tape.counts().backward_nodes == 60);
}

TEST_CASE("a diamond ladder of ten thousand", "[tape][scale]") {
  const Tensor x = constant(1.0, DType::f64), half = constant(0.5, DType::f64);
  GradientTape tape;
  Tensor y = x;
  {
    auto recording = tape.record();
    tape.watch(x);
    for (int i = 0; i < 10'000; ++i) y = y * half + y * half;
  }
  CHECK(element(tape.gradient(y, x), 0) == Approx(1));
}

TEST_CASE("a chain of a million ops", "[tape][scale]") {
  const Tensor x = constant(1.0), one = constant(1.0);
  GradientTape tape;
  Tensor y = x;
  {
    auto recording = tape.record();
    tape.watch(x);
    for (int i = 0; i < 1'000'000; ++i) y = y * one;
  }
  CHECK(tape.counts().recorded == 1'000'000);
  CHECK(element(tape.gradient(y, x), 0) == 1);
}

TEST_CASE("a fan-out of ten thousand and a concat of ten thousand", "[tape][scale]") {
  const Tensor x = constant(2.0);
  GradientTape tape({.persistent = true});
  std::vector<Tensor> branches;
  Tensor sum, joined;
  {
    auto recording = tape.record();
    tape.watch(x);
    for (int i = 0; i < 10'000; ++i) branches.push_back(reshape(x * x, Shape{1}));
    sum = reduce_sum(add_n(branches));
    joined = reduce_sum(concat(branches, 0));
  }
  CHECK(element(tape.gradient(sum, x), 0) == 40'000);
  CHECK(element(tape.gradient(joined, x), 0) == 40'000);
}
