// Random programs keep their results through all passes; the report accounts for what happened.
#include "engine/graph/optimize.h"
#include "engine/events/records/graphs.h"

#include "engine/ops/variable_read.h"
#include "engine/tape/variable.h"
#include "tests/support/graph_maker.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

ValueIndex read(GraphMaker& make, const Variable& v) {
  const std::vector<ValueIndex> handle{make.graph->add_capture(v.handle())};
  const Type* types[] = {&v.type()};
  const NodeIndex node = make.graph->add_node(kReadVariable, handle, kNoAttrs, Location::current(), 0, types);
  return make.graph->nodes()[node].first_output;
}

}  // namespace

TEST_CASE("random graphs keep every bit with re-associating rewrites off, and agree with them on",
          "[graph]") {
  for (unsigned seed = 1; seed <= 60; ++seed) {
    const auto original = random_graph(seed), exact = random_graph(seed), free = random_graph(seed);
    OptimizeOptions options;
    options.reassociating = false;
    const OptimizeReport report = optimize(*exact, options);
    optimize(*free);
    const auto parameters = noise_for(*original, seed);
    const auto expected = run_eagerly(*original, parameters);
    INFO("seed " << seed << "\n" << graph_text(*original) << graph_text(*exact));
    Executable run_exact(exact), run_free(free);
    check_same_bits(run(run_exact, parameters), expected);
    const auto close = run(run_free, parameters);
    for (std::size_t r = 0; r < close.size(); ++r) {
      for (std::int64_t i = 0; i < close[r].numel(); ++i) {
        REQUIRE(element(close[r], i) == Approx(element(expected[r], i)).epsilon(1e-3).margin(1e-4));
      }
    }
    CHECK(report.after.nodes <= report.before.nodes);
    for (const Rewrite& rewrite : report.rewrites) CHECK(rewrite.kind == RewriteKind::bit_exact);
  }
}

TEST_CASE("the report counts what each pass saved, and a pass that is off changes nothing", "[graph]") {
  const auto build = [] {
    auto make = std::make_unique<GraphMaker>();
    const ValueIndex x = make->parameter({100});
    make->op("Exp", {x});
    make->graph->results = {make->op("AddV2", {make->op("Sin", {x}), make->op("Sin", {x})})};
    return make;
  };
  const auto make = build();
  const OptimizeReport report = optimize(*make->graph);
  CHECK(report.before.nodes == 4);
  CHECK(report.after.nodes == 1);
  CHECK(report.passes.back().pass == Pass::elementwise_fusion);
  CHECK(report.passes.back().before.nodes == 2);
  CHECK(report.passes[0].pass == Pass::prune);
  CHECK(report.passes[0].before.nodes == 4);
  CHECK(report.passes[0].after.nodes == 3);
  CHECK(report.passes[0].before.flops - report.passes[0].after.flops == 1000);
  CHECK(report.passes[0].before.bytes - report.passes[0].after.bytes == 800);
  CHECK(report.passes[1].pass == Pass::value_numbering);
  CHECK(report.passes[1].after.nodes == 2);
  REQUIRE(report.rewrites.size() >= 2);
  CHECK(report.rewrites[0].rule == "unused");
  CHECK(report.rewrites[0].before == "Exp");
  CHECK(report.rewrites[1].rule == "merge_equal");
  CHECK(report.rewrites[1].before == "Sin(parameter 0)");

  OptimizeOptions none;
  for (int pass = 0; pass < kPassCount; ++pass) none.switch_off(static_cast<Pass>(pass));
  const auto same = build();
  const OptimizeReport nothing = optimize(*same->graph, none);
  CHECK(nothing.after.nodes == 4);
  CHECK(nothing.rewrites.empty());
  for (const PassReport& pass : nothing.passes) CHECK(pass.off);
}

TEST_CASE("random draws are neither merged nor folded nor dropped", "[graph]") {
  GraphMaker make;
  Attrs attrs;
  attrs.count = 4;
  for (int i = 0; i < 4; ++i) attrs.i[static_cast<std::size_t>(i)] = 0;
  attrs.push(static_cast<int>(DType::f32));
  attrs.push(4);
  attrs.f[1] = 1;
  const ValueIndex a = make.op("RandomUniform", {}, attrs), b = make.op("RandomUniform", {}, attrs);
  make.op("RandomUniform", {}, attrs);
  make.graph->results = {make.op("Sub", {a, b})};
  optimize(*make.graph);
  CHECK(make.graph->nodes().size() == 4);
}

TEST_CASE("reads of a variable merge between two effects, and only there", "[graph]") {
  const Variable v(constant({1.0, 2.0}), {.name = "v"});
  // A row with an effect, and one that was made at run time and may have any.
  const auto row_with = [](std::uint32_t flags) {
    OpDef row = *find_op("Neg");
    row.name = "TestEffect";
    row.flags = flags;
    return row;
  };
  static const OpDef kRows[] = {row_with(OpDef::kStateful), row_with(0)};
  for (const OpDef& effect : kRows) {
    GraphMaker make;
    const ValueIndex first = read(make, v), second = read(make, v);
    const ValueIndex sum = make.op("Sub", {first, second});
    const std::vector<ValueIndex> inputs{sum};
    const Type* types[] = {&v.type()};
    make.graph->add_node(effect, inputs, kNoAttrs, Location::current(), 0, types);
    make.graph->results = {make.op("Mul", {sum, read(make, v)})};
    const OptimizeReport report = optimize(*make.graph);
    int reads = 0, effects = 0, merged = 0;
    for (const GraphNode& node : make.graph->nodes()) {
      reads += node.op == &kReadVariable;
      effects += node.op == &effect;
    }
    for (const Rewrite& rewrite : report.rewrites) merged += rewrite.rule == "merge_reads";
    CHECK(reads == 2);
    CHECK(effects == 1);
    CHECK(merged == 1);
  }
}

TEST_CASE("parameters, captures and results keep their number and order; names and forward links survive",
          "[graph]") {
  GraphMaker make;
  const Tensor outside = constant({5.0, 6.0});
  const ValueIndex a = make.parameter({2}), b = make.parameter({2});
  make.graph->add_capture(outside);
  const ValueIndex unused = make.op("Exp", {a});
  const ValueIndex y = make.op("Tanh", {b});
  make.graph->name_value(y, intern_name("y"));
  const std::vector<ValueIndex> inputs{y, b};
  const Type* types[] = {&outside.type()};
  const NodeIndex grad = make.graph->add_node(*find_op("TanhGrad"), inputs, kNoAttrs, Location::current(), 0,
                                              types, GraphNode::kBackward, make.graph->value(y).source);
  const ValueIndex gradient = make.graph->nodes()[grad].first_output;
  make.graph->results = {gradient, y, b, gradient};
  CHECK(unused != y);
  optimize(*make.graph);
  CHECK(make.graph->parameters().size() == 2);
  CHECK(make.graph->captures().size() == 1);
  REQUIRE(make.graph->nodes().size() == 2);
  REQUIRE(make.graph->results.size() == 4);
  CHECK(make.graph->results[0] == make.graph->results[3]);
  CHECK(make.graph->nodes()[1].forward == 0);
  CHECK(make.graph->nodes()[1].flags == GraphNode::kBackward);
  CHECK(name_text(make.graph->value(make.graph->nodes()[0].first_output).name) == "y");
}

TEST_CASE("what a kernel refuses is left to the run", "[graph]") {
  GraphMaker make;
  const ValueIndex zero = make.graph->add_constant(make_full({2}, 0, DType::i32)),
                   one = make.graph->add_constant(make_full({2}, 1, DType::i32));
  make.graph->results = {make.op("FloorDiv", {one, zero})};
  optimize(*make.graph);
  CHECK(make.graph->nodes().size() == 1);
}

TEST_CASE("large cheap values kept for the backward pass are pointed out", "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({64, 1024}), small = make.parameter({4});
  const ValueIndex y = make.op("Tanh", {x}), z = make.op("Tanh", {small});
  const ValueIndex far = make.op("Exp", {make.op("Sin", {x})});
  const ValueIndex back = make.op("TanhGrad", {y, far}, kNoAttrs, GraphNode::kBackward);
  const ValueIndex back_small = make.op("TanhGrad", {z, z}, kNoAttrs, GraphNode::kBackward);
  make.graph->results = {back, back_small};
  const OptimizeReport report = optimize(*make.graph);
  // Not of Exp, whose input is there no longer, nor of the small one.
  REQUIRE(report.hints.size() == 1);
  CHECK(report.hints[0].op == "Tanh");
  CHECK(report.hints[0].bytes == 64 * 1024 * 4);
  CHECK(report.hints[0].flops == 64 * 1024 * 10);
}
