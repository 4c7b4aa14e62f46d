// What a step holds, and what of it for backward passes.
#include <functional>

#include "engine/ops/ops.h"
#include "engine/tape/recompute_grad.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;

namespace {

struct Held {
  TapeCounts counts;
  std::int64_t by_tape = 0;  // what the tape itself says, before its backward pass
};

Held held_by(const std::function<Tensor(const Tensor&)>& layer, int layers) {
  Held held;
  const auto snapshot = test::snapshot_of([&](std::uint64_t) {
    GradientTape tape;
    const Tensor x = ones({64, 64}) * 0.5;
    Tensor y = x;
    {
      const auto recording = tape.record();
      tape.watch(x);
      for (int i = 0; i < layers; ++i) y = layer(y);
    }
    held.by_tape = static_cast<std::int64_t>(tape.counts().saved_bytes);
    tape.gradient(y, x);
  });
  held.counts = snapshot->complete->counts;
  return held;
}

}  // namespace

TEST_CASE("what is saved for the backward pass is what the tape says", "[store]") {
  const Held plain = held_by([](const Tensor& x) { return tanh(exp(x)); }, 8);
  CHECK(plain.counts.saved_bytes == 16 * 64 * 64 * 4);
  CHECK(plain.counts.saved_bytes == plain.by_tape);
  CHECK(plain.counts.peak_bytes >= plain.counts.saved_bytes);
}

TEST_CASE("what is computed again is not saved all at once", "[store]") {
  const auto layer = recompute_grad([](const Tensor& x) { return tanh(exp(x)); });
  const Held again = held_by(layer, 8);
  // The two results of one layer at a time.
  CHECK(again.counts.saved_bytes == 2 * 64 * 64 * 4);
}

TEST_CASE("what each op saves adds up to what the step saves", "[store]") {
  Variable w(ones({64, 64}) * 0.5, {.name = "w"});
  const auto snapshot = test::snapshot_of([&](std::uint64_t) {
    GradientTape tape;
    Tensor y = ones({64, 64});
    {
      const auto recording = tape.record();
      // Both save w, and the second saves what the first made, which tanh keeps already.
      for (int i = 0; i < 3; ++i) y = tanh(matmul(y, w));
    }
    tape.gradient(y, w);
  });
  const StepView& view = *snapshot->complete;
  std::int64_t rows = 0, kinds = 0, shared = 0;
  for (const OpRow& row : view.ops) rows += row.saved_bytes, shared += row.shared_bytes;
  for (const OpKindRow& kind : snapshot->op_kinds) kinds += kind.saved_bytes;
  CHECK(view.counts.saved_bytes > 0);
  CHECK(rows == view.counts.saved_bytes);
  CHECK(kinds == view.counts.saved_bytes);
  CHECK(shared > 0);
}
