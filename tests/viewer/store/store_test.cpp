// The store keeps what records hold: rows, counts, replays, programs, bounds.
#include "viewer/store/store.h"

#include <cmath>
#include <limits>

#include "engine/events/clock.h"
#include "engine/events/records/steps.h"
#include "engine/events/records/tapes.h"
#include "engine/ops/batch.h"
#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "tests/support/snapshot_of.h"
#include "tests/viewer/store/record_writer.h"
#include "viewer/store/gradient_table.h"
#include "viewer/store/ingest.h"
#include "viewer/store/step_data.h"

using namespace tapescope;
using tapescope::test::RecordWriter;

namespace {

struct Fed {
  RecordWriter writer;
  Store store;
  TensorId x = 0, w = 0;
  Fed() {
    x = writer.create({32, 784});
    w = writer.variable("w", {784, 10});
  }
  RecordWriter::Step step(std::uint64_t number) { return writer.dense_step(number, x, w); }
  std::shared_ptr<const Snapshot> snapshot(std::uint32_t thread = 1) {
    store.add(thread, writer.take());
    writer.records.clear();
    store.publish();
    return store.snapshot();
  }
};

StatsEntry stats(TensorId gradient, TensorId source, std::string_view name, std::uint64_t step, double norm,
                 std::int64_t zeros = 0, std::int64_t nans = 0) {
  StatsEntry entry;
  entry.stats.tensor = gradient;
  entry.stats.norm = norm;
  entry.stats.zeros = zeros;
  entry.stats.nans = nans;
  entry.stats.count = 7840;
  entry.step = step;
  entry.source = intern_name(name);
  entry.source_id = source;
  return entry;
}

}  // namespace

TEST_CASE("an empty store has an empty picture", "[store]") {
  const Store store;
  REQUIRE(store.snapshot());
  CHECK_FALSE(store.snapshot()->current);
  CHECK_FALSE(store.snapshot()->shown());
}

TEST_CASE("a step's ops stand in the order they ran, with names, types, sites and edges", "[store]") {
  Fed fed;
  const RecordWriter::Step ids = fed.step(0);
  const auto snapshot = fed.snapshot();
  REQUIRE(snapshot->complete);
  const StepView& view = *snapshot->complete;
  REQUIRE(view.ops.size() == 9);
  CHECK(view.ops[2].op == "MatMul");
  CHECK(view.ops[2].name == "dense_1/MatMul");
  CHECK(view.ops[2].scope == "dense_1");
  CHECK(view.ops[2].location == "sample.cpp:10");
  CHECK(view.ops[2].types == "32×784 · 784×10");
  CHECK(view.ops[2].output_type == "32×10");
  CHECK(view.ops[2].dtype == "float32");
  CHECK(view.ops[4].output_type == "scalar");
  CHECK(view.ops[1].name == "w/ReadVariableOp");
  CHECK(view.ops[1].types == "784×10");
  const auto producers = view.producers_of(view.ops[2]);
  REQUIRE(producers.size() == 2);
  CHECK(producers[0] == 0);
  CHECK(producers[1] == 1);
  CHECK(view.producers_of(view.ops[0])[0] == kNoOp);
  CHECK(view.op_of_tensor(ids.active) == 3);
  REQUIRE(view.variables.size() == 1);
  CHECK(view.variables[0].name == "w");
}

TEST_CASE("an op knows its direction, its partner and why no tape recorded it", "[store]") {
  Fed fed;
  fed.step(0);
  const auto snapshot = fed.snapshot();
  const StepView& view = *snapshot->complete;
  CHECK(view.ops[0].direction == Direction::forward);
  CHECK_FALSE(view.ops[0].recorded);
  CHECK(view.ops[0].not_recorded == "none of its inputs is watched");
  CHECK(view.ops[5].direction == Direction::backward);
  CHECK(view.ops[5].partner == 4);
  CHECK(view.ops[6].partner == 3);
  CHECK(view.ops[7].partner == 2);
  CHECK(view.ops[7].name == "dense_1/MatMul_grad/MatMul");
  CHECK(view.ops[8].direction == Direction::update);
  REQUIRE(view.backward_steps.size() == 4);
  CHECK(view.backward_steps[2].forward_op == 2);
  CHECK(view.backward_steps[2].ops == 1);
  CHECK(view.backward_steps[3].ops == 0);
}

TEST_CASE("a watched tensor that nothing has described yet is no number", "[store]") {
  Fed fed;
  RecordWriter& writer = fed.writer;
  const TensorId weight = writer.next++, number = writer.next++;
  writer.begin_step(0);
  writer.records.push_back(WatchRecord{.how = WatchKind::by_hand, .tape = 1, .watched = weight});
  writer.op("linear", {fed.x, weight}, {32, 10});
  writer.op("mul", {fed.x, number}, {32, 784});
  writer.end_step(0);
  const auto view = fed.snapshot()->complete;
  REQUIRE(view);
  CHECK(view->ops[0].types == "32×784 · ?");
  CHECK(view->ops[1].types == "32×784 · scalar");
}

TEST_CASE("a backward step without recorded gradients has the shapes of its forward op the other way round",
          "[store]") {
  Fed fed;
  RecordWriter& writer = fed.writer;
  writer.begin_step(0);
  const TensorId product = writer.op("mm", {fed.x, fed.w}, {32, 10});
  writer.ask(product, {{fed.w, "w"}});
  writer.backward_begin();
  writer.backward_step(product);
  writer.records.push_back(OpRecord{.flags = OpRecord::kBackward,
                                    .name = intern_op_name("MmBackward0"),
                                    .ticks = writer.ticks += 1000,
                                    .duration = 1000});
  writer.backward_end();
  writer.records.push_back(OpRecord{.name = intern_op_name("manual_seed"), .ticks = writer.ticks += 1000});
  writer.end_step(0);
  const auto view = fed.snapshot()->complete;
  REQUIRE(view);
  REQUIRE(view->ops.size() == 3);
  CHECK(view->ops[1].types == "32×10");
  CHECK(view->ops[1].output_type == "32×784 · 784×10");
  CHECK(view->ops[1].dtype == "float32");
  CHECK(view->ops[2].output_type.empty());  // it makes nothing
  CHECK(view->ops[2].type == nullptr);
}

TEST_CASE("tape nodes are numbered forward, then backward", "[store]") {
  Fed fed;
  fed.step(0);
  const auto snapshot = fed.snapshot();
  const StepView& view = *snapshot->complete;
  CHECK(view.ops[0].node == -1);
  CHECK(view.ops[1].node == 0);
  CHECK(view.ops[4].node == 3);
  CHECK(view.forward_nodes == 4);
  CHECK(view.nodes == 8);
  CHECK(view.backward_steps[0].node == 4);
  std::uint32_t step = 0;
  CHECK(view.op_at_node(6, &step) == 2);
  CHECK(step == 2);
  CHECK(view.op_at_node(99) == kNoOp);
}

TEST_CASE("counts say what was executed, recorded, and run backward", "[store]") {
  Fed fed;
  fed.step(0);
  const auto snapshot = fed.snapshot();
  for (const TapeCounts& counts : {snapshot->complete->counts, snapshot->steps[0].counts}) {
    CHECK(counts.executed == 6);
    CHECK(counts.recorded == 4);
    CHECK(counts.not_recorded == 2);
    CHECK(counts.backward_ops == 3);
  }
}

TEST_CASE("times split into forward, backward and update", "[store]") {
  Fed fed;
  fed.step(0);
  const auto snapshot = fed.snapshot();
  const StepSummary& step = snapshot->steps[0];
  CHECK(step.forward_us == Approx(microseconds(5000)).epsilon(1e-3));
  CHECK(step.backward_us == Approx(microseconds(3000)).epsilon(1e-3));
  CHECK(step.update_us == Approx(microseconds(1500)).epsilon(1e-3));
  CHECK(step.step_us == Approx(microseconds(9500)).epsilon(1e-3));
  CHECK(snapshot->complete->step_us == Approx(step.step_us));
  CHECK(snapshot->complete->backward_us == Approx(step.backward_us));
}

TEST_CASE("op kinds credit backward time to the forward op's type", "[store]") {
  Fed fed;
  for (std::uint64_t s = 0; s < 3; ++s) fed.step(s);
  const auto snapshot = fed.snapshot();
  const auto row = [&](std::string_view op) {
    for (const OpKindRow& kind : snapshot->op_kinds) {
      if (kind.op == op) return kind;
    }
    FAIL("no row for " << op);
    return OpKindRow{};
  };
  CHECK(row("Relu").backward_us == Approx(microseconds(1000)).epsilon(1e-3));
  CHECK(row("Relu").count == 1);
  CHECK(row("ReluGrad").backward_us == 0);
  CHECK(row("ReluGrad").backward_run_us == Approx(microseconds(1000)).epsilon(1e-3));
  CHECK(row("MatMul").count == 2);
  CHECK(row("MatMul").backward_runs == 1);
  CHECK(row("MatMul").forward_series.size() == 3);
  double share = 0;
  for (const OpKindRow& kind : snapshot->op_kinds) share += kind.share;
  CHECK(share == Approx(1));
  CHECK(row("MatMul").call_median == Approx(microseconds(1000)).epsilon(1e-3).epsilon(0.05));
}

TEST_CASE("an abandoned step is shown but never counted", "[store]") {
  Fed fed;
  fed.step(0);
  fed.writer.begin_step(1);
  fed.writer.op("Mul", {fed.x}, {32, 784});
  fed.writer.end_step(1, true);
  const auto snapshot = fed.snapshot();
  CHECK(snapshot->steps.size() == 1);
  CHECK(snapshot->complete->step == 0);
  CHECK(snapshot->current->step == 1);
  CHECK(snapshot->current->ops.size() == 1);
}

TEST_CASE("a step that runs again replaces its former run and forgets what came later", "[store]") {
  Fed fed;
  for (std::uint64_t s = 0; s < 5; ++s) fed.step(s);
  fed.snapshot();
  fed.writer.begin_step(2);
  fed.writer.op("Mul", {fed.x}, {32, 784});
  auto snapshot = fed.snapshot();
  CHECK(snapshot->steps.size() == 2);
  CHECK(snapshot->complete->step == 2);  // the former run, until this one ends
  CHECK(snapshot->complete->ops.size() == 9);
  CHECK(snapshot->current->ops.size() == 1);
  CHECK(snapshot->metrics[0].points.size() == 2);
  fed.writer.end_step(2);
  snapshot = fed.snapshot();
  CHECK(snapshot->steps.size() == 3);
  CHECK(snapshot->complete->ops.size() == 1);
  CHECK(snapshot->current == snapshot->complete);
}

TEST_CASE("a step can be seen while it runs", "[store]") {
  Fed fed;
  fed.writer.begin_step(0);
  const TensorId read = fed.writer.read(fed.w, {784, 10});
  fed.writer.op("MatMul", {fed.x, read}, {32, 10});
  auto snapshot = fed.snapshot();
  REQUIRE(snapshot->current);
  CHECK_FALSE(snapshot->current->complete);
  REQUIRE(snapshot->current->ops.size() == 2);
  // It takes as long as what ran of it.
  const std::vector<OpRow>& ops = snapshot->current->ops;
  CHECK(snapshot->current->step_us == Approx(ops[0].duration_us + ops[1].duration_us));
  CHECK_FALSE(snapshot->complete);
  CHECK_FALSE(snapshot->idle);
}

TEST_CASE("records may be cut anywhere", "[store]") {
  Fed whole, pieces;
  whole.step(0);
  const auto expected = whole.snapshot();
  pieces.step(0);
  for (const Record& record : pieces.writer.take()) pieces.store.add(1, {&record, 1});
  pieces.store.publish();
  const auto got = pieces.store.snapshot();
  REQUIRE(got->complete);
  REQUIRE(got->complete->ops.size() == expected->complete->ops.size());
  for (std::size_t i = 0; i < got->complete->ops.size(); ++i) {
    CHECK(got->complete->ops[i].name == expected->complete->ops[i].name);
    CHECK(got->complete->ops[i].inputs == expected->complete->ops[i].inputs);
  }
}

TEST_CASE("an op with more than three inputs keeps them all", "[store]") {
  Fed fed;
  fed.writer.begin_step(0);
  std::vector<TensorId> parts;
  for (int i = 0; i < 5; ++i) parts.push_back(fed.writer.op("Relu", {fed.x}, {2}));
  fed.writer.op("ConcatV2", {parts[0], parts[1], parts[2], parts[3], parts[4]}, {10});
  fed.writer.end_step(0);
  const auto snapshot = fed.snapshot();
  const OpRow& row = snapshot->complete->ops.back();
  REQUIRE(row.inputs == 5);
  CHECK(snapshot->complete->producers_of(row)[4] == 4);
  CHECK(snapshot->complete->counts.recorded == 6);
}

TEST_CASE("gradients carry norms, and zeros and not finite values are distinguished", "[store]") {
  Fed fed;
  const auto ids = fed.step(0);
  fed.snapshot();
  const StatsEntry entries[] = {stats(ids.gradient, fed.w, "w", 0, 2.5)};
  fed.store.add_stats(entries);
  auto snapshot = fed.snapshot();
  REQUIRE(snapshot->gradients.size() == 1);
  CHECK(snapshot->gradients[0].source == "w");
  CHECK(snapshot->gradients[0].status == GradientStatus::value);
  CHECK(snapshot->gradients[0].norm == 2.5);
  CHECK(snapshot->gradients[0].norms.size() == 1);

  const auto second = fed.step(1);
  fed.snapshot();
  const StatsEntry zero[] = {stats(second.gradient, fed.w, "w", 1, 0, 7840)};
  fed.store.add_stats(zero);
  snapshot = fed.snapshot();
  CHECK(snapshot->gradients[0].status == GradientStatus::zero);
  CHECK(snapshot->gradients[0].reason == "dead_relu");
  CHECK(snapshot->gradients[0].location == "sample.cpp:11");

  const auto third = fed.step(2);
  fed.snapshot();
  const StatsEntry nan[] = {stats(third.gradient, fed.w, "w", 2, std::nan(""), 0, 3)};
  fed.store.add_stats(nan);
  snapshot = fed.snapshot();
  CHECK(snapshot->gradients[0].status == GradientStatus::nonfinite);
  REQUIRE_FALSE(snapshot->alerts.empty());
  CHECK(snapshot->alerts[0].kind == "nonfinite");
  CHECK(snapshot->alerts[0].value == "nan");
}

TEST_CASE("statistics that come before their records wait for them", "[store]") {
  Fed fed;
  const auto ids = fed.step(0);
  const StatsEntry entries[] = {stats(ids.gradient, fed.w, "w", 0, 2.5)};
  fed.store.add_stats(entries);
  const auto snapshot = fed.snapshot();
  CHECK(snapshot->gradients[0].has_stats);
}

TEST_CASE("the store keeps full records of a bounded number of steps and a summary of all", "[store]") {
  RecordWriter writer;
  Store store(0, {.held_steps = 4});
  const TensorId x = writer.create({32, 784}), w = writer.variable("w", {784, 10});
  for (std::uint64_t s = 0; s < 1300; ++s) writer.dense_step(s, x, w);
  store.add(1, writer.take());
  store.publish();
  const auto snapshot = store.snapshot();
  CHECK(snapshot->held.size() == 4);
  CHECK(snapshot->held.back()->step == 1299);
  CHECK(snapshot->steps.size() == 1300);
  CHECK(snapshot->steps[700].step == 700);
  CHECK(snapshot->metrics[0].points.size() == 1300);
  CHECK(make_step_view(*snapshot->held.front())->ops.size() == 9);
}

TEST_CASE("a picture does not change once it was taken", "[store]") {
  Fed fed;
  fed.step(0);
  const auto before = fed.snapshot();
  for (std::uint64_t s = 1; s < 600; ++s) fed.step(s);
  fed.snapshot();
  CHECK(before->steps.size() == 1);
  CHECK(before->complete->step == 0);
  CHECK(fed.store.snapshot()->version > before->version);
}

TEST_CASE("records go to the program whose step runs on their thread", "[store]") {
  Store a(0), b(1);
  Store* stores[] = {&a, &b};
  Router router(stores);
  RecordWriter writer;
  const TensorId x = writer.create({32, 784}), w = writer.variable("w", {784, 10});
  for (std::uint64_t s = 0; s < 3; ++s) {
    writer.dense_step(s, x, w, 0);
    writer.dense_step(s, x, w, 1);
  }
  router.add(1, writer.take());
  a.publish();
  b.publish();
  CHECK(a.snapshot()->steps.size() == 3);
  CHECK(b.snapshot()->steps.size() == 3);
  CHECK(b.snapshot()->complete->ops.size() == 9);
  CHECK(b.snapshot()->complete->ops[1].name == "w/ReadVariableOp");  // what came first went to both
}

TEST_CASE("a program without steps is shown as one", "[store]") {
  Fed fed;
  fed.writer.op("Mul", {fed.x}, {32, 784});
  const auto snapshot = fed.snapshot();
  REQUIRE(snapshot->shown());
  CHECK(snapshot->shown()->ops.size() == 1);
}

TEST_CASE("an op that a batch ran row by row is a warning in the log, with its line", "[store]") {
  const auto snapshot = test::snapshot_of([](std::uint64_t) {
    BatchMode mode(3);
    const Tensor perms = mode.wrap(constant({{1, 2, 0}, {0, 2, 1}, {2, 1, 0}}, DType::i32));
    invert_permutation(perms);
  });
  REQUIRE(snapshot->log.size() == 1);
  const LogRow& line = snapshot->log[0];
  CHECK(line.text == "InvertPermutation has no batching rule: it ran once for each of 3 rows");
  CHECK(line.severity == 1);
  CHECK(line.location.starts_with("store_test.cpp:"));
}

TEST_CASE("what was lost is counted", "[store]") {
  Fed fed;
  fed.writer.begin_step(0);
  fed.writer.records.push_back(LostRecord{.records = 42});
  fed.writer.end_step(0);
  const auto snapshot = fed.snapshot();
  CHECK(snapshot->lost_events == 42);
  CHECK(snapshot->complete->lost_events == 42);
}

TEST_CASE(
    "a step whose ops a narrow line left out has its time and loss, and the whole one before stays shown",
    "[store]") {
  Fed fed;
  fed.step(0);
  for (const std::uint64_t step : {1, 2}) {
    fed.writer.begin_step(step);
    fed.writer.scalar("loss", 0.5, step);
    fed.writer.records.push_back(LostRecord{.thinned = 1, .records = 30, .every = 4});
    fed.writer.end_step(step);
  }
  const auto snapshot = fed.snapshot();
  CHECK(snapshot->steps.size() == 3);
  CHECK(snapshot->steps.back().lost == 30);
  CHECK(snapshot->thinned.steps == 2);
  CHECK(snapshot->thinned.records == 60);
  CHECK(snapshot->thinned.every == 4);
  CHECK(snapshot->lost_events == 60);
  REQUIRE(snapshot->shown());
  CHECK(snapshot->shown()->step == 0);
  CHECK_FALSE(snapshot->shown()->ops.empty());
  REQUIRE(snapshot->metrics.size() == 1);
  CHECK(snapshot->metrics[0].points.back().step == 2);
}

TEST_CASE("a loss that is not finite is the first alert", "[store]") {
  Fed fed;
  fed.step(0);
  fed.writer.begin_step(1);
  fed.writer.scalar("loss", std::numeric_limits<double>::infinity(), 1);
  fed.writer.end_step(1);
  const auto snapshot = fed.snapshot();
  REQUIRE(snapshot->alerts.size() == 1);
  CHECK(snapshot->alerts[0].direction == "forward");
  CHECK(snapshot->alerts[0].value == "inf");
}

TEST_CASE("persistent tapes of many steps that are held at one time are a leak", "[store]") {
  Fed fed;
  for (std::uint64_t s = 0; s < 4; ++s) {
    fed.writer.begin_step(s);
    const std::uint32_t tape = static_cast<std::uint32_t>(100 + s);
    fed.writer.records.push_back(
        TapeEnterRecord{.flags = TapeEnterRecord::kPersistent, .tape = tape, .site = fed.writer.site(30)});
    fed.writer.end_step(s);
  }
  auto snapshot = fed.snapshot();
  REQUIRE(snapshot->alerts.size() == 1);
  CHECK(snapshot->alerts[0].kind == "leak");
  CHECK(snapshot->alerts[0].location == "sample.cpp:30");
  for (std::uint32_t tape = 100; tape < 103; ++tape) {
    fed.writer.records.push_back(TapeRecord{.kind = TapeRecord::kDestroyed, .tape = tape});
  }
  // At its end each program gives its tapes back.
  CHECK(fed.snapshot()->alerts.size() == 1);
}

TEST_CASE("a persistent tape that ends before the next step is no leak", "[store]") {
  Fed fed;
  for (std::uint64_t s = 0; s < 8; ++s) {
    fed.writer.begin_step(s);
    const std::uint32_t tape = static_cast<std::uint32_t>(100 + s);
    fed.writer.records.push_back(
        TapeEnterRecord{.flags = TapeEnterRecord::kPersistent, .tape = tape, .site = fed.writer.site(30)});
    fed.writer.records.push_back(TapeRecord{.kind = TapeRecord::kDestroyed, .tape = tape});
    fed.writer.end_step(s);
  }
  CHECK(fed.snapshot()->alerts.empty());
}

TEST_CASE("exploding needs growth, vanishing a gap, and a healthy run gets neither", "[store]") {
  Fed fed;
  std::vector<StatsEntry> entries;
  const auto feed = [&](std::uint64_t step, double norm) {
    const auto ids = fed.step(step);
    entries.push_back(stats(ids.gradient, fed.w, "w", step, norm));
  };
  for (std::uint64_t s = 0; s < 20; ++s) feed(s, 5.0 / static_cast<double>(s + 1));
  fed.snapshot();
  fed.store.add_stats(entries);
  CHECK(fed.snapshot()->alerts.empty());
  entries.clear();
  for (std::uint64_t s = 20; s < 24; ++s) feed(s, 1e5);
  fed.snapshot();
  fed.store.add_stats(entries);
  const auto snapshot = fed.snapshot();
  REQUIRE(snapshot->alerts.size() == 1);
  CHECK(snapshot->alerts[0].kind == "exploding");
  CHECK(snapshot->alerts[0].subject == "w");
}

TEST_CASE("live bytes rise and fall, and what is saved lives until its backward step", "[store]") {
  Fed fed;
  fed.step(0);
  const auto snapshot = fed.snapshot();
  const StepView& view = *snapshot->complete;
  REQUIRE(view.live_bytes.size() == view.ops.size());
  CHECK(view.counts.peak_bytes > 0);
  CHECK(view.live_bytes[view.peak_op] == view.counts.peak_bytes);
  for (std::int64_t bytes : view.live_bytes) CHECK(bytes >= 0);
}

TEST_CASE("records of a step's threads stay together by thread, in the order in which the threads came",
          "[store]") {
  Segments segments;
  segments.push_back({7, {StepBeginRecord{}}});
  for (const std::uint32_t thread : {3u, 7u, 5u, 3u}) segments.of(thread).push_back(StepEndRecord{});
  REQUIRE(segments.size() == 3);
  CHECK((segments[0].thread == 7 && segments[1].thread == 3 && segments[2].thread == 5));
  CHECK((segments[0].records.size() == 2 && segments[1].records.size() == 2 &&
         segments[2].records.size() == 1));
  // What goes elsewhere takes its threads along.
  Segments other = std::move(segments);
  segments.clear();
  segments.of(5).push_back(StepEndRecord{});
  other.of(5).push_back(StepEndRecord{});
  REQUIRE(segments.size() == 1);
  CHECK(segments[0].records.size() == 1);
  CHECK((other.size() == 3 && other[2].records.size() == 2));
}

TEST_CASE("a run without end keeps its first and its latest steps, its count and its first NaN", "[store]") {
  constexpr std::uint64_t kSteps = 20'000, kNan = 5'000;
  RecordWriter writer;
  Store store(0, {.summaries = 4096});
  for (std::uint64_t step = 0; step < kSteps; ++step) {
    writer.begin_step(step);
    writer.scalar("loss", step == kNan ? std::nan("") : 1.0, step);
    writer.end_step(step);
    store.add(1, writer.take());
    writer.records.clear();
  }
  store.publish();
  const auto snapshot = store.snapshot();
  CHECK(snapshot->steps.size() <= 4096);
  CHECK(snapshot->steps.count() == kSteps);
  CHECK(snapshot->steps[0].step == 0);
  CHECK(snapshot->steps.back().step == kSteps - 1);
  REQUIRE(snapshot->metrics.size() == 1);
  CHECK(snapshot->metrics[0].points.size() <= 4096);
  CHECK(snapshot->metrics[0].points.back().step == kSteps - 1);
  REQUIRE(snapshot->alerts.size() == 1);
  CHECK(snapshot->alerts[0].subject == "loss");
  CHECK(snapshot->alerts[0].step == kNan);
}

TEST_CASE("a NaN that a step run again does not have is no alert", "[store]") {
  RecordWriter writer;
  Store store;
  for (const double loss : {std::nan(""), 1.0}) {
    writer.begin_step(0);
    writer.scalar("loss", loss, 0);
    writer.end_step(0);
    store.add(1, writer.take());
    writer.records.clear();
    store.publish();
    CHECK(store.snapshot()->alerts.size() == (std::isnan(loss) ? 1 : 0));
  }
}

TEST_CASE("sources that are new in each step are forgotten, variables are not", "[store]") {
  GradientTable table;
  table.learn_source(7, true);
  for (TensorId source = 1000; source < 101'000; ++source) {
    table.learn_source(source, false);
    REQUIRE(table.sources().size() <= 16'386);
  }
  CHECK(table.sources().contains(7));
  CHECK(table.sources().contains(100'999));
  CHECK(table.sources().contains(100'000));
  CHECK_FALSE(table.sources().contains(1000));
}
