// Promises of the other panels' preparation: rows, words, folding, axes, comparison, tensors.
#include <cmath>

#include "engine/ops/ops.h"
#include "tests/support/catch.h"
#include "tests/support/made_up_step.h"
#include "viewer/model/machine_roof.h"
#include "viewer/panels/alerts.h"
#include "viewer/panels/compare.h"
#include "viewer/panels/differs.h"
#include "viewer/panels/gradients.h"
#include "viewer/panels/inspector.h"
#include "viewer/panels/loss.h"
#include "viewer/panels/memory.h"
#include "viewer/panels/ops.h"
#include "viewer/panels/outline.h"
#include "viewer/panels/timeline.h"
#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

using namespace tapescope;
using namespace tapescope::ui;

TEST_CASE("None, zero, not finite and not yet computed never read alike") {
  GradientRow row;
  row.has_stats = true;
  row.norm = 0.412;
  FrameView frame;
  frame.cursor = 1, frame.cursor_count = 5;
  CHECK(describe_gradient(row, nullptr, nullptr).figure == "0.412");
  CHECK(describe_gradient(row, &frame, nullptr).look == GradientLook::pending);
  frame.frame.accumulated.push_back({"w", make_full(Shape{2}, 3, DType::f32)});
  frame.frame.accumulated.push_back({"w", make_full(Shape{2}, 1, DType::f32)});
  frame.arrived = arrived_at_sources(frame.frame);
  row.source = row.name = "w";
  CHECK(describe_gradient(row, &frame, nullptr).figure == format_value(std::sqrt(32.0)));
  row.status = GradientStatus::zero;
  row.reason = "dead_relu";
  CHECK(describe_gradient(row, nullptr, nullptr).figure == "0 zero");
  CHECK(describe_gradient(row, nullptr, nullptr).note == "dead relu");
  row.status = GradientStatus::none;
  CHECK(describe_gradient(row, &frame, nullptr).figure == "∅ None");
  row.status = GradientStatus::nonfinite;
  CHECK(describe_gradient(row, nullptr, nullptr).look == GradientLook::nonfinite);
}

TEST_CASE("the card shows path, cut, source and remedy") {
  const auto run = test::made_up_run();
  const WhyCard card = why_card(run->gradients[0], run->complete.get());
  CHECK(card.question == "Why is temperature None?");
  CHECK(card.path == "loss ← Mean ← RealDiv");
  CHECK(card.cut.starts_with("✂ StopGradient, op "));
  CHECK(card.source == "temperature (trainable)");
  CHECK_FALSE(card.fix.empty());
}

TEST_CASE("each kind of alert has its own sign and names its subject") {
  AlertRow row;
  row.subject = "w";
  row.location = "net.cpp:3";
  for (const char* kind :
       {"none", "nonfinite", "vanishing", "exploding", "dead", "retrace", "leak", "empty_sources"}) {
    row.kind = kind;
    const AlertText text = describe_alert(row);
    INFO(kind);
    CHECK(text.sign != Sign::info);
    CHECK_FALSE(text.subject.empty());
    CHECK(text.detail.find("net.cpp:3") != std::string::npos);
  }
}

TEST_CASE("the ops table sorts, filters and copies") {
  const auto run = test::made_up_run();
  OpsTable table = ops_by_type(*run, "");
  REQUIRE(table.rows.size() == 6);
  sort_ops(table, OpsColumn::name, true);
  CHECK(table.rows.front().name == "BiasAdd");
  sort_ops(table, OpsColumn::backward, false);
  CHECK(table.rows.front().name == "MatMul");
  CHECK(table.most_us == 133.0);
  CHECK(ops_plain(table).find("MatMul\t2\t112\t133\t1.188") != std::string::npos);
  CHECK(csv_of_tabs(ops_plain(table)).find("MatMul,2,112,133,1.188") != std::string::npos);
  const OpsTable filtered = ops_by_type(*run, "relu");
  CHECK(filtered.rows.size() == 1);
  CHECK(filtered.hidden == 5);
  const OpsTable nodes = ops_by_node(*run->complete, "", op_medians(*run->complete, run->recent));
  for (const OpsRow& row : nodes.rows) CHECK(run->complete->ops[row.index].direction != Direction::backward);
  CHECK(ops_by_type(*run, "op:MatMul").rows.size() == 1);
}

TEST_CASE("spans below a few pixels fold into one block, and none is lost") {
  std::vector<TimelineSpan> spans;
  for (std::uint32_t i = 0; i < 1000; ++i) spans.push_back({i * 1.0, i * 1.0 + 0.9, 0, i});
  spans.push_back({1000, 1500, 0, 1000});
  const auto blocks = fold_spans(spans, 0, 1500, 300, 3);
  CHECK(blocks.size() < 120);
  std::uint32_t next = 0;
  for (const TimelineBlock& block : blocks) {
    CHECK(block.first == next);
    next = block.last + 1;
  }
  CHECK(next == 1001);
  CHECK_FALSE(blocks.back().folded());
  CHECK(fold_spans(spans, 10, 12, 300, 3).size() == 3);
  CHECK(fold_spans({}, 0, 1, 300, 3).empty());
}

TEST_CASE("what runs in other ops' backward steps alone has its time as well") {
  Snapshot run = *test::made_up_run();
  run.op_kinds.push_back({.op = "AddN", .backward_run_us = 5});
  run.op_kinds.push_back({.op = "Mul", .forward_us = 2, .backward_run_us = 9});
  const OpsTable table = ops_by_type(run, "");
  const OpsRow &alone = table.rows[table.rows.size() - 2], &both = table.rows.back();
  CHECK(alone.served_us == 5);
  CHECK(both.served_us == 0);  // the times of its kind are known
}

TEST_CASE("an op beyond the roof that was measured has no share of it") {
  CHECK(roof_text(0.742) == "74.2 %");
  CHECK(roof_text(1.78) == ">100 %");
}

TEST_CASE("a chart has round marks within its ends, and at most one column per pixel") {
  const auto marks = axis_marks(0, 2.3, 5);
  REQUIRE(marks.size() == 5);
  CHECK(marks[1] == Approx(0.5));
  CHECK(axis_marks(1, 1, 5).empty());
  Series<MetricPoint> points;
  for (std::uint64_t i = 0; i < 10'000; ++i) points.push_back({i, i == 5000 ? 99.0 : 1.0});
  const auto columns = thin_out(points, 0, 9'999, 100);
  CHECK(columns.size() == 100);
  double most = 0;
  for (const LossColumn& column : columns) most = std::max(most, column.high);
  CHECK(most == 99.0);  // thinning out keeps the peak
}

TEST_CASE("steps whose loss is not finite are marked, and spoil no extent") {
  Series<MetricPoint> points;
  for (std::uint64_t i = 0; i < 40; ++i) points.push_back({i, i >= 20 ? NAN : 1.0 + static_cast<double>(i)});
  const auto each = thin_out(points, 0, 39, 100);
  REQUIRE(each.size() == 40);
  for (std::size_t i = 0; i < each.size(); ++i) {
    CHECK(each[i].broken == (i >= 20));
    CHECK(std::isfinite(each[i].last) == (i < 20));
  }
  // A column of finite and other points has the extent of the finite ones.
  const auto few = thin_out(points, 0, 39, 1);
  REQUIRE(few.size() == 1);
  CHECK(few[0].broken);
  CHECK(few[0].low == 1);
  CHECK(few[0].high == 20);
}

TEST_CASE("a comparison says less when it is less, and no difference when there is none to see") {
  const auto a = test::made_up_run(), b = test::made_up_run(false, 0.5);
  const TimeComparison times = compare_times(a->steps, b->steps);
  CHECK(times.pairs == 200);
  CHECK(times.ratios[0].value == Approx(0.5).epsilon(0.01));
  CHECK(time_sentence(times) == "B's step takes 0.50 of A's");
  CHECK(time_sentence(compare_times(a->steps, a->steps)) == "No difference in time can be seen");
  CHECK(time_sentence(compare_times({}, {})) == "Too few steps to distinguish A and B");
}

TEST_CASE("the differences count what only one has") {
  const auto a = test::made_up_run(), b = test::made_up_run(false);
  ComparisonResult result;
  const Differences d = find_differences(*a, *b, &result);
  CHECK(d.same);
  REQUIRE(d.rows.size() >= 2);
  CHECK(d.rows[0].label == "recorded ops");
  CHECK(d.rows[0].change == "-3");
  CHECK(d.only.size() == 4);
  CHECK(differences_markdown(d).find("Only in A:") != std::string::npos);
  result.same_loss = false;
  result.first_difference = "loss at step 2";
  CHECK(find_differences(*a, *b, &result).detail == "first difference: loss at step 2");
  // Of programs that are no samples nothing is known bit for bit.
  result = {.compared = Compared::norms};
  CHECK(find_differences(*a, *b, &result).detail.find("norms of the last gradients") != std::string::npos);
  result = {.compared = Compared::losses};
  CHECK(find_differences(*a, *b, &result).detail.find("gradients were not recorded") != std::string::npos);
  result = {.compared = Compared::nothing};
  CHECK(find_differences(*a, *b, &result).verdict == "Nothing to compare but times");
}

TEST_CASE("what ops of both take is compared op by op, what differs most first") {
  const auto a = test::made_up_run(), b = test::made_up_run();
  auto slower = std::make_shared<StepView>(*b->complete);
  slower->ops[2].duration_us += 500;
  slower->ops[4].duration_us += 50;
  b->current = b->complete = slower;
  b->recent = {slower};
  const Differences d = find_differences(*a, *b, nullptr);
  REQUIRE(d.costs.size() > 2);
  CHECK(d.costs[0].a == 2);
  CHECK(d.costs[0].b == 2);
  CHECK(d.costs[0].b_us - d.costs[0].a_us == Approx(500));
  CHECK(d.costs[1].a == 4);
  CHECK(differences_markdown(d).find("| +500 µs |") != std::string::npos);
}

TEST_CASE("what ops of a type take is compared, and types that only one has are there") {
  const auto a = test::made_up_run(), b = test::made_up_run();
  b->op_kinds.push_back({.op = "Erf", .forward_us = 1e6});
  const std::vector<TypeCosts> costs = type_costs(*a, *b);
  REQUIRE(costs.size() == a->op_kinds.size() + 1);
  CHECK(costs[0].op == "Erf");
  CHECK(costs[0].a_us == 0);
  CHECK(costs[0].b_us == 1e6);
  for (std::size_t i = 1; i < costs.size(); ++i) CHECK(costs[i].a_us == costs[i].b_us);
}

TEST_CASE("a pinned tensor keeps a point of each step in which its op was seen, and no other op's") {
  Inspection seen;
  seen.kind = Inspection::Kind::op;
  seen.name = "dense/MatMul";
  PinnedTensor pinned{.op = "dense/MatMul", .heading = "output", .element = 1};
  const auto at_step = [&](std::uint64_t step, std::vector<double> values) {
    InspectedTensor tensor;
    tensor.heading = "output";
    tensor.value = constant(values, Shape{2});
    seen.tensors = {tensor};
    return update_pinned(pinned, seen, step, std::to_string(step + 1));
  };
  CHECK(at_step(4, {3, 4}));
  CHECK(at_step(2, {6, 8}));
  CHECK(at_step(4, {0, 1}));
  REQUIRE(pinned.history.size() == 2);
  CHECK((pinned.history[0].step == 2 && pinned.history[0].norm == Approx(10) &&
         pinned.history[0].element == 8));
  CHECK(
      (pinned.history[1].step == 4 && pinned.history[1].norm == Approx(1) && pinned.history[1].element == 1));
  CHECK(pinned.place == "step 5");
  seen.name = "dense/Relu";
  CHECK_FALSE(at_step(5, {1, 1}));
  CHECK(pinned.history.size() == 2);
}

TEST_CASE("the outline holds every forward op once, scopes before their ops") {
  const auto net = test::made_up_net();
  const auto rows = make_outline(*net.view, op_medians(*net.view, {}));
  std::size_t ops = 0, scopes = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    CHECK(rows[i].next > i);
    (rows[i].has_children ? scopes : ops) += 1;
  }
  CHECK(scopes == 2);
  std::size_t forward = 0;
  for (const OpRow& row : net.view->ops) forward += row.direction != Direction::backward;
  CHECK(ops == forward);
}

TEST_CASE("a backward op that no tape walked has a row of the outline, and its time is backward time") {
  StepView step = *test::made_up_net().view;
  const auto back = std::find_if(step.ops.begin(), step.ops.end(),
                                 [](const OpRow& op) { return op.direction == Direction::backward; });
  REQUIRE(back != step.ops.end());
  back->partner = back->backward_step = kNoOp;
  const auto rows = make_outline(step, op_medians(step, {}));
  const auto own = std::find_if(rows.begin(), rows.end(), [&](const OutlineRow& row) {
    return !row.has_children && row.op == back - step.ops.begin();
  });
  REQUIRE(own != rows.end());
  CHECK(own->us == 0);
  CHECK(own->backward_us == back->duration_us);
}

TEST_CASE("the inspector shows an op, and the real tensors where a program is paused") {
  const auto run = test::made_up_run();
  StepAtCursor step{run->complete, run->complete, 0, true, 0};
  const Inspection plain = inspect_op(step, 1, nullptr);
  CHECK(plain.title == "MatMul");
  CHECK(plain.chips[0].second == "68.0 µs");
  CHECK(plain.tensors.empty());
  FrameView frame;
  frame.frame.backward = true;
  frame.frame.cotangents_in.push_back({"d h", make_full(Shape{4, 3}, 0.5, DType::f32)});
  frame.frame.cotangents_out.push_back({"d w", Tensor()});
  const Inspection paused = inspect_op(step, 1, &frame);
  CHECK(paused.subtitle == "backward of MatMul_1");
  REQUIRE(paused.tensors.size() == 2);
  CHECK(paused.tensors[0].picture.shape == "4×3");
  CHECK(paused.tensors[1].picture.absent);
  CHECK(inspect_op(step, 9999, nullptr).kind == Inspection::Kind::nothing);
}

TEST_CASE("the inspector calls the time of a walk that has not gone on yet pending, not 0") {
  StepView view = *test::made_up_run()->complete;
  const auto op = std::find_if(view.ops.begin(), view.ops.end(),
                               [](const OpRow& row) { return row.backward_step != kNoOp; });
  REQUIRE(op != view.ops.end());
  view.backward_steps[op->backward_step].duration_us = 0;
  const auto shown = std::make_shared<const StepView>(view);
  const StepAtCursor step{shown, shown, 0, true, 0};
  const auto number = static_cast<std::uint32_t>(op - view.ops.begin());
  FrameView frame;
  frame.frame.backward = true;
  const auto names_a_time = [](const Inspection& inspection) {
    return std::any_of(inspection.facts.begin(), inspection.facts.end(), [](const auto& fact) {
      return fact.first == "backward" || fact.first == "of the step" || fact.first == "backward / forward";
    });
  };
  const Inspection stopped = inspect_op(step, number, &frame);
  CHECK(stopped.chips[0].second == "pending");
  CHECK_FALSE(names_a_time(stopped));
  const Inspection selected = inspect_op(step, number, nullptr);
  CHECK(selected.chips[0].second == format_us(whole_us(*op)));
}

TEST_CASE("a place between two ops is called so, one inside of an op by its op") {
  FrameView view;
  view.frame.cursor = 9;
  view.frame.inner = 1;
  CHECK(inspect_inside(view).title == "between two ops");
  CHECK(inspect_inside(view).subtitle == "before op 10");
  CHECK(place_in_step(view.frame, 10, 12) == "before op 10 of 12");
  view.frame.op = intern_op_name("abs");
  CHECK(inspect_inside(view).title == "abs");
  CHECK(inspect_inside(view).subtitle == "op 1 inside op 10");
  CHECK(place_in_step(view.frame, 10, 12) == "inside op 10 of 12, 1 there");
}

TEST_CASE("a heat map keeps the largest element of each cell and shows what is not finite") {
  std::vector<double> values(200 * 100, 0.0);
  values[5 * 100 + 7] = -8;
  values[150 * 100 + 99] = 4;
  values[199 * 100] = NAN;
  const TensorPicture picture = make_tensor_picture(make_tensor(values, Shape{200, 100}, DType::f32));
  CHECK(picture.rows == 32);
  CHECK(picture.columns == 64);
  CHECK(picture.reach == 8);
  int nans = 0;
  float low = 0, high = 0;
  for (const float cell : picture.grid) {
    if (std::isnan(cell)) ++nans;
    else low = std::min(low, cell), high = std::max(high, cell);
  }
  CHECK(nans == 1);
  CHECK(low == -1);
  CHECK(high == 0.5f);
  CHECK(make_tensor_picture(Tensor()).absent);
  CHECK(make_tensor_picture(make_full(Shape{}, 2, DType::f64)).shape == "scalar");
  CHECK(make_tensor_picture(make_full(Shape{0, 4}, 2, DType::f64)).rows == 0);
}

TEST_CASE("the peak is made of what lives there, largest first") {
  auto net = test::made_up_net();
  net.view->buffers = {{1, 100, 0, 3, kNoOp}, {2, 500, 2, 60, 2}, {3, 900, 2, 60, kNoOp}};
  net.view->peak_op = 10;
  const auto parts = buffers_at_peak(*net.view);
  REQUIRE(parts.size() == 2);
  CHECK(parts[0].bytes == 900);
  CHECK(parts[1].saved_by == 2);
}
