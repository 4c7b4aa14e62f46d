// Alignment, ratios and verdicts of a comparison.
#include "viewer/model/compare.h"

#include <cmath>

#include "tests/support/approval.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

OpRow row(std::string_view op, std::string_view types = "4", std::string_view scope = {},
          Direction direction = Direction::forward, bool recorded = true) {
  OpRow row;
  row.op = op;
  row.types = types;
  row.output_type = types;
  row.scope = scope;
  row.direction = direction;
  row.recorded = recorded;
  return row;
}

StepView view(std::vector<OpRow> ops) {
  StepView view;
  view.ops = std::move(ops);
  return view;
}

// Times with a spread, the same for each call.
std::vector<double> times(double median, std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < count; ++i)
    values.push_back(median * (1 + 0.02 * (static_cast<double>(i * 7 % 11) - 5)));
  return values;
}

Comparison example() {
  Comparison c;
  c.a.sample = c.b.sample = "variable-tracking";
  c.a.variant = "unoptimized";
  c.b.variant = "optimized";
  c.a.steps = c.b.steps = 40;
  c.a.has_events = c.b.has_events = true;
  c.a.step = {100, 90, 120, 85};
  c.b.step = {60, 55, 70, 50};
  c.a.forward = {40, 36, 44, 35};
  c.b.forward = {30, 27, 33, 25};
  c.a.backward = {55, 50, 60, 45};
  c.b.backward = {25, 23, 28, 20};
  c.a.update = c.b.update = {5, 4, 6, 4};
  c.a.tape = {7, 7, 0, 12, 120'000, 180'000};
  c.b.tape = {6, 5, 1, 8, 90'000, 130'000};
  c.step = {0.6, 0.58, 0.62};
  c.forward = {0.75, 0.7, 0.8};
  c.backward = {0.45, 0.42, 0.5};
  c.update = {1, 0.98, 1.02};
  c.both = 5;
  c.only_a = 2;
  c.only_b = 1;
  c.changed = 1;
  c.verdict = verdict_of(c);
  return c;
}

}  // namespace

TEST_CASE("a step aligned with itself is the same throughout", "[compare]") {
  const StepView a = view({row("MatMul"), row("Relu"), row("Mean")});
  const Alignment found = align(a, a);
  CHECK(found.both == 3);
  CHECK(found.only_a + found.only_b + found.changed == 0);
  REQUIRE(found.ops.size() == 3);
  CHECK(found.ops[1].a == 1);
  CHECK(found.ops[1].b == 1);
}

TEST_CASE("what only one has is found, and the order is kept", "[compare]") {
  const StepView a = view({row("RealDiv"), row("MatMul"), row("Relu"), row("Mean")});
  const StepView b = view({row("MatMul"), row("Square"), row("Relu"), row("Mean")});
  const Alignment found = align(a, b);
  CHECK(found.both == 3);
  CHECK(found.only_a == 1);
  CHECK(found.only_b == 1);
  REQUIRE(found.ops.size() == 5);
  CHECK(found.ops[0].b == kNoOp);
  CHECK(found.ops[2].a == kNoOp);
  CHECK(found.ops[2].b == 1);
}

TEST_CASE("an op of another shape, or that the tape answers otherwise, is changed", "[compare]") {
  const StepView a =
      view({row("MatMul", "4"), row("Relu", "4"), row("Cast", "4", {}, Direction::forward, true)});
  const StepView b =
      view({row("MatMul", "8"), row("Relu", "4"), row("Cast", "4", {}, Direction::forward, false)});
  const Alignment found = align(a, b);
  CHECK(found.both == 1);
  CHECK(found.changed == 2);
  CHECK(found.only_a + found.only_b == 0);
}

TEST_CASE("ops pair up within their direction alone, and within their scope first", "[compare]") {
  const StepView a =
      view({row("MatMul", "4", "dense_1"), row("MatMul", "4", "dense_2", Direction::backward)});
  const StepView b = view({row("MatMul", "4", "dense_2"), row("MatMul", "4", "dense_1")});
  const Alignment found = align(a, b);
  CHECK(found.both == 1);
  CHECK(found.only_a == 1);
  CHECK(found.only_b == 1);
}

TEST_CASE("what was put into a layer is the same op, a sibling of another shape is not", "[compare]") {
  const StepView by_hand = view({row("MatMul", "4", ""), row("Tanh", "4", ""), row("MatMul", "8", "")});
  const StepView as_layer =
      view({row("MatMul", "4", "cell"), row("Tanh", "4", "cell"), row("MatMul", "2", "cell")});
  const Alignment found = align(by_hand, as_layer);
  CHECK(found.both == 2);
  CHECK(found.only_a == 1);
  CHECK(found.only_b == 1);
  // Of two layers that look alike the one of the same name is it.
  const StepView two = view({row("Relu", "4", "first"), row("Relu", "4", "second")}),
                 one = view({row("Relu", "4", "second")});
  const Alignment left = align(two, one);
  REQUIRE(left.ops.size() == 2);
  CHECK(left.ops[0].b == kNoOp);
  CHECK(left.ops[1].b == 0);
}

TEST_CASE("a product that its function fused with what follows is the same product, changed", "[compare]") {
  const StepView eager = view({row("MatMul"), row("BiasAdd"), row("Relu"), row("MatMul", "8"), row("Mean")});
  const StepView traced =
      view({row("_FusedMatMul", "4", "step"), row("_FusedMatMul", "8", "step"), row("Mean")});
  const Alignment found = align(eager, traced);
  CHECK(found.changed == 2);
  CHECK(found.both == 1);
  CHECK(found.only_a == 2);
  CHECK(found.only_b == 0);
}

TEST_CASE("every op stands in the alignment once, however long the steps are", "[compare]") {
  std::vector<OpRow> many, other;
  for (int i = 0; i < 6000; ++i) many.push_back(row(i % 3 ? "Mul" : "AddV2", i % 7 ? "4" : "8"));
  for (int i = 0; i < 5000; ++i) other.push_back(row(i % 2 ? "Mul" : "Sub", i % 5 ? "4" : "8"));
  const StepView a = view(std::move(many)), b = view(std::move(other));
  const Alignment found = align(a, b);
  CHECK(found.both + found.changed + found.only_a == 6000);
  CHECK(found.both + found.changed + found.only_b == 5000);
  std::vector<int> seen_a(6000), seen_b(5000);
  for (const AlignedOp& pair : found.ops) {
    if (pair.a != kNoOp) ++seen_a[pair.a];
    if (pair.b != kNoOp) ++seen_b[pair.b];
  }
  CHECK(std::count(seen_a.begin(), seen_a.end(), 1) == 6000);
  CHECK(std::count(seen_b.begin(), seen_b.end(), 1) == 5000);
}

TEST_CASE("a ratio's interval holds its value and is the same each time", "[compare]") {
  const auto a = times(100, 60), b = times(50, 60);
  const Ratio first = ratio_of(a, b), second = ratio_of(a, b);
  CHECK(first.value == Approx(0.5));
  CHECK(first.low <= first.value);
  CHECK(first.high >= first.value);
  CHECK(first.low == second.low);
  CHECK(first.high == second.high);
}

TEST_CASE("pairs with no time are left out, and nothing gives no number", "[compare]") {
  const std::vector<double> a = {0, 2, 2}, b = {5, 4, 4};
  CHECK(ratio_of(a, b).value == Approx(2));
  CHECK(std::isnan(ratio_of({}, {}).value));
}

TEST_CASE("noise is not called a difference", "[compare]") {
  Comparison c = example();
  c.step = {0.97, 0.91, 1.04};
  CHECK(verdict_of(c).find("take the same time") != std::string::npos);
}

TEST_CASE("a verdict says when results differ", "[compare]") {
  Comparison c = example();
  c.same_gradients = false;
  c.first_difference = "gradient of scale at step 0";
  CHECK(verdict_of(c).find("do not compute the same gradients (first: gradient of scale at step 0)") !=
        std::string::npos);
}

TEST_CASE("the faster one is named whichever side it is on", "[compare]") {
  Comparison c = example();
  CHECK(c.verdict.starts_with("optimized is 1.67 times as fast as unoptimized"));
  c.step = {2, 1.9, 2.1};
  CHECK(verdict_of(c).starts_with(
      "unoptimized is 2.00 times as fast as optimized (95 % interval 1.90 to 2.10)"));
}

TEST_CASE("programs, which have no variants, are called by their names, or A and B", "[compare]") {
  Comparison c = example();
  c.a.variant = c.b.variant = "";
  c.verdict = verdict_of(c);
  CHECK(c.verdict.starts_with("B is 1.67 times as fast as A"));
  CHECK(comparison_text(c).starts_with(c.a.sample + " · A against B "));
  CHECK(comparison_markdown(c).starts_with("### " + c.a.sample + ": A against B\n"));
  c.b.sample = "other";
  CHECK(verdict_of(c).starts_with("other is 1.67 times as fast as " + c.a.sample));
  CHECK(comparison_markdown(c).find("| other (B) |") != std::string::npos);
  c.a.variant = c.b.variant = "same";
  CHECK(verdict_of(c).starts_with("same (B) is 1.67 times as fast as same (A)"));
}

TEST_CASE("comparison texts", "[compare][approval]") {
  approve("viewer/approved/comparison.txt", comparison_text(example()));
  approve("viewer/approved/comparison.md", comparison_markdown(example()));
}
