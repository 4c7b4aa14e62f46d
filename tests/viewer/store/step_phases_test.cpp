// Forward pass, backward pass and update of a step, whether a tape walks or a function's graph holds the
// gradient.
#include "engine/events/step_phases.h"
#include "engine/events/records/ops.h"

#include <algorithm>
#include <vector>

#include "engine/graph/function.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"

using namespace tapescope;
using test::kind_of;
using test::row_of;

namespace {

OpRecord op(std::uint64_t end, std::uint32_t duration, std::uint8_t flags = 0) {
  OpRecord record;
  record.ticks = end;
  record.duration = duration;
  record.flags = flags;
  return record;
}

}  // namespace

TEST_CASE("walks are passes from begin to end, inner ones part of the outer", "[store]") {
  StepPhases phases;
  phases.op(op(10, 5));
  CHECK_FALSE(phases.any());
  phases.begin_walk(20);
  phases.op(op(30, 5, OpRecord::kBackward));
  phases.begin_walk(31);
  phases.end_walk(35);
  phases.op(op(38, 1));
  phases.end_walk(40);
  phases.op(op(50, 5));
  phases.begin_walk(60);
  phases.end_walk(65);
  phases.end_walk(70);  // its begin was lost
  phases.finish();
  CHECK(phases.first() == 20);
  CHECK(phases.backward() == 25);
  CHECK(phases.last_end() == 65);
}

TEST_CASE("a walk that is cut off has begun, and does not count", "[store]") {
  StepPhases phases;
  phases.begin_walk(20);
  phases.op(op(30, 5, OpRecord::kBackward));
  phases.finish();
  CHECK(phases.first() == 20);
  CHECK(phases.backward() == 0);
  CHECK(phases.last_end() == 0);
}

TEST_CASE("backward ops of a graph are passes while no other op runs between them", "[store]") {
  StepPhases phases;
  phases.op(op(5, 5, OpRecord::kBackward | OpRecord::kTraced));  // did not run
  phases.op(op(10, 5));
  CHECK_FALSE(phases.any());
  phases.op(op(20, 8, OpRecord::kBackward));
  phases.op(op(0, 0, OpRecord::kBackward));  // not timed
  phases.op(op(32, 10, OpRecord::kBackward));
  phases.op(op(40, 5));
  phases.op(op(50, 5, OpRecord::kBackward));
  phases.begin_walk(52);  // a tape's
  phases.end_walk(60);
  phases.op(op(70, 4, OpRecord::kBackward));
  phases.finish();
  CHECK(phases.first() == 12);
  CHECK(phases.backward() == (32 - 12) + 5 + 8 + 4);
  CHECK(phases.last_end() == 70);
}

TEST_CASE("a step in a function has the phases of the same step by a tape", "[store]") {
  Variable w(ones({64, 64}), {.name = "w"});
  const auto train = [&](const Tensor& x) {
    GradientTape tape;
    Tensor loss;
    {
      const auto recording = tape.record();
      loss = reduce_sum(tanh(matmul(x, w)));
    }
    w.assign_sub(tape.gradient(loss, w) * 1e-3);
    return loss;
  };
  const auto eager = test::snapshot_of([&](std::uint64_t) { train(ones({64, 64})); }, 3);
  Function step("step", train);
  const auto traced = test::snapshot_of([&](std::uint64_t) { step(ones({64, 64})); }, 3);
  for (const auto& snapshot : {eager, traced}) {
    const StepView& view = *snapshot->complete;
    const StepSummary& summary = snapshot->steps[2];
    CHECK(row_of(view, "MatMul").direction == Direction::forward);
    CHECK(row_of(view, "Sum").direction == Direction::forward);
    CHECK(row_of(view, "TanhGrad").direction == Direction::backward);
    CHECK(std::any_of(view.ops.begin(), view.ops.end(),
                      [](const OpRow& row) { return row.direction == Direction::update; }));
    for (const double part : {summary.forward_us, summary.backward_us, summary.update_us}) CHECK(part > 0);
    CHECK(summary.forward_us + summary.backward_us + summary.update_us <= summary.step_us * (1 + 1e-6));
    CHECK(view.forward_us == Approx(summary.forward_us));
    CHECK(view.backward_us == Approx(summary.backward_us));
    CHECK(view.update_us == Approx(summary.update_us));
    CHECK(summary.backward_us >= row_of(view, "TanhGrad").duration_us);
  }
  CHECK(row_of(*traced->complete, "PartitionedCall").direction == Direction::other);  // it holds all three
  // What no tape says by the op it differentiates has its own row.
  CHECK(kind_of(*eager, "Tanh").backward_us > 0);
  CHECK(kind_of(*eager, "TanhGrad").backward_us == 0);
  CHECK(kind_of(*traced, "Tanh").backward_us == 0);
  CHECK(kind_of(*traced, "TanhGrad").backward_us > 0);
}

TEST_CASE("what runs in a function that a tape records is forward, its gradient backward", "[store]") {
  const Variable w(ones({4, 4}), {.name = "w"});
  Function f("f", [&](const Tensor& x) { return tanh(matmul(x, w)); });
  const auto snapshot = test::snapshot_of(
      [&](std::uint64_t) {
        GradientTape tape;
        Tensor loss;
        {
          const auto recording = tape.record();
          loss = reduce_sum(f(ones({4, 4})));
        }
        tape.gradient(loss, w);
        f(ones({4, 4}));
      },
      2);
  std::vector<Direction> products;
  for (const OpRow& row : snapshot->complete->ops) {
    if (row.op == "MatMul") products.push_back(row.direction);
  }
  // x wants no gradient; the second call is on no tape.
  CHECK(products == std::vector{Direction::forward, Direction::backward, Direction::update});
  // The call has what its ops took beside its own time; in the table of kinds each of them has its own,
  // backward too.
  const OpRow& call = row_of(*snapshot->complete, "PartitionedCall");
  CHECK(call.inside_us >=
        row_of(*snapshot->complete, "MatMul").duration_us + row_of(*snapshot->complete, "Tanh").duration_us);
  CHECK(whole_us(call) == call.inside_us + call.duration_us);
  CHECK(row_of(*snapshot->complete, "Sum").inside_us == 0);
  CHECK(kind_of(*snapshot, "MatMul").backward_us > 0);
  CHECK(kind_of(*snapshot, "TanhGrad").backward_us > 0);
  CHECK(kind_of(*snapshot, "Tanh").backward_us == 0);
}

TEST_CASE("the rows of a Jacobian are put together in its backward pass, and nothing of it is an update",
          "[store]") {
  const Variable x(ones({3}), {.name = "x"});
  for (const bool vectorized : {true, false}) {
    const auto snapshot = test::snapshot_of(
        [&](std::uint64_t) {
          GradientTape tape({.persistent = true});
          Tensor y;
          {
            const auto recording = tape.record();
            y = tanh(x);
          }
          tape.jacobian(y, x, {.vectorized = vectorized});
        },
        2);
    INFO("vectorized " << vectorized);
    for (const OpRow& row : snapshot->complete->ops) {
      INFO(row.op);
      CHECK(row.direction != Direction::update);
      if (row.op == "ConcatV2") CHECK(row.direction == Direction::backward);
    }
    // The walk and what puts its rows together are one pass.
    const StepSummary& summary = snapshot->steps[1];
    CHECK(summary.backward_us > 0);
    CHECK(summary.forward_us + summary.backward_us + summary.update_us <= summary.step_us * (1 + 1e-6));
  }
}
