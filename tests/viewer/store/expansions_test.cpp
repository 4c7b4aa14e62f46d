// A call that a viewer stepped into is a view apart: its ops are none of the step's.
#include <algorithm>

#include "engine/events/records/functions.h"
#include "tests/support/catch.h"
#include "tests/viewer/store/record_writer.h"
#include "viewer/model/graph_model.h"
#include "viewer/panels/step_at_cursor.h"
#include "viewer/store/step_data.h"

using namespace tapescope;

namespace {

class Writer : public test::RecordWriter {
 public:
  TensorId inner(std::string_view name, std::initializer_list<TensorId> inputs, std::uint32_t duration,
                 std::uint8_t flags = 0, std::uint32_t line = 20) {
    const TensorId output = next++;
    records.push_back(InnerOpRecord{.flags = flags,
                                    .name = intern_op_name(name),
                                    .site = site(line),
                                    .ticks = ticks += duration,
                                    .output = output,
                                    .type = intern_type(DType::f32, {2})->id,
                                    .duration = duration});
    InnerOperandsRecord operands{.inputs = static_cast<std::uint8_t>(inputs.size()), .outputs = 1};
    std::copy(inputs.begin(), inputs.end(), operands.input.begin());
    records.push_back(operands);
    return output;
  }
};

std::shared_ptr<const StepView> view_of(Writer& w) {
  StepData data;
  data.begin = 1'000'000;
  data.segments.of(1) = w.take();
  data.home = 1;
  return make_step_view(data);
}

}  // namespace

TEST_CASE("the ops of a call that was stepped into are a separate view", "[store]") {
  Writer w;
  w.begin_step(0);
  const TensorId x = w.op("Tanh", {w.create({2})}, {2});
  w.records.push_back(ExpansionRecord{.name = intern_name("forecast"), .ticks = w.ticks, .site = w.site(5)});
  const TensorId squared = w.inner("Square", {x}, 700);
  const TensorId held = w.inner("While", {squared}, 700, InnerOpRecord::kHolds);
  w.inner("Sqrt", {held}, 300, 0, 22);
  auto open = w.records;
  w.records.push_back(ExpansionEndRecord{.ticks = w.ticks});
  const TensorId called = w.op("PartitionedCall", {x}, {2});
  const auto view = view_of(w);
  REQUIRE(view->expansions.size() == 1);
  const Expansion& expansion = view->expansions[0];
  CHECK(name_text(expansion.name) == "forecast");
  CHECK(expansion.ended);
  CHECK(view->ops[expansion.call].output == called);
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
  // Where the program stands at one of them that is what panels draw, with its line.
  w.records = std::move(open);
  Snapshot snapshot;
  snapshot.current = view_of(w);
  RunStatus status;
  status.mode = RunMode::paused;
  auto frame = std::make_shared<FrameView>();
  frame->frame.inner = 2;
  frame->frame.output = held;
  frame->frame.site = w.site(20);
  status.frame = frame;
  const ui::StepPosition cursor{.position = 1, .count = 1, .live = true};
  const ui::StepAtCursor at = ui::step_at_cursor(&snapshot, cursor, status);
  CHECK(at.expanded);
  CHECK(name_text(at.function) == "forecast");
  CHECK(at.position == 2);
  CHECK(at.view->ops.size() == 3);
  CHECK(at.inside == w.site(20));
  frame->frame.output = x;
  CHECK_FALSE(ui::step_at_cursor(&snapshot, cursor, status).expanded);
}

TEST_CASE("an op that takes another handle than a variable's is no variable of the graph", "[store]") {
  Writer w;
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
