// GradientTape: what is recorded, what a gradient is, and every misuse.
#include "engine/tape/tape.h"

#include <functional>
#include <thread>

#include "engine/ops/ops.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

double scalar(const Tensor& t) {
  REQUIRE(t);
  REQUIRE(t.numel() == 1);
  return element(t, 0);
}

ErrorKind kind_of(const std::function<void()>& misuse) {
  try {
    misuse();
  } catch (const Error& error) {
    // Every message names what happened and where.
    CHECK(std::string(error.what()).find("tape_test.cpp:") != std::string::npos);
    return error.kind();
  }
  FAIL("nothing was thrown");
  return ErrorKind::internal;
}

}  // namespace

TEST_CASE("the gradient of a watched tensor", "[tape]") {
  const Tensor x = constant(3.0);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = x * x;
  }
  CHECK(tape.counts().recorded == 1);
  CHECK(scalar(tape.gradient(y, x)) == 6);
}

TEST_CASE("a trainable variable is watched when read, one entry a read", "[tape]") {
  const Variable x(constant(3.0), {.name = "x"});
  const Variable frozen(constant(2.0), {.name = "frozen", .trainable = false});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = x * x * frozen;
  }
  CHECK(tape.counts().recorded == 4);  // two reads, two products
  const auto gradients = tape.gradient(y, {x, frozen});
  CHECK(scalar(gradients[0]) == 12);
  CHECK_FALSE(gradients[1]);
  REQUIRE(tape.watched_variables().size() == 1);
  CHECK(tape.watched_variables()[0] == x);
}

TEST_CASE("watch_accessed_variables off leaves the choice to watch()", "[tape]") {
  const Variable a(constant(3.0), {.name = "a"}), b(constant(5.0), {.name = "b"});
  GradientTape tape({.watch_accessed_variables = false});
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(b);
    y = a * b;
  }
  const auto gradients = tape.gradient(y, {a, b});
  CHECK_FALSE(gradients[0]);
  CHECK(scalar(gradients[1]) == 3);
}

TEST_CASE("stop_gradient records nothing, not even the read inside", "[tape]") {
  const Variable v(constant(2.0), {.name = "v"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = stop_gradient(v);
  }
  CHECK(tape.counts().recorded == 0);
  CHECK(tape.watched_variables().empty());
  CHECK_FALSE(tape.gradient(y, v));
}

TEST_CASE("nested tapes give higher derivatives", "[tape]") {
  const Variable x(constant(1.0), {.name = "x"});
  GradientTape outer;
  Tensor first;
  {
    auto outer_recording = outer.record();
    GradientTape inner;
    Tensor y;
    {
      auto inner_recording = inner.record();
      y = x * x * x;
    }
    first = inner.gradient(y, x);
  }
  CHECK(scalar(first) == 3);
  CHECK(scalar(outer.gradient(first, x)) == 6);
}

TEST_CASE("a first gradient taken outside of the outer tape has no second one", "[tape]") {
  const Variable x(constant(1.0), {.name = "x"});
  GradientTape outer, inner;
  Tensor y;
  {
    auto outer_recording = outer.record();
    auto inner_recording = inner.record();
    y = x * x * x;
  }
  const Tensor first = inner.gradient(y, x);
  CHECK_FALSE(outer.gradient(first, x));
}

TEST_CASE("a persistent tape is asked inside its block for higher orders", "[tape]") {
  const Tensor x = constant(2.0);
  GradientTape tape({.persistent = true});
  Tensor second;
  {
    auto recording = tape.record();
    tape.watch(x);
    const Tensor y = x * x * x;
    second = tape.gradient(y, x);
  }
  CHECK(scalar(second) == 12);
  CHECK(scalar(tape.gradient(second, x)) == 12);
}

TEST_CASE("contributions are summed, broadcasts are summed back", "[tape]") {
  const Variable b(constant({1.0, 2.0, 3.0}), {.name = "b"});
  const Tensor x = constant(std::vector<double>{1, 2, 3, 4, 5, 6}, Shape{2, 3});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = reduce_sum(x * b + b);
  }
  const Tensor g = tape.gradient(y, b);
  CHECK(g.shape() == Shape{3});
  CHECK(elements(g) == std::vector<double>{1 + 4 + 2, 2 + 5 + 2, 3 + 6 + 2});
}

TEST_CASE("assigning after the forward pass does not change a gradient", "[tape]") {
  const Variable a(constant(3.0), {.name = "a"}), b(constant(5.0), {.name = "b"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = a * b;
  }
  a.assign(constant(100.0));
  CHECK(scalar(tape.gradient(y, b)) == 3);
  CHECK(scalar(a.value()) == 100);
}

TEST_CASE("a pause keeps ops off this tape alone", "[tape]") {
  const Tensor x = constant(2.0);
  GradientTape a, b;
  Tensor y;
  {
    auto recording_a = a.record();
    auto recording_b = b.record();
    a.watch(x);
    b.watch(x);
    auto pause = a.stop_recording();
    y = x * x;
  }
  CHECK_FALSE(a.gradient(y, x));
  CHECK(scalar(b.gradient(y, x)) == 4);
}

TEST_CASE("entering again resumes the recording", "[tape]") {
  const Tensor x = constant(2.0);
  GradientTape tape;
  Tensor y, z;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = x * x;
  }
  {
    auto recording = tape.record();
    z = y * x;
  }
  CHECK(scalar(tape.gradient(z, x)) == 12);
}

TEST_CASE("output gradients weigh the targets; a target may be its own source", "[tape]") {
  const Tensor x = constant({1.0, 2.0});
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = square(x);
  }
  GradientOptions weighted;
  weighted.output_gradients = {constant({10.0, 100.0})};
  CHECK(elements(tape.gradient(y, x, weighted)) == std::vector<double>{20, 400});
  CHECK(elements(tape.gradient(y, y)) == std::vector<double>{1, 1});
  CHECK(elements(tape.gradient(x, x)) == std::vector<double>{1, 1});
}

TEST_CASE("unconnected sources are None, or zeros of their shape when asked", "[tape]") {
  const Variable x(constant({1.0, 2.0}), {.name = "x"}),
      unused(constant({1.0, 2.0, 3.0}), {.name = "unused"});
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    y = reduce_sum(square(x));
  }
  CHECK_FALSE(tape.gradient(y, unused));
  const Tensor zeros = tape.gradient(y, unused, {.unconnected = Unconnected::zero});
  CHECK(elements(zeros) == std::vector<double>{0, 0, 0});
}

TEST_CASE("pruning walks only what lies between target and source", "[tape]") {
  const Variable w(constant(2.0), {.name = "w"}), scale(constant(3.0), {.name = "scale"});
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    auto recording = tape.record();
    y = exp(scale * scale) * w;
  }
  const double full = scalar(tape.gradient(y, w));
  const auto walked = tape.counts().backward_nodes;
  CHECK(scalar(tape.gradient(y, w, {.prune = true})) == full);
  CHECK(walked == 6);
  CHECK(tape.counts().backward_nodes == 2);
}

TEST_CASE("misuse raises what TensorFlow raises, and names the place", "[tape]") {
  const Tensor x = constant(3.0);
  SECTION("second gradient of a non-persistent tape") {
    GradientTape tape;
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);
      y = x * x;
    }
    tape.gradient(y, x);
    CHECK(kind_of([&] { tape.gradient(y, x); }) == ErrorKind::runtime);
    CHECK(kind_of([&] { tape.watch(x); }) == ErrorKind::attribute);
    CHECK(kind_of([&] { auto pause = tape.stop_recording(); }) == ErrorKind::runtime);
  }
  SECTION("a tape that was never entered") {
    GradientTape tape;
    CHECK(kind_of([&] { tape.gradient(x, x); }) == ErrorKind::runtime);
    CHECK(kind_of([&] { tape.watch(x); }) == ErrorKind::attribute);
    CHECK(kind_of([&] { tape.reset(); }) == ErrorKind::value);
    CHECK(kind_of([&] { auto pause = tape.stop_recording(); }) == ErrorKind::runtime);
  }
  SECTION("entered twice") {
    GradientTape tape;
    auto recording = tape.record();
    CHECK(kind_of([&] { tape.enter(); }) == ErrorKind::value);
  }
  SECTION("paused twice, paused after the block") {
    GradientTape tape;
    {
      auto recording = tape.record();
      auto pause = tape.stop_recording();
      CHECK(kind_of([&] { auto again = tape.stop_recording(); }) == ErrorKind::value);
    }
    CHECK(kind_of([&] { auto pause = tape.stop_recording(); }) == ErrorKind::value);
    CHECK(kind_of([&] { tape.reset(); }) == ErrorKind::value);
  }
  SECTION("None as target, source or output gradient") {
    GradientTape tape({.persistent = true});
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);
      y = x * x;
    }
    CHECK(kind_of([&] { tape.gradient(Tensor(), x); }) == ErrorKind::type);
    CHECK(kind_of([&] { tape.gradient(y, Tensor()); }) == ErrorKind::type);
    GradientOptions options;
    options.output_gradients = {Tensor()};
    CHECK(kind_of([&] { tape.gradient(y, x, options); }) == ErrorKind::value);
    CHECK(scalar(tape.gradient(y, x)) == 6);  // nothing was lost
  }
  SECTION("None as an operand") {
    CHECK(kind_of([&] { const Tensor y = x * Tensor(); }) == ErrorKind::value);
  }
}

TEST_CASE("reset throws the recording away and goes on", "[tape]") {
  const Tensor x = constant(3.0);
  GradientTape tape({.persistent = true});
  Tensor y, z;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = x * x;
    tape.reset();
    tape.watch(x);
    z = x * x * x;
  }
  CHECK_FALSE(tape.gradient(y, x));
  CHECK(scalar(tape.gradient(z, x)) == 27);
}

TEST_CASE("integers are refused with a warning and have no gradient", "[tape]") {
  const Tensor n = constant(10, DType::i32);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(n);
    y = n * n;
  }
  CHECK(tape.counts().recorded == 0);
  CHECK_FALSE(tape.gradient(y, n));
}

TEST_CASE("a tape sees only its own thread; gradient may be called from another", "[tape][threads]") {
  const Tensor x = constant(2.0);
  GradientTape tape;
  Tensor y, elsewhere;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = x * x;
    std::thread([&] { elsewhere = x * x; }).join();
  }
  CHECK(tape.counts().recorded == 1);
  Tensor gradient;
  std::thread([&] { gradient = tape.gradient(y, x); }).join();
  CHECK(scalar(gradient) == 4);
}
