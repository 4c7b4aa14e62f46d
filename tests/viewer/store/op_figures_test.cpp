// FLOP and bytes of ops, from the types of what they read and write.
#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"
#include "tests/support/three_rounds.h"

using namespace tapescope;
using test::row_of;

TEST_CASE("what ops made before the first step has its type in every step", "[store]") {
  Tensor x;
  const auto snapshot = test::snapshot_after(
      [&] {
        x = ones({16, 64}) * 0.5;
      },
      [&](std::uint64_t) {
        matmul(x, ones({64, 8}));
      },
      3);
  const OpRow& product = row_of(*snapshot->complete, "MatMul");
  CHECK(product.types == "16×64 · 64×8");
  CHECK(product.flops == 2.0 * 16 * 64 * 8);
}

TEST_CASE("a fused product has the figures of its parts", "[store]") {
  Function f(
      "f", [](const Tensor& x, const Tensor& w, const Tensor& b) { return relu(bias_add(matmul(x, w), b)); });
  const auto snapshot = test::snapshot_of(
      [&](std::uint64_t) {
        f(ones({16, 64}), ones({64, 32}), ones({32}));
      },
      2);
  const OpRow& fused = row_of(*snapshot->complete, "_FusedMatMul");
  CHECK(fused.flops == 2.0 * 16 * 64 * 32 + 2.0 * 16 * 32);
  CHECK(fused.bytes == 4.0 * (16 * 64 + 64 * 32 + 32 + 16 * 32));
}

TEST_CASE("a loop's rounds read what the round before made, and its gradient what they saved", "[store]") {
  const Variable w(ones({8, 8}) * 0.1, {.name = "w"});
  Function f("f", [&](const Tensor& x) { return test::three_rounds(x, w); });
  const auto snapshot = test::snapshot_of_gradient([&] { return reduce_sum(f(ones({4, 8}))); }, w, 2);
  const StepView& view = *snapshot->complete;
  int forward = 0, backward = 0, chained = 0;
  std::uint32_t last = kNoOp;
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    if (row.op == "Tanh") last = i;
    if (row.op != "MatMul") continue;
    INFO(row.name << " " << row.types);
    ++(row.direction == Direction::backward ? backward : forward);
    CHECK(row.flops == 2.0 * 4 * 8 * 8);
    if (row.direction != Direction::backward && last != kNoOp) chained += view.producers_of(row)[0] == last;
  }
  CHECK(forward == 3);
  CHECK(backward == 6);  // of each round, for what it read and for w
  CHECK(chained == 2);
  // What comes after the loop reads it, not its last round.
  const OpRow& sum = row_of(view, "Sum");
  CHECK(is_call(view.ops[view.producers_of(sum)[0]]));
}
