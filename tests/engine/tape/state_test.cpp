// The tape's states, statement by statement of tensorflow-semantics.md, section 1.
#include <optional>
#include <thread>
#include <utility>

#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;

namespace {

Variable variable(const char* name, double value = 3.0, bool trainable = true) {
  return Variable(constant(value), {.name = name, .trainable = trainable});
}

std::vector<std::string> watched(const GradientTape& tape) {
  std::vector<std::string> names;
  for (const Variable& one : tape.watched_variables()) names.emplace_back(one.name());
  return names;
}

}  // namespace

TEST_CASE("1.1 a used-up tape may be entered again and begins again", "[tape][state]") {
  const Variable w = variable("w");
  GradientTape tape;
  for (const double expected : {6.0, 6.0}) {
    Tensor y;
    {
      auto recording = tape.record();
      y = w * w;
    }
    CHECK(element(tape.gradient(y, w), 0) == expected);
    CHECK(tape.counts().recorded == 3);
  }
}

TEST_CASE("1.1 watched_variables come in creation order, also after gradient(), and go with reset()",
          "[tape][state]") {
  const Variable a = variable("a"), b = variable("b"), c = variable("c", 1, false);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = b * a + c.value();
    CHECK(watched(tape) == std::vector<std::string>{"a", "b"});
    tape.watch(c);
  }
  CHECK(watched(tape) == std::vector<std::string>{"a", "b", "c"});
  tape.gradient(y, a);
  CHECK(watched(tape) == std::vector<std::string>{"a", "b", "c"});
  {
    auto recording = tape.record();
    y = a * 2.0;
    tape.reset();
    CHECK(watched(tape).empty());
  }
}

TEST_CASE("1.1 a variable read while recording is suspended is not watched", "[tape][state]") {
  const Variable a = variable("a"), b = variable("b");
  GradientTape tape;
  {
    auto recording = tape.record();
    const Tensor before = square(a);
    auto pause = tape.stop_recording();
    const Tensor inside = square(b);
  }
  CHECK(watched(tape) == std::vector<std::string>{"a"});
}

TEST_CASE("1.1 an exception that leaves the block or a pause leaves what was recorded usable",
          "[tape][state]") {
  const Variable w = variable("w");
  GradientTape tape({.persistent = true});
  Tensor y, z;
  try {
    auto recording = tape.record();
    try {
      auto pause = tape.stop_recording();
      throw 1;
    } catch (int) {
    }
    y = w * w;  // recording again
    throw 2;
  } catch (int) {
  }
  z = w * w;  // the block was left
  CHECK(element(tape.gradient(y, w), 0) == 6);
  CHECK_FALSE(tape.gradient(z, w));
}

TEST_CASE("1.1 a backward pass that raised leaves a tape that says so, until it is entered again",
          "[tape][state]") {
  const Variable w = variable("w");
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = w * w;
  }
  const GradientOptions wrong{.output_gradients = {constant({1, 2, 3}, DType::f64)}};
  CHECK(kind_of([&] { tape.gradient(y, w, wrong); }) == ErrorKind::invalid_argument);
  CHECK(kind_of([&] { tape.gradient(y, w); }) == ErrorKind::internal);
  {
    auto recording = tape.record();
    y = w * w;
  }
  CHECK(element(tape.gradient(y, w), 0) == 6);
}

TEST_CASE("1.2 each active tape decides alone; tapes may close in the order they opened", "[tape][state]") {
  const Tensor x = constant(2.0), y = constant(5.0);
  GradientTape first, second;
  first.enter();
  second.enter();
  first.watch(x);
  second.watch(y);
  const Tensor product = x * y;
  first.exit();
  const Tensor later = product * y;
  second.exit();
  CHECK(element(first.gradient(product, x), 0) == 5);
  CHECK(element(second.gradient(later, y), 0) == 20);
  CHECK(first.counts().recorded == 1);
  CHECK(second.counts().recorded == 2);
}

TEST_CASE("1.3 reads of an integer variable are recorded, its products are not", "[tape][state]") {
  const Variable n(constant(4, DType::i32), {.name = "n"});
  GradientTape tape;
  {
    auto recording = tape.record();
    const Tensor product = n * n;
  }
  CHECK(tape.counts().recorded == 2);
  CHECK(watched(tape) == std::vector<std::string>{"n"});
}

TEST_CASE(
    "1.3 watching what the tape has recorded changes nothing; assignments and constants make no entries",
    "[tape][state]") {
  const Variable w = variable("w");
  GradientTape tape({.persistent = true});
  Tensor y, z;
  {
    auto recording = tape.record();
    y = square(w);
    tape.watch(y);
    z = exp(y);
    const std::uint64_t before = tape.counts().recorded;
    w.assign(constant(1.0));
    const Tensor shift = zeros({3}) + range(3, DType::f32);
    CHECK(tape.counts().recorded == before);
  }
  CHECK(element(tape.gradient(z, w), 0) == Approx(6 * std::exp(9.0)));
}

TEST_CASE("1.6 a watch while no tape is active does nothing, while another one is it counts",
          "[tape][state]") {
  const Tensor x = constant(3.0);
  GradientTape tape({.persistent = true}), other;
  Tensor y, z;
  { auto recording = tape.record(); }
  tape.watch(x);
  {
    auto recording = tape.record();
    y = x * x;
  }
  CHECK_FALSE(tape.gradient(y, x));
  {
    auto recording = other.record();
    tape.watch(x);
  }
  {
    auto recording = tape.record();
    z = x * x;
  }
  CHECK(element(tape.gradient(z, x), 0) == 6);
}

TEST_CASE("1.7 fewer output gradients than targets: ones for the rest", "[tape][state]") {
  const Variable w = variable("w");
  GradientTape tape;
  Tensor a, b;
  {
    auto recording = tape.record();
    a = w * 2.0;
    b = w * 3.0;
  }
  const std::vector<Traced> targets{a, b}, sources{w};
  CHECK(element(tape.gradient(targets, sources, {.output_gradients = {constant(10.0)}})[0], 0) == 23);
}

TEST_CASE("1.7 integers: None, or integer zeros; no sources: nothing, and the tape is used up",
          "[tape][state]") {
  const Tensor n = constant({1, 2}, DType::i32);
  const Variable w = variable("w");
  {
    GradientTape tape({.persistent = true});
    Tensor y, whole;
    {
      auto recording = tape.record();
      y = square(w);
      whole = cast(y, DType::i32);
    }
    CHECK_FALSE(tape.gradient(whole, w));
    const Tensor zeros = tape.gradient(y, n, {.unconnected = Unconnected::zero});
    CHECK(zeros.dtype() == DType::i32);
    CHECK(elements(zeros) == std::vector<double>{0, 0});
  }
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = square(w);
  }
  CHECK(tape.gradient(y, std::span<const Traced>()).empty());
  CHECK(kind_of([&] { tape.gradient(y, w); }) == ErrorKind::runtime);
}

TEST_CASE("1.7 a variable as target stands for itself: ones for itself, None for all else", "[tape][state]") {
  const Variable v = variable("v"), u = variable("u");
  GradientTape tape;
  {
    auto recording = tape.record();
    v.assign(square(u));
    const Tensor read = v * 1.0;
  }
  const std::vector<Tensor> gradients = tape.gradient(v, {v, u});
  CHECK(element(gradients[0], 0) == 1);
  CHECK_FALSE(gradients[1]);
}

TEST_CASE("1.7 sources that repeat, repeated targets, a target that is its own source", "[tape][state]") {
  const Tensor x = constant(3.0);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    y = x * x;
  }
  const std::vector<Traced> targets{y, y}, sources{x, x, y};
  const std::vector<Tensor> gradients = tape.gradient(targets, sources);
  CHECK(element(gradients[0], 0) == 12);
  CHECK(element(gradients[1], 0) == 12);
  CHECK(element(gradients[2], 0) == 2);
}

TEST_CASE(
    "1.8 a tape that is not persistent gives saved tensors back while it walks, a persistent one keeps them",
    "[tape][state]") {
  for (const bool persistent : {false, true}) {
    const Tensor x = constant(0.5);
    GradientTape tape({.persistent = persistent});
    Tensor y;
    {
      auto recording = tape.record();
      tape.watch(x);
      y = x;
      for (int i = 0; i < 5; ++i) y = tanh(y);
    }
    const std::uint64_t before = tape.counts().saved_bytes;
    CHECK(before > 0);
    tape.gradient(y, x);
    CHECK(tape.counts().saved_bytes == (persistent ? before : 0));
  }
}

// Values of TensorFlow 2.21, run for this test.
TEST_CASE(
    "1.6 an op that another input made the tape record gives a source that is watched later its gradient",
    "[tape][state]") {
  const Variable v(constant(0.5), {.name = "v"});
  const Tensor x = constant(2.0);
  SECTION("as if it had been watched before") {
    GradientTape tape;
    Tensor y, z;
    {
      auto recording = tape.record();
      y = x * v;
      tape.watch(x);
      z = y + x;
    }
    const std::vector<Tensor> gradients = tape.gradient(z, {x, v});
    CHECK(element(gradients[0], 0) == 1.5);
    CHECK(element(gradients[1], 0) == 2);
  }
  SECTION("an op that was not recorded stays so") {
    GradientTape tape;
    Tensor h, y;
    {
      auto recording = tape.record();
      h = exp(x);
      y = h * v;
      tape.watch(x);
    }
    const std::vector<Tensor> gradients = tape.gradient(y, {x, h, v});
    CHECK_FALSE(gradients[0]);
    CHECK_FALSE(gradients[1]);
    CHECK(gradients[2]);
  }
  SECTION("never watched, or after the block, it has none") {
    for (const bool after : {false, true}) {
      GradientTape tape;
      Tensor y;
      {
        auto recording = tape.record();
        y = x * v;
      }
      if (after) tape.watch(x);
      CHECK_FALSE(tape.gradient(y, x));
    }
  }
  SECTION("several ops, one that both inputs of are it, and one whose result is not kept") {
    GradientTape tape({.persistent = true});
    Tensor y, stacked;
    {
      auto recording = tape.record();
      reduce_sum(x * v);
      y = maximum(x, v) / v;
      stacked = reduce_sum(stack({x, v.value(), x}));
      tape.watch(x);
    }
    CHECK(element(tape.gradient(y, x), 0) == 2);
    CHECK(element(tape.gradient(stacked, x), 0) == 2);
  }
}

TEST_CASE("errors that kernels find carry the line of the call, and the tape goes on", "[tape][state]") {
  const Variable w(constant({1.0, 2.0, 3.0}), {.name = "w"});
  const std::vector<std::int32_t> outside{7};
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    const std::string message =
        error_of([&] { gather(w, constant(std::span<const std::int32_t>(outside), Shape{1})); });
    CHECK(message.find("7") != std::string::npos);
    CHECK(message.find("state_test.cpp:") != std::string::npos);
    y = reduce_sum(square(w));
  }
  CHECK(elements(tape.gradient(y, w)) == std::vector<double>{2, 4, 6});
}

TEST_CASE("1.1 blocks and pauses move, into an optional too, and end once", "[tape][state]") {
  const Tensor x = constant(3.0);
  GradientTape tape({.persistent = true});
  Tensor y;
  {
    std::optional<GradientTape::Recording> block = tape.record();
    tape.watch(x);
    std::optional<GradientTape::Pause> pause;
    pause = tape.stop_recording();
    const Tensor unseen = x * 100.0;
    GradientTape::Pause longer = std::move(*pause);
    pause.reset();  // the moved one goes on
    const Tensor unseen_too = x * 10.0;
    longer = GradientTape::Pause(std::move(longer));
    { const GradientTape::Pause last = std::move(longer); }
    y = x * x + unseen + unseen_too;
    const GradientTape::Recording moved = std::move(*block);
    block.reset();
    y = y + x;
  }
  const Tensor after = x * 5.0;
  CHECK(element(tape.gradient(y, x), 0) == 7);
  CHECK_FALSE(tape.gradient(after, x));
  // A tape takes another one's place, also while it records.
  tape.enter();
  tape = GradientTape();
  Tensor z;
  {
    const auto block = tape.record();
    tape.watch(x);
    z = x * 2.0;
  }
  CHECK(element(tape.gradient(z, x), 0) == 2);
}
