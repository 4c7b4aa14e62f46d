// Buffers of values that live at the same time never overlap; chains run in place; the slab is small.
#include "engine/graph/memory_plan.h"

#include "engine/core/pool.h"
#include "tests/support/graph_maker.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

struct Interval {
  ValueIndex value;
  std::int64_t begin, end;  // bytes
  NodeIndex first, last;
};

// From the graph alone, not from the plan: the last node that needs the elements of each root.
std::vector<Interval> intervals(const Graph& graph, const MemoryPlan& plan) {
  std::vector<Interval> list;
  std::vector<ValueIndex> root(graph.values().size());
  for (ValueIndex v = 0; v < root.size(); ++v) root[v] = v;
  std::vector<NodeIndex> last(root.size(), 0);
  NodeIndex n = 0;
  for (const GraphNode& node : graph.nodes()) {
    if (node.op->flags & OpDef::kView) root[node.first_output] = root[graph.inputs(node)[0]];
    for (const ValueIndex input : graph.inputs(node)) last[root[input]] = n;
    last[node.first_output] = std::max(last[node.first_output], n);
    ++n;
  }
  n = 0;
  for (const GraphNode& node : graph.nodes()) {
    const ValueIndex v = node.first_output;
    if (root[v] == v && plan.values[v].storage == Storage::planned) {
      list.push_back(
          {v, plan.values[v].offset, plan.values[v].offset + graph.value(v).type->bytes, n, last[v]});
    }
    ++n;
  }
  return list;
}

}  // namespace

TEST_CASE("buffers that are alive together never overlap", "[graph]") {
  int reused = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    const auto graph = random_graph(seed, 60);
    const MemoryPlan plan = plan_memory(*graph);
    const auto all = intervals(*graph, plan);
    INFO("seed " << seed);
    for (const Interval& a : all) {
      REQUIRE(a.begin % static_cast<std::int64_t>(kBlockAlignment) == 0);
      REQUIRE(a.end <= plan.slab_bytes);
      for (const Interval& b : all) {
        if (a.value >= b.value || a.end <= b.begin || b.end <= a.begin) continue;
        // One may begin at the node where the other ends only where it took the buffer over.
        const bool apart = a.last < b.first || (a.last == b.first && plan.values[b.value].reuses == a.value);
        REQUIRE(apart);
        reused += a.last == b.first;
      }
    }
    REQUIRE(plan.slab_bytes <= plan.separate_bytes);
  }
  CHECK(reused > 100);
}

TEST_CASE("an elementwise chain takes one buffer; a broadcast operand is not overwritten", "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({1000});
  ValueIndex y = make.op("Exp", {x});
  for (int i = 0; i < 20; ++i) y = make.op("Neg", {y});
  make.graph->results = {make.reduce("Sum", y, {0})};
  const MemoryPlan plan = plan_memory(*make.graph);
  CHECK(plan.slab_bytes == 4032);
  CHECK(plan.separate_bytes == 21 * 4032);

  GraphMaker outer;
  const ValueIndex a = outer.op("Exp", {outer.parameter({1, 8})}),
                   b = outer.op("Exp", {outer.parameter({8, 1})});
  outer.graph->results = {outer.reduce("Sum", outer.op("Mul", {a, b}), {0})};
  const MemoryPlan apart = plan_memory(*outer.graph);
  for (const ValuePlan& value : apart.values) CHECK(value.reuses == kNoIndex);
}

TEST_CASE("results and what they are views of stay out of the slab", "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.parameter({4}), y = make.op("Exp", {x}), z = make.op("Neg", {y});
  make.graph->results = {make.reshape(y, {2, 2}), x};
  const MemoryPlan plan = plan_memory(*make.graph);
  CHECK(plan.values[y].storage == Storage::fresh);
  CHECK(plan.values[z].storage == Storage::planned);
  CHECK(plan.values[x].storage == Storage::outside);
  CHECK(plan.values[make.graph->results[0]].root == y);
}

TEST_CASE("nothing is overwritten that the same node reads again, under this name or another", "[graph]") {
  GraphMaker make;
  const ValueIndex x = make.op("Exp", {make.parameter({10})}), y = make.parameter({10});
  make.graph->results = {make.reduce("Sum", make.op("AddN", {x, y, x}), {0})};
  CHECK(plan_memory(*make.graph).values[make.graph->inputs(make.graph->nodes().back())[0]].reuses ==
        kNoIndex);

  GraphMaker aliased;
  const ValueIndex a = aliased.op("Exp", {aliased.parameter({10})}), b = aliased.parameter({10});
  const ValueIndex again = aliased.op("Identity", {a});
  aliased.graph->results = {aliased.reduce("Sum", aliased.op("AddN", {a, b, again}), {0})};
  CHECK(plan_memory(*aliased.graph).values[aliased.graph->inputs(aliased.graph->nodes().back())[0]].reuses ==
        kNoIndex);
}
