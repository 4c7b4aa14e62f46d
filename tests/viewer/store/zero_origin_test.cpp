// Why a gradient is zero, proved by the values that go back: small programs whose way passes several ops that
// could be it.
#include <algorithm>
#include <cstdio>

#include "engine/events/session.h"
#include "engine/ops/ops.h"
#include "engine/program.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/recording.h"
#include "viewer/store/store.h"

using namespace tapescope;

namespace {

using Program = Tensor (*)(const Variable& w);

void differentiate(Program program, const Variable& w) {
  GradientTape tape;
  Tensor loss;
  {
    const auto recording = tape.record();
    loss = program(w);
  }
  tape.gradient(loss, w);
}

// "reason Op": of the gradient of `start` by a program that ran while a session listened.
std::string zero_of(const Values& start, Program program) {
  const Variable w(constant(start, DType::f32), {.name = "w"});
  Session session;
  session.start();
  note_step_begin(0, 0);
  differentiate(program, w);
  note_step_end(0, 0);
  session.stop();
  Store store(0);
  const auto stats = session.take_stats();
  session.drain([&](std::uint32_t thread, std::span<const Record> records) { store.add(thread, records); });
  store.add_stats(stats);
  store.publish();
  const auto snapshot = store.snapshot();
  REQUIRE(snapshot->complete);
  const std::vector<GradientRow>& rows = snapshot->gradients;
  REQUIRE(rows.size() == 1);
  REQUIRE(rows[0].status == GradientStatus::zero);
  INFO(rows[0].message);
  CHECK(rows[0].location.starts_with("zero_origin_test.cpp:"));
  CHECK(rows[0].edge.location == rows[0].location);
  CHECK_FALSE(rows[0].fix.empty());
  REQUIRE_FALSE(rows[0].path.empty());
  CHECK(rows[0].path.back().op == rows[0].edge.op);
  return rows[0].reason + " " + rows[0].edge.op;
}

}  // namespace

TEST_CASE("an op that lets nothing through is innocent where another way goes on past it") {
  CHECK(zero_of({50.0, 60.0}, [](const Variable& w) {
          const Tensor y = tanh(w);
          return reduce_sum(where(y > 2.0, y, zeros_like(y)) + 2.0 * y);
        }) == "saturated Tanh");
}

TEST_CASE("a step says that a mask takes the gradient of a part, whatever chose its elements before") {
  CHECK(zero_of({1.0, 2.0}, [](const Variable& w) {
          const Tensor other = constant({2.0, 3.0}), labels = constant({1.0, 0.0, -1.0, -1.0});
          const Tensor known = cast(labels != -1.0, DType::f32), logits = concat({other * 2.0, w * 2.0}, 0);
          return reduce_sum(known * (where(logits > 0, logits, 0.5 * logits) - 0.1 * logits));
        }) == "masked Mul");
}

TEST_CASE("shares that are only added up hide their inputs, though none is near 1") {
  CHECK(zero_of({1.0, 1.0}, [](const Variable& w) { return square(reduce_sum(softmax(w))); }) ==
        "cancels Softmax");
  CHECK(zero_of({400.0, -300.0}, [](const Variable& w) { return reduce_max(softmax(w)); }) ==
        "saturated Softmax");
}

TEST_CASE("an op that hands nothing on by its kind is no way past another") {
  CHECK(zero_of({4000.0, -3000.0}, [](const Variable& w) {
          return reduce_mean(sigmoid_cross_entropy_with_logits(constant({1.0, 0.0}), w));
        }) == "saturated Exp");
}

TEST_CASE("a bell far away has no slope in the type, a sigmoid written out is saturated") {
  CHECK(zero_of({40.0, 30.0}, [](const Variable& w) { return reduce_sum(exp(-square(w))); }) ==
        "underflow Exp");
  CHECK(zero_of({-800.0, -900.0}, [](const Variable& w) { return reduce_sum(1.0 / (1.0 + exp(w))); }) ==
        "saturated Exp");
}

TEST_CASE("what is taken away from itself cancels where the two meet, not where it was made") {
  CHECK(zero_of({0.5, 0.25}, [](const Variable& w) {
          const Tensor y = tanh(w);
          return reduce_sum(square(y - (y - stop_gradient(y))));
        }) == "cancels Sub");
}

TEST_CASE("what made zeros in a first round of a loop without marks made those of its later rounds") {
  const Variable w(constant({50.0, 60.0}, DType::f32), {.name = "w"});
  const auto snapshot = test::snapshot_of_unmarked([&] {
    for (int round = 0; round < 6; ++round) {
      GradientTape tape;
      Tensor loss;
      {
        const auto recording = tape.record();
        const Tensor y = tanh(w);
        loss = reduce_sum(relu(y) * y);
      }
      w.assign_sub(0.1 * tape.gradient(loss, w));
    }
  });
  REQUIRE(snapshot->gradients.size() == 1);
  CHECK(snapshot->gradients[0].reason == "saturated");
  CHECK(snapshot->gradients[0].message.find("probably") == std::string::npos);
}

TEST_CASE("a zero gradient names the op that made it, whatever else is on the way", "[zero]") {
  CHECK(zero_of({-1, -2}, [](const Variable& w) { return reduce_sum(relu(w) * 2.0); }) == "dead_relu Relu");
  // The relu is alive; what follows multiplies by zeros.
  CHECK(zero_of({1, 2}, [](const Variable& w) {
          return reduce_sum(relu(w) * constant({0.0, 0.0}));
        }) == "zero_weights Mul");
  CHECK(zero_of({1, 2}, [](const Variable& w) { return reduce_sum(tanh(sigmoid(w * 200.0) * 3.0)); }) ==
        "saturated Sigmoid");
  CHECK(zero_of({1, 2}, [](const Variable& w) { return reduce_sum(sign(tanh(w))); }) == "sign Sign");
  CHECK(zero_of({5, 7}, [](const Variable& w) { return reduce_sum(minimum(relu(w), 3.0)); }) ==
        "clipped Minimum");
  CHECK(zero_of({5, 7}, [](const Variable& w) {
          return reduce_max(concat({w * 1.0, constant({9.0, 9.0})}, 0));
        }) == "max_loser Max");
  CHECK(zero_of({5, 7}, [](const Variable& w) { return reduce_sum(where(w > 9.0, exp(w), 0.0)); }) ==
        "masked SelectV2");
  CHECK(zero_of({5, 7}, [](const Variable& w) {
          return reduce_sum(exp(slice(concat({w.value(), constant({1.0, 1.0})}, 0), {2}, {2})));
        }) == "masked Slice");
  CHECK(zero_of({0, 0}, [](const Variable& w) { return reduce_sum(square(relu(w + 1.0) - 1.0)); }) ==
        "zero_weights Square");
  CHECK(zero_of({1e-5, 1e-5}, [](const Variable& w) {
          return reduce_sum(cast(cast(w, DType::f16) * 1e-5, DType::f32) * 1e-6);
        }) == "underflow Mul");
  CHECK(zero_of({1, 2}, [](const Variable& w) {
          return reduce_sum(cast(cast(w, DType::f16), DType::f32) * 1e-9);
        }) == "underflow Cast");
}

TEST_CASE("contributions that add up to nothing are named where they meet", "[zero]") {
  CHECK(zero_of({3, 4}, [](const Variable& w) {
          const Tensor h = exp(w);
          return reduce_sum(h * 2.0 - h * 2.0);
        }) == "cancels Sub");
}

TEST_CASE("a slope that is a factor is zero where its relu is dead", "[zero]") {
  const Variable w(constant({3.0, 4.0}, DType::f32), {.name = "w"});
  const auto snapshot = test::snapshot_of_gradient(
      [&] {
        const Tensor off = constant({-1.0, -2.0});
        GradientTape inner;
        Tensor units;
        {
          const auto recording = inner.record();
          inner.watch(off);
          units = reduce_sum(relu(off));
        }
        return reduce_sum(w * inner.gradient(units, off));
      },
      w);
  const auto row = std::ranges::find(snapshot->gradients, "w", &GradientRow::source);
  REQUIRE(row != snapshot->gradients.end());
  CHECK(row->status == GradientStatus::zero);
  CHECK(row->reason == "dead_relu");
  CHECK(row->edge.op == "Relu");
}

TEST_CASE("a run's report has what was proved, the recording of it too", "[zero]") {
  RunRequest request;
  request.sample = "nan-hunt";
  request.options.variant = "optimized";
  const std::string file = "zero_origin_test.tape";
  const HeadlessRun run = run_headless(request, file);
  const RunReport report = report_of(run, 0);
  const auto row_of = [](const RunReport& of) {
    return *std::find_if(of.gradients.begin(), of.gradients.end(),
                         [](const GradientRow& row) { return row.source == "offset"; });
  };
  const GradientRow row = row_of(report);
  CHECK(row.status == GradientStatus::zero);
  CHECK(row.reason == "zero_weights");
  CHECK(row.edge.op == "Square");  // of a vector that is zero; the loss multiplies by 0.1 after it
  const GradientRow read = row_of(report_of(read_recording(file), 0));
  std::remove(file.c_str());
  CHECK(read.message == row.message);
  CHECK(read.edge.op == row.edge.op);
}
