// Programs that mark no steps are judged as a whole and shown step by step.
#include "viewer/store/unmarked.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/events/records/tapes.h"
#include "tests/support/catch.h"
#include "tests/viewer/store/record_writer.h"
#include "viewer/store/store.h"

using namespace tapescope;
using tapescope::test::RecordWriter;

namespace {

struct Loop {
  RecordWriter writer;
  TensorId x = writer.create({32, 784}), w = writer.variable("w", {784, 10});

  void imply(std::uint64_t step) {
    writer.records.push_back(StepBeginRecord{.implied = 1, .step = step, .ticks = writer.ticks});
  }
  // A step of the engine's; `marked` by the program instead.
  RecordWriter::Step step(std::uint64_t number, bool marked = false) {
    const RecordWriter::Step made = writer.dense_step(number, x, w);
    const auto begin = std::ranges::find_if(writer.records, [&](const Record& record) {
      return record.is<StepBeginRecord>() && record.as<StepBeginRecord>().step == number;
    });
    if (!marked) {
      auto implied = begin->as<StepBeginRecord>();
      implied.implied = 1;
      *begin = implied;
    }
    return made;
  }
  std::shared_ptr<const Snapshot> into(Store& store) {
    store.add(1, writer.take());
    writer.records.clear();
    store.publish();
    return store.snapshot();
  }
};

}  // namespace

TEST_CASE("steps that a program did not mark have rows, views and times", "[store][unmarked]") {
  Loop loop;
  Store store;
  for (std::uint64_t i = 0; i < 3; ++i) loop.step(i);
  loop.imply(3);
  const auto snapshot = loop.into(store);
  REQUIRE(snapshot->steps.size() == 3);
  CHECK(snapshot->steps[2].step == 2);
  CHECK(snapshot->steps[2].backward_us > 0);
  REQUIRE(snapshot->complete);
  CHECK(snapshot->complete->step == 2);
  CHECK(snapshot->shown() == snapshot->complete);
  CHECK(snapshot->held.size() == 3);
  CHECK(snapshot->idle);
  RecordWriter one;
  const TensorId x = one.create({32, 784}), w = one.variable("w", {784, 10});
  one.dense_step(0, x, w);
  Store marked;
  marked.add(1, one.take());
  marked.publish();
  CHECK(snapshot->complete->ops.size() == marked.snapshot()->complete->ops.size());
}

TEST_CASE("a question may take what an earlier step made, where the program marks none",
          "[store][unmarked]") {
  const auto reason_after = [](bool marked) {
    Loop loop;
    Store store;
    RecordWriter& to = loop.writer;
    const TensorId kept = loop.step(0, marked).product;
    const TensorId loss = loop.step(1, marked).loss;
    to.ask(loss, {{kept, "kept"}});
    to.result(kept, 0, 0, ResultKind::none);
    marked ? to.begin_step(2) : loop.imply(2);
    const auto snapshot = loop.into(store);
    return std::ranges::any_of(snapshot->gradients,
                               [](const GradientRow& row) { return row.source == "kept"; });
  };
  // Between two steps that are marked it belongs to neither.
  CHECK(reason_after(false));
  CHECK_FALSE(reason_after(true));
}

TEST_CASE("an alert says its step, and its place in the step that is shown", "[store][unmarked]") {
  Loop loop;
  Store store;
  RecordWriter::Step bad{};
  for (std::uint64_t i = 0; i < 4; ++i) {
    const auto made = loop.step(i);
    if (i == 1) bad = made;
  }
  loop.imply(4);
  StatsEntry entry;
  entry.stats.tensor = bad.gradient;
  entry.stats.count = 7840;
  entry.stats.nans = 3;
  entry.step = 1;
  entry.source = intern_name("w");
  entry.source_id = loop.w;
  store.add(1, loop.writer.take());
  store.add_stats(std::span(&entry, 1));
  store.publish();
  const auto snapshot = store.snapshot();
  REQUIRE_FALSE(snapshot->alerts.empty());
  const AlertRow& alert = snapshot->alerts.front();
  CHECK(alert.kind == "nonfinite");
  CHECK(alert.step == 1);
  REQUIRE(alert.op_index < snapshot->shown()->ops.size());
  const OpRow& op = snapshot->shown()->ops[alert.op_index];
  CHECK(snapshot->shown()->step == 3);
  CHECK(op.op == "MatMul");
  CHECK(op.direction == Direction::backward);
}

TEST_CASE("a loop that runs for days keeps its first and latest steps and loses nothing",
          "[store][unmarked]") {
  Loop loop;
  Store store(0, {.outside_bytes = 256u << 10});
  std::shared_ptr<const Snapshot> snapshot;
  for (std::uint64_t i = 0; i < 500; ++i) {
    loop.step(i);
    if (i % 50 == 49) snapshot = loop.into(store);
  }
  CHECK(snapshot->lost_events == 0);
  CHECK(snapshot->steps.size() == 500);
  CHECK(snapshot->complete->step == 499);
  REQUIRE_FALSE(snapshot->gradients.empty());
  CHECK(snapshot->gradients.front().source == "w");
  CHECK(snapshot->gradients.front().step == 499);
  CHECK(snapshot->gradients.front().call < snapshot->shown()->calls.size());
}

TEST_CASE("what is let go of a long run is much, whatever its steps hold", "[store][unmarked]") {
  for (const bool traces : {false, true}) {
    CAPTURE(traces);
    Loop loop;
    Segments all;
    std::vector<Record>& records = all.of(1);
    std::uint64_t step = 0;
    // Each step reads a value and makes a constant; here it traces a function, too.
    const auto grow = [&](std::size_t most) {
      while (records.size() < most) {
        const RecordWriter::Step made = loop.step(step++);
        loop.writer.records.push_back(HostReadRecord{.tensor = made.loss});
        loop.writer.create({32, 784});
        if (traces)
          loop.writer.records.push_back(
              FunctionCallRecord{.flags = FunctionCallRecord::kTraced, .function = 1});
        const auto more = loop.writer.take();
        records.insert(records.end(), more.begin(), more.end());
        loop.writer.records.clear();
      }
    };
    for (int round = 0; round < 12; ++round) {
      grow(8000);
      const std::size_t before = records.size();
      drop_middle(all, 1);
      CHECK(records.size() < before * 0.7);
      const auto variables = std::ranges::count_if(
          records, [](const Record& record) { return record.is<VariableRecord>(); });
      CHECK(variables == 1);
    }
  }
}

TEST_CASE("between two judgements of a long run its steps go on, and what was said has its place in them",
          "[store][unmarked]") {
  Loop loop;
  Store store;
  for (std::uint64_t i = 0; i < 200; ++i) loop.step(i);
  loop.into(store);
  int lagged = 0;
  for (std::uint64_t i = 200; i < 260; ++i) {
    if (i % 2 == 0) {
      loop.step(i);
    } else {  // a short one: a place of the others would lie behind its end
      loop.imply(i);
      loop.writer.op("Neg", {loop.x}, {32, 784});
      loop.writer.end_step(i);
    }
    store.add(1, loop.writer.take());
    loop.writer.records.clear();
    store.publish(false);
    lagged += store.dirty();
    const auto snapshot = store.snapshot();
    const auto shown = snapshot->shown();
    CHECK(snapshot->steps.size() == i + 1);
    CHECK(shown->step == i);
    REQUIRE_FALSE(snapshot->gradients.empty());
    for (const GradientRow& row : snapshot->gradients)
      CHECK((row.call == kNoOp || row.call < shown->calls.size()));
    for (const AlertRow& alert : snapshot->alerts)
      CHECK((alert.op_index == kNoOp || alert.op_index < shown->ops.size()));
  }
  CHECK(lagged > 0);
  store.publish();
  CHECK_FALSE(store.dirty());
  CHECK(store.snapshot()->gradients.front().step == 258);
}

TEST_CASE("a program that marks its steps after all has those alone", "[store][unmarked]") {
  Loop loop;
  Store store;
  for (std::uint64_t i = 0; i < 5; ++i) loop.step(i);
  loop.into(store);
  loop.step(0, true);
  loop.step(1, true);
  const auto snapshot = loop.into(store);
  REQUIRE(snapshot->steps.size() == 2);
  CHECK(snapshot->steps[1].step == 1);
  CHECK(snapshot->held.size() == 2);
}
