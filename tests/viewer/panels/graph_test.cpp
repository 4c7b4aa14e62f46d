// Promises of the graph panel's preparation: what becomes a box, its words, its state, where a None path is
// cut.
#include "viewer/panels/graph_scene.h"

#include <algorithm>
#include <cmath>

#include "engine/graph/function.h"
#include "engine/nn/optimizers.h"
#include "engine/ops/ops.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"
#include "tests/support/made_up_step.h"
#include "tests/support/snapshot_of.h"
#include "tests/support/three_rounds.h"
#include "viewer/model/compare.h"
#include "viewer/model/units.h"
#include "viewer/panels/graph_cuts.h"
#include "viewer/panels/op_filter.h"

using namespace tapescope;
using namespace tapescope::ui;
using layout::BoxKind;
using layout::kNone;
using layout::Lane;

namespace {

std::uint32_t find_op(const StepView& view, std::string_view op, int nth = 0) {
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    if (view.ops[i].op == op && nth-- == 0) return i;
  }
  return kNoOp;
}

std::shared_ptr<const GraphPicture> picture_of(std::shared_ptr<const StepView> view,
                                               std::shared_ptr<const StepView> other = nullptr) {
  return make_picture(std::move(view), std::move(other), {}, {}, nullptr, false);
}

}  // namespace

TEST_CASE("every op of a step stands in a box, forward ops beside their backward ops") {
  const auto net = test::made_up_net();
  const auto picture = picture_of(net.view);
  for (std::uint32_t i = 0; i < net.view->ops.size(); ++i) {
    INFO(i << " " << net.view->ops[i].op);
    CHECK(picture->box_of(0, i) != kNone);
  }
  const auto& boxes = picture->layout.boxes;
  const std::uint32_t product = picture->box_of(0, find_op(*net.view, "MatMul", 1));
  const std::uint32_t back = picture->box_of(0, find_op(*net.view, "MatMul", 2));
  CHECK(boxes[product].mirror == back);
  CHECK(boxes[product].y == boxes[back].y);
  CHECK(picture->texts[0][back].title == "MatMul ×2");
  CHECK(picture->texts[0][back].tag == "∂" + picture->texts[0][product].title);
  CHECK(picture->texts[0][product].tag == "dense_2");
  CHECK(picture->texts[0][product].shapes == "64×128 · 128×10");
}

TEST_CASE(
    "of a step in a function its pass is drawn, not the call that holds it, nor what its optimizer counts") {
  const Variable w(ones({4, 4}), {.name = "w"});
  Adam adam;
  Function step("step", [&](const Tensor& x) {
    GradientTape tape;
    Tensor loss;
    {
      const auto recording = tape.record();
      loss = reduce_sum(tanh(matmul(x, w)));
    }
    adam.apply_gradients(tape.gradient(loss, {w}), {w});
    return loss;
  });
  const auto snapshot = test::snapshot_of([&](std::uint64_t) { step(ones({4, 4}) * 0.5); }, 2);
  const StepView& view = *snapshot->complete;
  const auto picture = picture_of(snapshot->complete);
  const auto drawn = [&](std::string_view op, int nth = 0) {
    const std::uint32_t found = find_op(view, op, nth);
    REQUIRE(found != kNoOp);
    return picture->box_of(0, found) != kNone;
  };
  for (const char* op : {"MatMul", "Tanh", "Sum", "TanhGrad", "ReadVariableOp", "ResourceApplyAdam"}) {
    INFO(op);
    CHECK(drawn(op));
  }
  CHECK(drawn("MatMul", 1));  // the gradient
  CHECK_FALSE(drawn("PartitionedCall"));
  int counts = 0;
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    if (row.direction != Direction::update || row.op == "ResourceApplyAdam") continue;
    INFO(row.op);
    CHECK(picture->box_of(0, i) == kNone);
    ++counts;
  }
  CHECK(counts > 0);
}

TEST_CASE(
    "a call that a tape holds stands for all that it ran, also where a gradient or another op reads of it") {
  const Variable w(ones({4, 4}) * 0.1, {.name = "w"});
  Function f("f", [&](const Tensor& x) { return test::three_rounds(x, w); });
  const auto snapshot = test::snapshot_of_gradient([&] { return reduce_sum(f(ones({4, 4}))); }, w, 2);
  const StepView& view = *snapshot->complete;
  const auto picture = picture_of(snapshot->complete);
  const std::uint32_t call = find_op(view, "PartitionedCall", 0);
  REQUIRE(call != kNoOp);
  const std::uint32_t box = picture->box_of(0, call);
  REQUIRE(box != kNone);
  int inside = 0, backward = 0;
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    INFO(row.name);
    inside += row.call != kNoOp;
    backward += row.direction == Direction::backward;
    if (row.call != kNoOp) CHECK(picture->box_of(0, i) == box);
    if (row.direction == Direction::backward) CHECK(picture->box_of(0, i) != kNone);
  }
  CHECK(inside > 9);
  CHECK(backward > 9);
  CHECK(picture->ops_of(0, box) == std::vector{call});
  // The sum is computed from it.
  const std::uint32_t sum = picture->box_of(0, find_op(view, "Sum", 0));
  const auto& wires = picture->layout.wires;
  CHECK(std::any_of(wires.begin(), wires.end(),
                    [&](const layout::Wire& wire) { return wire.from_box == box && wire.to_box == sum; }));
}

TEST_CASE("a variable read stands at the left with its gradient at the right") {
  const auto net = test::made_up_net();
  const auto picture = picture_of(net.view);
  const std::uint32_t leaf = picture->box_of(0, find_op(*net.view, "ReadVariableOp", 2));
  const auto& boxes = picture->layout.boxes;
  REQUIRE(leaf != kNone);
  CHECK(boxes[leaf].kind == BoxKind::Variable);
  CHECK(picture->texts[0][leaf].title == "dense_2/kernel");
  REQUIRE(boxes[leaf].mirror != kNone);
  CHECK(boxes[boxes[leaf].mirror].kind == BoxKind::Gradient);
  CHECK(picture->texts[0][boxes[leaf].mirror].title == "d dense_2/kernel");
}

TEST_CASE("a tensor that was watched stands with the shape that an op reads it with") {
  const Tensor watched = ones({3, 4}), scale = ones({2, 3});
  const auto snapshot = test::snapshot_of([&](std::uint64_t) {
    GradientTape tape;
    Tensor loss;
    {
      const auto recording = tape.record();
      tape.watch(watched);
      loss = reduce_sum(matmul(scale, watched));
    }
    tape.gradient(loss, watched);
  });
  const auto picture = picture_of(snapshot->complete);
  const auto& boxes = picture->layout.boxes;
  const auto is_leaf = [](const auto& box) { return box.kind == BoxKind::Variable; };
  const auto leaf = std::ranges::find_if(boxes, is_leaf);
  REQUIRE(leaf != boxes.end());
  CHECK(picture->texts[0][static_cast<std::size_t>(leaf - boxes.begin())].shapes == "3×4");
}

TEST_CASE("the same op keeps its place when the step grows or comes again") {
  const auto net = test::made_up_net();
  const auto whole = picture_of(net.view);
  const auto again = make_picture(test::made_up_net().view, nullptr, {}, {}, whole.get(), false);
  REQUIRE(again->layout.boxes.size() == whole->layout.boxes.size());
  for (std::size_t i = 0; i < again->layout.boxes.size(); ++i) {
    CHECK(again->layout.boxes[i].x == whole->layout.boxes[i].x);
    CHECK(again->layout.boxes[i].y == whole->layout.boxes[i].y);
  }
}

TEST_CASE("a variable stands beside the op that reads it, also where the step was seen to grow op by op") {
  const auto net = test::made_up_net();
  const std::uint32_t kernel = find_op(*net.view, "ReadVariableOp", 1);
  auto part = std::make_shared<StepView>(*net.view);
  part->ops.resize(kernel + 1);
  part->inputs.resize(part->ops.back().first_input + part->ops.back().inputs);
  part->producers.resize(part->inputs.size());
  part->backward_steps.clear();
  const auto growing = make_picture(part, nullptr, {}, {}, nullptr, true);
  // The program stands there: it has a box for the time being.
  CHECK(growing->box_of(0, kernel) != layout::kNone);
  const auto whole = make_picture(net.view, nullptr, {}, {}, growing.get(), false);
  const auto& boxes = whole->layout.boxes;
  const auto fresh = picture_of(net.view);
  CHECK(boxes[whole->box_of(0, kernel)].cell == boxes[whole->box_of(0, kernel + 1)].cell);
  CHECK(boxes.size() == fresh->layout.boxes.size());
}

TEST_CASE("a None source is cut at the edge the explanation names, green up to it") {
  const auto run = test::made_up_run();
  const auto picture = picture_of(run->complete);
  const auto cuts = find_cuts(*picture, 0, run->gradients);
  REQUIRE(cuts.size() == 1);
  CHECK(cuts[0].source == "temperature");
  CHECK(cuts[0].words == "no gradient passes here");
  CHECK(cuts[0].edge_box == picture->box_of(0, find_op(*run->complete, "StopGradient")));
  CHECK(picture->texts[0][cuts[0].source_box].title == "temperature");
  CHECK_FALSE(cuts[0].path_wires.empty());
  CHECK_FALSE(cuts[0].ghost);
}

TEST_CASE("what a paused program has not reached is pending, and its cursor is on the node executed last") {
  const auto run = test::made_up_run();
  const StepView& view = *run->complete;
  const auto picture = picture_of(run->complete);
  StepAtCursor step{run->complete, run->complete, static_cast<std::uint32_t>(view.ops.size()), true, 0};
  const std::uint32_t relu_back = find_op(view, "ReluGrad");
  step.done = relu_back;
  step.position = static_cast<std::uint64_t>(view.backward_steps[view.ops[relu_back].backward_step].node);
  OpInFocus focus;
  SceneInput in;
  in.picture = picture.get();
  in.snapshot = run.get();
  in.step = &step;
  in.now_op = focus.at_cursor(step, &in.now_backward_step);
  const GraphScene scene = make_scene(in);
  CHECK(scene.now_box == picture->box_of(0, find_op(view, "MatMul", 2)));
  CHECK(scene.state[scene.now_box] == BoxState::now);
  CHECK(scene.state[picture->box_of(0, relu_back)] == BoxState::pending);
  CHECK(scene.state[picture->box_of(0, find_op(view, "Relu"))] == BoxState::done);
  CHECK(scene.high >= 70);
  CHECK(std::isfinite(scene.value[picture->box_of(0, relu_back)]));
}

TEST_CASE("an op that hands its gradient on unchanged is pending until it is walked") {
  const Variable w({1.0f, 2.0f});
  const auto run = test::snapshot_of_gradient([&] { return reduce_sum(square(w) + square(exp(w))); }, w);
  const StepView& view = *run->complete;
  const auto picture = picture_of(run->complete);
  const auto& boxes = picture->layout.boxes;
  const auto pass = std::ranges::find(boxes, layout::BoxKind::Pass, &layout::Box::kind);
  REQUIRE(pass != boxes.end());
  const std::uint32_t op = picture->model.nodes[pass->first_op].op(0);
  const std::int64_t walk = view.backward_steps[view.ops[op].backward_step].node;
  StepAtCursor step{run->complete, run->complete, static_cast<std::uint32_t>(view.ops.size()), true, 0};
  SceneInput in;
  in.picture = picture.get();
  in.snapshot = run.get();
  in.step = &step;
  const auto state = [&](std::int64_t position) {
    step.position = static_cast<std::uint64_t>(position);
    return make_scene(in).state[static_cast<std::size_t>(pass - boxes.begin())];
  };
  CHECK(state(walk) == BoxState::pending);
  CHECK(state(walk + 1) == BoxState::done);
}

TEST_CASE("a filter dims what does not match") {
  const auto run = test::made_up_run();
  const auto picture = picture_of(run->complete);
  SceneInput in;
  in.picture = picture.get();
  in.snapshot = run.get();
  in.filter = "op:relu";
  const GraphScene scene = make_scene(in);
  CHECK(scene.filtered);
  CHECK_FALSE(scene.dimmed[picture->box_of(0, find_op(*run->complete, "Relu"))]);
  CHECK(scene.dimmed[picture->box_of(0, find_op(*run->complete, "Mean"))]);
}

TEST_CASE(
    "two variants are drawn on the same rows, what only one has is marked in it and missing in the other") {
  const auto a = test::made_up_net(true), b = test::made_up_net(false);
  const auto picture = picture_of(a.view, b.view);
  const std::uint32_t only = picture->box_of(0, find_op(*a.view, "RealDiv"));
  SceneInput in;
  in.picture = picture.get();
  const GraphScene in_a = make_scene(in);
  in.program = 1;
  const GraphScene in_b = make_scene(in);
  CHECK(in_a.mark[only] == BoxMark::only);
  CHECK(in_b.mark[only] == BoxMark::missing);
  CHECK(in_b.state[only] == BoxState::absent);
  const std::uint32_t shared = picture->box_of(0, find_op(*a.view, "Relu"));
  CHECK(picture->box_of(1, find_op(*b.view, "Relu")) == shared);
  CHECK(in_a.mark[shared] == BoxMark::none);
}

TEST_CASE("matching keeps the order of both steps and takes each op once") {
  const auto a = test::made_up_net(true), b = test::made_up_net(false);
  const auto matched = align(*a.view, *b.view).ops;
  std::uint32_t next_a = 0, next_b = 0;
  for (const AlignedOp& match : matched) {
    if (match.a != kNoOp) CHECK(match.a == next_a++);
    if (match.b != kNoOp) CHECK(match.b == next_b++);
    if (match.a != kNoOp && match.b != kNoOp) CHECK(a.view->ops[match.a].op == b.view->ops[match.b].op);
  }
  CHECK(next_a == a.view->ops.size());
  CHECK(next_b == b.view->ops.size());
}

TEST_CASE("the filter reads words and conditions") {
  OpRow row;
  row.op = "MatMul", row.name = "dense_1/MatMul", row.scope = "dense_1", row.dtype = "float16",
  row.duration_us = 12;
  row.direction = Direction::backward;
  CHECK(OpFilter("matmul").matches(row));
  CHECK(OpFilter("dense >10us").matches(row));
  CHECK_FALSE(OpFilter(">1ms").matches(row));
  CHECK(OpFilter("<1ms dtype:float16 is:backward").matches(row));
  CHECK_FALSE(OpFilter("dtype:float32").matches(row));
  CHECK_FALSE(OpFilter(">").matches(row));
  CHECK(OpFilter("   ").empty());
}

TEST_CASE("each reason of the interfaces has words for the graph") {
  CHECK(short_reason("unused") == "never read");
  CHECK(short_reason("") == "no gradient arrives");
  CHECK(short_reason("a_new_reason") == "a_new_reason");
}

TEST_CASE("a box shows and is coloured by its op's median, not the last step's accident") {
  const auto net = test::made_up_net();
  const std::uint32_t product = find_op(*net.view, "MatMul", 1);
  const auto with_time = [&](std::uint64_t number, double us) {
    auto view = std::make_shared<StepView>(*net.view);
    view->step = number;
    view->ops[product].duration_us = us;
    return std::shared_ptr<const StepView>(view);
  };
  const auto last = with_time(9, 90'000);
  const Steps recent{with_time(7, 12), with_time(8, 14), last};
  const auto picture = make_picture(last, nullptr, {recent, Steps{}}, {}, nullptr, false);
  const std::uint32_t box = picture->box_of(0, product);
  CHECK(picture->texts[0][box].figure == format_us(14));
  SceneInput input;
  input.picture = picture.get();
  input.colour = GraphColour::cost;
  CHECK(make_scene(input).value[box] == Approx(14));
}

TEST_CASE("a box of a comparison shows what B takes against A") {
  const auto net = test::made_up_net();
  const std::uint32_t product = find_op(*net.view, "MatMul", 1);
  const auto with_time = [&](double us) {
    auto view = std::make_shared<StepView>(*net.view);
    view->ops[product].duration_us = us;
    return std::shared_ptr<const StepView>(view);
  };
  const auto picture = picture_of(with_time(20), with_time(15));
  const std::uint32_t box = picture->box_of(0, product);
  REQUIRE(box == picture->box_of(1, product));
  CHECK(picture->us_of(0, box) == Approx(20));
  CHECK(picture->us_of(1, box) == Approx(15));
  CHECK(picture->texts[0][box].figure == format_us(20));
  CHECK(picture->texts[1][box].figure == format_us(15) + " -25 %");
}

TEST_CASE("a box is called as alerts and tables call its op, by number where its kind comes again") {
  const auto net = test::made_up_net();
  const std::uint32_t product = find_op(*net.view, "MatMul", 1);
  auto view = std::make_shared<StepView>(*net.view);
  view->ops[product].name = "dense/MatMul_48";
  const auto numbered = picture_of(view);
  CHECK(numbered->texts[0][numbered->box_of(0, product)].title == "MatMul_48");
  view = std::make_shared<StepView>(*net.view);
  view->ops[product].name = "dense/MatMul";
  const auto single = picture_of(view);
  CHECK(single->texts[0][single->box_of(0, product)].title == "MatMul");
}
