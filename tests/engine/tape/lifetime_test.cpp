// Things that are no more, or never were: tapes that were moved from, used up or destroyed inside their
// block, threads that ended, empty variables and tensors. One Error that says so, and the thread goes on as
// before.
#include <memory>
#include <optional>
#include <thread>

#include "engine/ops/batch.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/error_of.h"

using namespace tapescope;

namespace {

// The thread records and differentiates as ever.
void check_goes_on() {
  CHECK(state().tapes.empty());
  CHECK((state().listen.load() & kListenTapes) == 0);
  CHECK(state().interceptors.empty());
  const Variable w(constant(3.0), {.name = "w"});
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    y = w * w;
  }
  CHECK(item(tape.gradient(y, w)) == 6);
}

}  // namespace

TEST_CASE("a tape that was moved from says so, the one it was moved to goes on", "[mistakes]") {
  const Tensor x = constant(3.0);
  GradientTape first;
  auto recording = first.record();
  first.watch(x);
  const Tensor y = x * x;
  GradientTape second = std::move(first);
  for (const std::string& message :
       {error_of([&] { first.gradient(y, x); }), error_of([&] { first.jacobian(y, x); }),
        error_of([&] { first.watch(x); }), error_of([&] { first.enter(); }), error_of([&] { first.exit(); }),
        error_of([&] { first.reset(); }), error_of([&] { auto pause = first.stop_recording(); }),
        error_of([&] { first.batch_jacobian(y, x); }), error_of([&] { first.counts(); }),
        error_of([&] { first.id(); }), error_of([&] { first.persistent(); }),
        error_of([&] { first.watched_variables(); }), error_of([&] { first.explain(y, x); })}) {
    INFO(message);
    CHECK(message.find("was moved from") != std::string::npos);
  }
  CHECK(item(second.gradient(y, x)) == 6);
}

TEST_CASE("a tape that is destroyed inside its block leaves nothing behind", "[mistakes]") {
  const Tensor x = constant(3.0);
  {
    auto tape = std::make_optional<GradientTape>();
    auto recording = tape->record();
    tape->watch(x);
    const Tensor y = x * x;
    auto pause = tape->stop_recording();
    tape.reset();
    // What the gone tape held is not given to another one while its block lasts.
    GradientTape other;
    auto recording_other = other.record();
    CHECK(other.counts().recorded == 0);
  }
  check_goes_on();
}

TEST_CASE("a block that outlives its tape does not end another tape's", "[mistakes]") {
  const Tensor x = constant(3.0);
  auto gone = std::make_optional<GradientTape>();
  std::unique_ptr<GradientTape::Recording> block(new GradientTape::Recording(gone->record()));
  gone.reset();
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch(x);
    block.reset();
    y = x * x;
  }
  CHECK(item(tape.gradient(y, x)) == 6);
  check_goes_on();
}

TEST_CASE("a tape whose thread ended inside the block is asked and entered by another",
          "[mistakes][threads]") {
  const Tensor x = constant(3.0);
  GradientTape tape;
  Tensor y;
  std::thread([&] {
    tape.enter();
    tape.watch(x);
    y = x * x;
  }).join();
  CHECK(item(tape.gradient(y, x)) == 6);
  GradientTape left;
  std::thread([&] { left.enter(); }).join();
  left.exit();
  left.enter();
  left.exit();
  check_goes_on();
}

TEST_CASE("a variable that was never made says so wherever it is used", "[mistakes]") {
  const Variable empty;
  GradientTape tape({.persistent = true});
  auto recording = tape.record();
  const Tensor x = constant(3.0);
  tape.watch(x);
  const Tensor y = x * x;
  for (const std::string& message :
       {error_of([&] { empty.value(); }), error_of([&] { empty.assign(x); }),
        error_of([&] { empty.assign_add(x); }), error_of([&] { empty.assign_sub(1.0); }),
        error_of([&] { square(empty); }), error_of([&] { tape.watch(empty); }),
        error_of([&] { tape.gradient(y, empty); }), error_of([&] { tape.gradient(empty, x); }),
        error_of([&] { empty.name(); }), error_of([&] { empty.type(); }), error_of([&] { empty.peek(); }),
        error_of([&] { empty.trainable(); }), error_of([&] { empty.mutable_data(); })}) {
    INFO(message);
    CHECK(message.find("the variable was never made, or was moved from") != std::string::npos);
  }
  CHECK(item(tape.gradient(y, x)) == 6);
}

TEST_CASE("a tensor that was moved from is None wherever it is used", "[mistakes]") {
  Tensor x = constant({3.0});
  const Tensor kept = std::move(x);
  GradientTape tape({.persistent = true});
  auto recording = tape.record();
  tape.watch(kept);
  const Tensor y = kept * kept;
  for (const std::string& message :
       {error_of([&] { square(x); }), error_of([&] { x + kept; }), error_of([&] {
          concat({kept, x}, 0);
        }),
        error_of([&] {
          add_n(std::vector{x, kept});
        }),
        error_of([&] { tape.watch(x); }), error_of([&] { item(x); }),
        error_of([&] { tape.gradient(x, kept); }), error_of([&] { tape.gradient(y, x); }),
        error_of([&] { Variable made(x); }), error_of([&] { host_values(x); })}) {
    INFO(message);
    CHECK(message.find("None") != std::string::npos);
    CHECK(message.find("lifetime_test.cpp:") != std::string::npos);
  }
  CHECK(item(tape.gradient(y, kept)) == 6);
}

TEST_CASE("a row of a batch has no values for a variable or the host", "[mistakes]") {
  const Variable w(constant({0.0, 0.0}), {.name = "w"});
  {
    BatchMode mode(2);
    const Tensor row = mode.wrap(constant({{1.0, 2.0}, {3.0, 4.0}}));
    CHECK(kind_of([&] { w.assign(row); }) == ErrorKind::attribute);
    CHECK(kind_of([&] { w.assign_add(row); }) == ErrorKind::attribute);
    CHECK(kind_of([&] { Variable made(row); }) == ErrorKind::attribute);
    CHECK(kind_of([&] { host_values(row); }) == ErrorKind::attribute);
    CHECK(kind_of([&] { item(reduce_sum(row)); }) == ErrorKind::attribute);
  }
  CHECK(elements(w.peek()) == std::vector<double>{0, 0});
  check_goes_on();
}

TEST_CASE("an error in a gradient's own ops names the line of the forward op", "[mistakes]") {
  GradientTape tape;
  const Tensor x = constant({{1.0, 2.0}, {3.0, 4.0}});
  Tensor y;
  unsigned line = 0;
  {
    auto recording = tape.record();
    tape.watch(x);
    line = __LINE__ + 1;
    y = reduce_max(x, 0);
  }
  const std::string message = error_of([&] {
    tape.gradient(y, x, {.output_gradients = {constant({1.0, 2.0, 3.0})}});
  });
  INFO(message);
  CHECK(message.ends_with("(at lifetime_test.cpp:" + std::to_string(line) + ")"));
  check_goes_on();
}

TEST_CASE("the values of a gradient that is None are refused", "[mistakes]") {
  const Tensor x = constant({1.0, 2.0}), apart = constant(3.0);
  GradientTape tape;
  Tensor y;
  {
    auto recording = tape.record();
    tape.watch({x, apart});
    y = x * x;
  }
  const Tensor none = tape.gradient(y, apart);
  REQUIRE_FALSE(none);
  for (const std::string& message :
       {error_of([&] { elements(none); }), error_of([&] { element(none, 0); })}) {
    INFO(message);
    CHECK(message.find("the tensor is None and has no values") != std::string::npos);
  }
  check_goes_on();
}

TEST_CASE("asking for gradients of unnamed tensors interns no name", "[tape]") {
  const auto ask = [] {
    const Tensor x = constant(2.0);
    GradientTape tape;
    Tensor y;
    {
      const auto block = tape.record();
      tape.watch(x);
      y = square(x);
    }
    CHECK(tape.gradient(y, x));
  };
  ask();  // names of functions and files are interned once
  const NameId before = intern_name("interned before unnamed tensors were asked about");
  for (int round = 0; round < 100; ++round) ask();
  CHECK(intern_name("interned after unnamed tensors were asked about") == before + 1);
}
