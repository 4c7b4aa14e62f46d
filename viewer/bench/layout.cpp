// layout.*: laying out a deep network's tape, whole and op by op.
#include <chrono>

#include <fmt/format.h>

#include "viewer/bench/bench.h"
#include "viewer/model/layout.h"

namespace tapescope {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

// Dense layers with a skip over every second one, and their backward ops: nine ops a layer, forward to
// backward.
class Network {
 public:
  explicit Network(std::uint32_t ops) : layers_(ops / 9) {
    std::uint32_t x = add(kInput, layout::kNone, {}, layout::kNone, true), skip = x;
    for (std::uint32_t l = 0; l < layers_; ++l) {
      const auto scope = static_cast<std::uint32_t>(graph_.scopes.size());
      graph_.scopes.push_back({layout::kNone, 1000 + l, 77, 0});
      const std::uint32_t w = add(kRead, scope, {}, layout::kNone, true);
      const std::uint32_t product = add(kMatMul, scope, {x, w});
      const std::uint32_t sum = add(kAdd, scope, {product, l % 2 ? skip : w});
      x = add(kRelu, scope, {sum});
      if (l % 2) skip = x;
      forward_.push_back({product, sum, x, w});
    }
    std::uint32_t g = add(kOnes, layout::kNone, {});
    for (std::uint32_t l = layers_; l-- > 0;) {
      const Layer& layer = forward_[l];
      const std::uint32_t scope = graph_.ops[layer.product].scope;
      g = add(kReluGrad, scope, {g, layer.out}, layer.out);
      g = add(kAdd, scope, {g}, layer.sum);
      add(kMatMul, scope, {layer.product, g}, layer.product);
      g = add(kMatMul, scope, {g, layer.weights}, layer.product);
      add(kAssign, scope, {g}, layer.weights);
    }
  }

  const layout::Graph& graph() const { return graph_; }

 private:
  enum Type : std::uint32_t { kInput, kRead, kMatMul, kAdd, kRelu, kOnes, kReluGrad, kAssign };
  struct Layer {
    std::uint32_t product, sum, out, weights;
  };

  std::uint32_t add(Type type, std::uint32_t scope, std::initializer_list<std::uint32_t> inputs,
                    std::uint32_t partner = layout::kNone, bool leaf = false) {
    const auto index = static_cast<std::uint32_t>(graph_.ops.size());
    layout::Op op;
    op.key = index + 1;
    op.scope = scope;
    op.type = type;
    op.dir = type == kAssign            ? layout::Op::Update
             : partner != layout::kNone ? layout::Op::Backward
                                        : layout::Op::Forward;
    op.partner = partner;
    op.leaf_variable = leaf;
    graph_.ops.push_back(op);
    std::uint8_t slot = 0;
    for (std::uint32_t from : inputs) graph_.edges.push_back({from, index, slot++});
    return index;
  }

  std::uint32_t layers_;
  layout::Graph graph_;
  std::vector<Layer> forward_;
};

BenchResult whole(const char* name, std::uint32_t ops, int repeats, double target) {
  const Network network(ops);
  std::vector<double> times;
  for (int r = 0; r < repeats; ++r) {
    const auto begin = Clock::now();
    const layout::Layout made = layout::compute(network.graph(), {});
    times.push_back(milliseconds(Clock::now() - begin));
    if (made.boxes.empty()) return bench_row(name, {}, "ms", target, "the layout came out empty");
  }
  return bench_row(name, times, "ms", target,
                   fmt::format("{} ops, every scope open", network.graph().ops.size()));
}

BenchResult append(std::uint32_t ops, int repeats) {
  const Network network(ops);
  const layout::Graph& graph = network.graph();
  std::vector<double> times;
  for (int r = 0; r < repeats; ++r) {
    const auto begin = Clock::now();
    layout::Incremental growing;
    for (const layout::Scope& scope : graph.scopes) growing.add_scope(scope);
    std::size_t edge = 0;
    std::vector<std::uint32_t> inputs;
    for (std::uint32_t i = 0; i < graph.ops.size(); ++i) {
      inputs.clear();
      for (; edge < graph.edges.size() && graph.edges[edge].to == i; ++edge)
        inputs.push_back(graph.edges[edge].from);
      growing.append(graph.ops[i], inputs);
    }
    times.push_back(milliseconds(Clock::now() - begin) * 1e3 / static_cast<double>(graph.ops.size()));
  }
  return bench_row("layout.append", times, "µs", 1, fmt::format("per op, over {} ops", graph.ops.size()));
}

}  // namespace

std::vector<BenchResult> run_layout_bench() {
  return {whole("layout.10k", 10'000, 15, 10), whole("layout.100k", 100'000, 7, 100), append(10'000, 9)};
}

}  // namespace tapescope
