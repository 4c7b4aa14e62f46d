// What a program keeps from one of its steps and uses in the next.
#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;

TEST_CASE("a tensor kept from the step before is the reason that its sources have no gradient", "[store]") {
  const Variable w(constant({1.0, 2.0}), {.name = "w"}), v(constant(0.5), {.name = "v"});
  Tensor kept;
  const int line = __LINE__ + 7;
  const auto snapshot = test::snapshot_of(
      [&](std::uint64_t step) {
        GradientTape tape;
        Tensor loss;
        {
          const auto recording = tape.record();
          const Tensor hidden = tanh(v * w);
          loss = reduce_sum(square(step == 0 ? hidden : kept) * w);
          kept = hidden;
        }
        tape.gradient(loss, {w, v});
      },
      4);
  REQUIRE(snapshot->gradients.size() == 2);
  const GradientRow& row = snapshot->gradients[0];
  CHECK(row.source == "v");
  CHECK(row.reason == "outside_tape_before");
  CHECK(row.location == "kept_tensors_test.cpp:" + std::to_string(line));
}

TEST_CASE("what no step used stays unused", "[store]") {
  const Variable w(constant({1.0, 2.0}), {.name = "w"}), v(constant(0.5), {.name = "v"});
  const auto snapshot = test::snapshot_of(
      [&](std::uint64_t) {
        GradientTape tape;
        Tensor loss;
        {
          const auto recording = tape.record();
          loss = reduce_sum(square(w));
        }
        tape.gradient(loss, {w, v});
      },
      3);
  REQUIRE(snapshot->gradients.size() == 2);
  CHECK(snapshot->gradients[0].reason == "unused");
}
