// A call that a viewer stepped into is a view apart: its ops are none of the step's.
#include "engine/events/records/functions.h"
#include "tests/support/catch.h"
#include "tests/viewer/store/record_writer.h"
#include "viewer/model/graph_model.h"
#include "viewer/store/step_data.h"

using namespace tapescope;

namespace {

std::shared_ptr<const StepView> view_of(test::RecordWriter& w) {
  StepData data;
  data.begin = 1'000'000;
  data.segments.of(1) = w.take();
  data.home = 1;
  return make_step_view(data);
}

}  // namespace

TEST_CASE("the ops of a call that was stepped into are a separate view", "[store]") {
  test::RecordWriter w;
  w.begin_step(0);
  const TensorId x = w.op("Tanh", {w.create({2})}, {2});
  w.records.push_back(ExpansionRecord{.name = intern_name("forecast"), .ticks = w.ticks, .site = w.site(5)});
  const TensorId squared = w.inner("Square", {x}, 700);
  const TensorId held = w.inner("While", {squared}, 700, InnerOpRecord::kHolds);
  w.inner("Sqrt", {held}, 300, 0, 22);
  w.records.push_back(ExpansionEndRecord{.ticks = w.ticks});
  const TensorId called = w.op("PartitionedCall", {x}, {2});
  const auto view = view_of(w);
  REQUIRE(view->expansions.size() == 1);
  const Expansion& expansion = view->expansions[0];
  CHECK(name_text(expansion.name) == "forecast");
  CHECK(expansion.ended);
  CHECK(view->ops.back().output == called);
  CHECK(view->ops.size() == 2);
  CHECK(view->nodes == 2);
  const StepView& inside = *expansion.view;
  REQUIRE(inside.ops.size() == 3);
  CHECK(inside.ops[2].op == "Sqrt");
  CHECK(inside.ops[2].location == "sample.cpp:22");
  CHECK(inside.ops[2].node == 2);
  // What holds others has their time once.
  CHECK(inside.ops[1].duration_us == 0);
  CHECK(inside.ops[1].inside_us == inside.ops[0].duration_us);
  CHECK(inside.step_us == inside.ops[0].duration_us + inside.ops[2].duration_us);
}

TEST_CASE("a step that claims to step in without an end keeps so many and no more", "[store]") {
  test::RecordWriter w;
  w.begin_step(0);
  for (int i = 0; i < 1000; ++i) {
    w.records.push_back(ExpansionRecord{.name = intern_name("f"), .ticks = w.ticks, .site = w.site(5)});
    w.inner("Square", {}, 10);
  }
  const auto view = view_of(w);
  REQUIRE(view->expansions.size() == 256);
  for (const Expansion& expansion : view->expansions) CHECK(expansion.view->ops.size() == 1);
}

TEST_CASE("an op that takes another handle than a variable's is no variable of the graph", "[store]") {
  test::RecordWriter w;
  w.begin_step(0);
  const TensorId weights = w.variable("w", {2});
  const TensorId read = w.read(weights, {2});
  const TensorId optional = w.op("PartitionedCall", {read}, {2});
  const TensorId value =
      w.op("OptionalGetValue", {optional}, {2}, test::RecordWriter::kRecorded, OpRecord::kHandle);
  w.op("Mean", {value}, {});
  const auto view = view_of(w);
  const ui::GraphModel model = ui::build_graph(*view);
  const auto leaf = [&](std::string_view op) {
    for (std::uint32_t i = 0; i < view->ops.size(); ++i) {
      if (view->ops[i].op == op) return model.graph.ops[model.node_of_a[i]].leaf_variable;
    }
    return false;
  };
  CHECK(leaf("ReadVariableOp"));
  CHECK_FALSE(leaf("OptionalGetValue"));
}

TEST_CASE("outputs that a record states and nothing shows take no memory", "[store]") {
  test::RecordWriter w;
  w.begin_step(0);
  const TensorId x = w.create({2});
  const auto state = [&](std::uint16_t outputs) {
    for (auto at = w.records.rbegin(); at != w.records.rend(); ++at) {
      if (at->is<OperandsRecord>()) {
        auto operands = at->as<OperandsRecord>();
        operands.outputs = outputs;
        *at = operands;
        return;
      }
    }
  };
  w.op("Split", {x}, {2});
  state(60'000);
  const TensorId first = w.op("Split", {x}, {2});
  state(3);
  for (std::uint16_t i = 1; i < 3; ++i)
    w.records.push_back(
        OutputRecord{.index = i, .tensor = first + i, .type = intern_type(DType::f32, {2})->id});
  w.next += 2;
  w.records.push_back(ExpansionRecord{.name = intern_name("f"), .ticks = w.ticks, .site = w.site(5)});
  for (int i = 0; i < 10; ++i) {
    w.inner("Split", {x}, 700);
    auto operands = w.records.back().as<InnerOperandsRecord>();
    operands.outputs = 60'000;
    w.records.back() = operands;
  }
  w.records.push_back(ExpansionEndRecord{.ticks = w.ticks});
  const auto view = view_of(w);
  REQUIRE(view->ops.size() == 2);
  CHECK(view->ops[0].outputs == 1);
  CHECK(view->ops[1].outputs == 3);
  REQUIRE(view->expansions.size() == 1);
  std::size_t inner = 0;
  for (const OpRow& op : view->expansions[0].view->ops) inner += op.outputs;
  CHECK(inner > 10);
  CHECK(inner < 200);
}
