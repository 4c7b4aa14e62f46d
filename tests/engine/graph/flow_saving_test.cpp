// What branches and loops keep for their gradients: no more than the gradients that are wanted read.
#include <algorithm>
#include <functional>
#include <vector>

#include "engine/graph/flow.h"
#include "engine/graph/flow_node.h"
#include "engine/graph/function.h"
#include "engine/graph/optimize.h"
#include "engine/ops/ops.h"
#include "engine/ops/tensor_list.h"
#include "engine/tape/tape.h"
#include "tests/support/catch.h"

using namespace tapescope;

namespace {

// How many lists the branches and loops of a graph make, one inside another not counted.
std::ptrdiff_t lists_made(const Graph& graph) {
  std::ptrdiff_t lists = 0;
  for (const GraphNode& node : graph.nodes()) {
    const FlowRow* flow = flow_row_of(*node.op);
    if (!flow) continue;
    const auto types = flow->node->types();
    lists += std::count_if(types.begin(), types.end(), [](const Type* type) { return is_list(*type); });
  }
  return lists;
}

struct Lists {
  std::ptrdiff_t before, after;
};

using LossOf = std::function<Tensor(const Tensor& x, const Tensor& w)>;

// In a graph with a tape in it that follows w alone, or x too.
Lists in_graph(const LossOf& loss, bool both) {
  Trace trace("f");
  const Tensor x = trace.parameter(intern_type(DType::f32, Shape{4, 3}), 0),
               w = trace.parameter(intern_type(DType::f32, Shape{3}), 0);
  GradientTape tape;
  tape.enter();
  tape.watch(w);
  if (both) tape.watch(x);
  const Tensor y = loss(x, w);
  tape.exit();
  const std::vector<Tensor> gradients = both ? tape.gradient(y, {x, w}) : tape.gradient(y, {w});
  Graph graph = *trace.finish(gradients).graph;
  const std::ptrdiff_t before = lists_made(graph);
  optimize(graph, {});
  return {before, lists_made(graph)};
}

// The gradient of w reads a row's sine, that of x the row itself.
Tensor rowwise(const Tensor& x, const Tensor& w) {
  return reduce_sum(map_fn([&](const Tensor& row) { return sin(row) * w; }, x));
}

Tensor looped(const Tensor& x, const Tensor& w) {
  const auto [i, state, sum] = while_loop([](const Tensor& i, const Tensor&, const Tensor&) { return i < 4; },
                                          [&](const Tensor& i, const Tensor& state, const Tensor& sum) {
                                            return std::tuple(i + 1, tanh(state), sum + exp(state) * w);
                                          },
                                          std::tuple(constant(0, DType::i32), x, zeros({4, 3})));
  return reduce_sum(sum);
}

Tensor branched(const Tensor& x, const Tensor& w) {
  return reduce_sum(cond(
      reduce_sum(x) > 0, [&] { return sin(tanh(x)) * w; }, [&] { return x * w; }));
}

// Bytes that a tape outside of a function keeps of a call while it follows these alone.
double saved_bytes(const LossOf& loss, bool of_x, bool of_w) {
  Function f("f", loss);
  const Tensor x = ones({4, 3}), w = ones({3});
  GradientTape tape;
  tape.enter();
  if (of_x) tape.watch(x);
  if (of_w) tape.watch(w);
  const Tensor y = f(x, w);
  tape.exit();
  const auto bytes = static_cast<double>(tape.counts().saved_bytes);
  const auto eager = [&](const Tensor& source) {
    GradientTape plain;
    plain.enter();
    plain.watch(source);
    const Tensor again = loss(x, w);
    plain.exit();
    return elements(plain.gradient(again, source));
  };
  const std::vector<Tensor> found = tape.gradient(y, {x, w});
  CHECK(static_cast<bool>(found[0]) == of_x);
  CHECK(static_cast<bool>(found[1]) == of_w);
  if (of_x) CHECK(elements(found[0]) == eager(x));
  if (of_w) CHECK(elements(found[1]) == eager(w));
  return bytes;
}

}  // namespace

TEST_CASE("a gradient in a graph leaves no list that it does not read", "[graph]") {
  struct Expected {
    const char* name;
    LossOf loss;
    std::ptrdiff_t of_w, of_both;
  };
  const Expected cases[] = {
      {"map_fn", rowwise, 1, 3},     // the sines; the rows, and a list of their cotangents
      {"while_loop", looped, 1, 2},  // the exponentials; what tanh gives
      {"cond", branched, 1, 2},      // the sine; what tanh gives
  };
  for (const Expected& each : cases) {
    INFO(each.name);
    const Lists one = in_graph(each.loss, false), two = in_graph(each.loss, true);
    INFO(one.before << " " << two.before);
    CHECK(one.before > one.after);
    CHECK(one.after == each.of_w);
    CHECK(two.after == each.of_both);
  }
}

TEST_CASE("a tape keeps of a function's call what the gradients of the tensors it follows read", "[graph]") {
  for (const LossOf& loss : {LossOf(rowwise), LossOf(looped), LossOf(branched)}) {
    const double both = saved_bytes(loss, true, true), x = saved_bytes(loss, true, false),
                 w = saved_bytes(loss, false, true);
    INFO(both << " " << x << " " << w);
    CHECK(w < both);
    CHECK(x <= both);
  }
}
