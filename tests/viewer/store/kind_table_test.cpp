// What each kind of op costs, and which kind a backward pass is charged to where passes run in passes.
#include "viewer/store/kind_table.h"

#include "engine/events/records/gradients.h"
#include "engine/events/records/ops.h"
#include "engine/ops/ops.h"
#include "engine/tape/recompute_grad.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"
#include "viewer/store/step_data.h"

using namespace tapescope;
using test::kind_of;

namespace {

// Every run in a backward pass is charged to one kind.
void check_sum(const Snapshot& snapshot) {
  double charged = 0, ran = 0;
  for (const OpKindRow& kind : snapshot.op_kinds) charged += kind.backward_us, ran += kind.backward_run_us;
  CHECK(ran > 0);
  CHECK(charged == Approx(ran));
}

}  // namespace

TEST_CASE(
    "what is computed again for a gradient is charged to who asked, its backward steps to the ops themselves",
    "[store]") {
  const Variable w(ones({64, 64}) * 0.01, {.name = "w"});
  const auto layers = recompute_grad([&](const Tensor& x) { return tanh(matmul(x, w)); });
  const auto snapshot = test::snapshot_of_gradient([&] { return reduce_sum(layers(ones({64, 64}))); }, w);
  check_sum(*snapshot);
  CHECK(kind_of(*snapshot, "Tanh").backward_us == Approx(kind_of(*snapshot, "TanhGrad").backward_run_us));
  CHECK(kind_of(*snapshot, "MatMul").backward_us > 0);
}

TEST_CASE("the backward pass through a backward pass is charged to the ops of the first", "[store]") {
  const Variable x(ones({64, 64}) * 0.5, {.name = "x"});
  const auto snapshot = test::snapshot_of([&](std::uint64_t) {
    GradientTape outer;
    Tensor gradient;
    {
      const auto recording = outer.record();
      GradientTape inner;
      Tensor y;
      {
        const auto watched = inner.record();
        y = tanh(x);
      }
      gradient = inner.gradient(y, x);
    }
    outer.gradient(gradient, x);
  });
  check_sum(*snapshot);
  CHECK(kind_of(*snapshot, "TanhGrad").backward_us > 0);
}

TEST_CASE("operands that belong to no op are passed over, also where a step begins with them", "[store]") {
  StepData step;
  step.segments.of(1) = {BackwardBeginRecord{}, OperandsRecord{.answers = 1}, BackwardEndRecord{}};
  step.segments.of(2) = {OperandsRecord{.answers = 1}, BackwardBeginRecord{}, BackwardEndRecord{}};
  step.home = 1;
  KindTable table;
  StepSummary summary;
  table.count(step, summary);
  CHECK(summary.counts.executed == 0);
  CHECK(table.rows(nullptr).empty());
}

TEST_CASE("an exchange on another thread is waited for where the step's thread runs nothing meanwhile",
          "[store]") {
  const OpNameId exchange = intern_op_name("CollectiveReduceV2"), other = intern_op_name("MatMul");
  const auto op = [](OpNameId name, Ticks begin, Ticks end) {
    return OpRecord{.name = name, .ticks = end, .duration = static_cast<std::uint32_t>(end - begin)};
  };
  const auto counted = [&](std::vector<Record> home) {
    StepData step;
    step.segments.of(1) = std::move(home);
    step.segments.of(2) = {op(other, 100, 200), op(exchange, 200, 1'000'200)};
    step.home = 1;
    StepSummary summary;
    KindTable().count(step, summary);
    return summary;
  };
  const StepSummary waits = counted({op(other, 10, 50), op(other, 1'000'300, 1'000'400)});
  CHECK(waits.exchange_us > 0);
  CHECK(waits.exchange_op == exchange);
  // Beside a backward pass it costs nothing; what is waited for at its end is an exchange of the thread
  // itself.
  CHECK(counted({op(other, 10, 50), op(other, 150, 300)}).exchange_us == 0);
  CHECK(counted({op(other, 500'000, 500'100)}).exchange_us == 0);
  CHECK(counted({op(exchange, 900'000, 1'000'300)}).exchange_us == Approx(waits.exchange_us * 0.1003));
}
