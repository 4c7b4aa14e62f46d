// What optimization makes of whole programs, as texts that were read: the graph as it was traced, what each
// pass changed, the graph in the end and where its values live.
#include <functional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/graph/flow.h"
#include "engine/graph/flow_node.h"
#include "engine/graph/fused.h"
#include "engine/graph/memory_plan.h"
#include "engine/graph/optimize.h"
#include "engine/graph/trace.h"
#include "engine/ops/ops.h"
#include "engine/ops/slices.h"
#include "engine/tape/tape.h"
#include "tests/engine/tape/random_run.h"
#include "tests/support/approval.h"
#include "tests/support/graph_maker.h"

using namespace tapescope;
using namespace tapescope::test;

namespace {

using TensorVector = std::vector<Tensor>;
using TracedProgram = std::function<TensorVector(const TensorVector&)>;

std::shared_ptr<Graph> program_graph(const TensorVector& arguments, const TracedProgram& program) {
  Trace trace("f");
  TensorVector given;
  for (const Tensor& argument : arguments) given.push_back(trace.parameter(&argument.type(), 0));
  return trace.finish(program(given)).graph;
}

// The target and the gradients of its sum.
TensorVector and_gradients(const TensorVector& sources,
                           const std::function<Tensor(const TensorVector&)>& program) {
  GradientTape tape;
  TensorVector results;
  {
    const auto recording = tape.record();
    for (const Tensor& source : sources) tape.watch(source);
    results.push_back(program(sources));
  }
  const std::vector<Traced> traced_sources(sources.begin(), sources.end());
  for (const Tensor& gradient : tape.gradient(results[0], std::span<const Traced>(traced_sources)))
    if (gradient) results.push_back(to_dense(gradient));
  return results;
}

// graph_text() with what it leaves out: attributes, flags, the members of fused nodes and the graphs inside.
std::string whole_text(const Graph& graph, int depth = 0) {
  const std::string indent(static_cast<std::size_t>(2 * depth), ' ');
  const auto list = [](std::span<const ValueIndex> values) {
    return fmt::format("%{}", fmt::join(values, ", %"));
  };
  std::string text = fmt::format("{}{}({})\n", indent, graph.name(), list(graph.parameters()));
  for (const GraphNode& node : graph.nodes()) {
    std::string types;
    for (std::uint32_t i = 0; i < node.outputs; ++i)
      types += fmt::format("{}{}", i ? ", " : "", graph.value(node.first_output + i).type->text());
    text +=
        fmt::format("{}  %{} = {}({})", indent, node.first_output, node.op->name, list(graph.inputs(node)));
    if (node.attrs.count > 0) text += fmt::format(" [{}]", fmt::join(node.attrs.ints(), ", "));
    if (node.attrs.flags != 0) text += fmt::format(" flags {}", node.attrs.flags);
    if (node.flags != 0) text += fmt::format(" node {}", node.flags);
    if (node.forward != kNoIndex) text += fmt::format(" of {}", node.forward);
    text += fmt::format(" : {}\n", types);
    if (const Graph* parts = parts_of(node)) {
      const FusedChain* chain =
          node.attrs.object && parts && node.op->name != "_FusedMatMul" ? &fused_chain(node.attrs) : nullptr;
      if (chain)
        text += fmt::format("{}    chain: {} kept, {} folded, {} inner, flops {}, {} results\n", indent,
                            chain->outer, chain->n, chain->inner, chain->flops, chain->types.size());
      text += whole_text(*parts, depth + 2);
    }
    if (const FlowRow* flow = flow_row_of(*node.op)) {
      for (const FlowBody& body : flow->node->bodies()) text += whole_text(*body.graph, depth + 2);
    }
  }
  return text + fmt::format("{}  return {}\n", indent, list(graph.results));
}

std::string plan_text(const Graph& graph) {
  const MemoryPlan plan = plan_memory(graph);
  std::string text = fmt::format("memory: {} of {} bytes\n", plan.slab_bytes, plan.separate_bytes);
  constexpr std::string_view kStorages[] = {"outside", "planned", "fresh", "made"};
  for (ValueIndex v = 0; v < plan.values.size(); ++v) {
    const ValuePlan& value = plan.values[v];
    if (value.storage == Storage::outside && value.root == v) continue;
    text += fmt::format("  %{} {}", v, kStorages[static_cast<int>(value.storage)]);
    if (value.root != v) text += fmt::format(" as %{}", value.root);
    else if (value.storage == Storage::planned) text += fmt::format(" at {}", value.offset);
    if (value.reuses != kNoIndex) text += fmt::format(" in place of %{}", value.reuses);
    text += fmt::format(", nodes {} to {}\n", value.first, value.last);
  }
  return text;
}

std::string cost_text(const GraphCost& cost) {
  return fmt::format("{} nodes, {} bytes, {} flops", cost.nodes, cost.bytes, cost.flops);
}

std::string optimized_text(Graph graph, const OptimizeOptions& options) {
  const OptimizeReport report = optimize(graph, options);
  std::string text;
  std::size_t rewrite = 0, hint = 0;
  for (const PassReport& pass : report.passes) {
    if (pass.rewrites == rewrite && pass.hints == hint) continue;
    text += fmt::format("round {} {}: {} -> {}\n", pass.round, name_of(pass.pass), cost_text(pass.before),
                        cost_text(pass.after));
    for (; rewrite < pass.rewrites; ++rewrite) {
      const Rewrite& one = report.rewrites[rewrite];
      constexpr std::string_view kKinds[] = {"bit-exact", "re-associating", "NaN-discarding"};
      text += fmt::format("  {} ({}): {} -> {}\n", one.rule, kKinds[static_cast<int>(one.kind)], one.before,
                          one.after);
    }
    for (; hint < pass.hints; ++hint) {
      const RecomputationHint& one = report.hints[hint];
      text += fmt::format("  {} could be computed again: {} bytes, {} flops\n", one.op, one.bytes, one.flops);
    }
  }
  return text + whole_text(graph) + plan_text(graph);
}

std::string account_of(const Graph& graph) {
  std::string text = whole_text(graph) + "\nas by default\n" + optimized_text(graph, {});
  OptimizeOptions free{.nan_discarding = true, .compiled = true};
  return text + "\ncompiled, where NaN may go\n" + optimized_text(graph, free);
}

Tensor filled(const Shape& shape, DType dtype = DType::f32) { return make_full(shape, 0.5, dtype); }

void approve_program(const std::string& name, const TensorVector& arguments, const TracedProgram& program) {
  approve("engine/approved/graph/" + name + ".txt", account_of(*program_graph(arguments, program)));
}

}  // namespace

TEST_CASE("a classifier's step is optimized as it was approved", "[graph]") {
  approve_program(
      "classifier", {filled({40, 30}), filled({30, 20}), filled({20}), filled({20, 10}), filled({10})},
      [](const TensorVector& p) {
        const Tensor labels = one_hot(constant(std::vector<double>(40, 3), Shape{40}, DType::i32), 10);
        return and_gradients(p, [&](const TensorVector& v) {
          const Tensor hidden = relu(matmul(v[0] / 255.0, v[1]) + v[2]);
          const Tensor logits = matmul(hidden, v[3]) + v[4];
          return reduce_mean(softmax_cross_entropy_with_logits(labels, logits)) + 0.01 * l2_loss(v[1]);
        });
      });
}

TEST_CASE("algebra, functions and shapes are rewritten as it was approved", "[graph]") {
  approve_program("rules", {filled({6, 8}), filled({8})}, [](const TensorVector& p) {
    const Tensor &x = p[0], &row = p[1];
    TensorVector y;
    y.push_back(pow(x, 2.0) + pow(x, 0.5) + pow(x, 3.0) + pow(x, -1.0) + pow(x, 1.0));
    y.push_back(exp(log(x)) * 1.0 + 0.0 - x * 0.0);
    y.push_back(sqrt(x) / sqrt(x) + 1.0 / (1.0 + exp(-x)) + log(1.0 + x) + (exp(x) - 1.0));
    y.push_back(-(-x) + (x - (-row)) + (-x) * (-row) + abs(abs(x)) + square(x - row));
    y.push_back(x * 2.0 * 3.0 + (x + 1.0) + 2.0 + x * row + x * x + x + x);
    y.push_back(transpose(transpose(x, {1, 0}), {1, 0}) + reshape(reshape(x, {48}), {6, 8}));
    y.push_back(matmul(transpose(x, {1, 0}), x) +
                matmul(transpose(x, {1, 0}), transpose(transpose(x, {1, 0}), {1, 0})));
    y.push_back(cast(cast(x, DType::f64), DType::f32) + cast(x, DType::f32) + identity(x) + stop_gradient(x));
    y.push_back(broadcast_to(row, Shape{6, 8}) + x + zeros_like(x) + ones_like(x) * x);
    y.push_back(reduce_sum(reduce_sum(x, {1}), {0}) + reduce_mean(reduce_mean(x, {1}, true)) + reduce_max(x));
    y.push_back(expand_dims(squeeze(expand_dims(x, 0), 0), 2) * 1.0);
    y.push_back(concat({x, x}, 0));
    y.push_back(slice(pad(x, {{1, 1}, {0, 0}}), {1, 0}, {6, 8}));
    y.push_back(where(x > row, x, x) + where(x > 0, x, row) + maximum(x, x) + minimum(x, row));
    y.push_back(tile(row, {1}) + reverse(reverse(x, {1}), {1}) + reciprocal(reciprocal(x)));
    y.push_back(exp(constant(1.0)) * x + fill({6, 8}, constant(2.0)) * x);
    exp(x * 7.0);
    return y;
  });
}

TEST_CASE("loops and branches are optimized as it was approved", "[graph]") {
  approve_program("flow", {filled({3}), filled({3, 3})}, [](const TensorVector& p) {
    return and_gradients(p, [](const TensorVector& v) {
      const Tensor looped =
          std::get<1>(while_loop([](const Tensor& i, const Tensor&) { return i < 4; },
                                 [&](const Tensor& i, const Tensor& x) {
                                   const Tensor same = tanh(matmul(transpose(v[1]), expand_dims(v[0], 1)));
                                   return std::tuple(i + 1, x * 0.5 + squeeze(same, 1) + 0.0);
                                 },
                                 std::tuple(constant(0, DType::i32), v[0])));
      return cond(
          reduce_sum(v[0]) > 1.0, [&] { return square(looped) * 1.0; },
          [&] { return exp(looped) + reduce_sum(v[1], {0}); });
    });
  });
}

TEST_CASE("chains and reductions are fused as it was approved", "[graph]") {
  approve_program("fusion", {filled({16, 70000}), filled({64, 32}), filled({32})}, [](const TensorVector& p) {
    TensorVector y;
    y.push_back(reduce_sum(square(p[0]) * 0.5, {1}));
    y.push_back(reduce_mean(exp(p[1]) + p[2], {0}));
    y.push_back(reduce_max(tanh(p[1]) * p[2]));
    const Tensor shared = sigmoid(p[1] * 3.0 + p[2]);
    y.push_back(reduce_sum(shared, {0, 1}));
    y.push_back(tanh(shared) - shared * shared);
    y.push_back(matmul(relu(shared), transpose(shared)) + 1.0);
    y.push_back(gelu(matmul(transpose(p[1]), p[1]) + p[2]));
    y.push_back(cast(softplus(p[1]), DType::f16));
    y.push_back(where(p[1] > p[2], exp(p[1]), -p[1]));
    Tensor deep = p[1];
    for (int i = 0; i < 40; ++i) deep = sin(deep) + p[2] * static_cast<double>(i);
    y.push_back(deep);
    return y;
  });
}

TEST_CASE("random programs are optimized as it was approved", "[graph]") {
  std::string text;
  for (unsigned seed = 1; seed <= 6; ++seed) text += account_of(*random_graph(seed, 24)) + "\n";
  approve("engine/approved/graph/random.txt", text);
  text.clear();
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const random_programs::Program program = random_programs::random_program(seed, 16);
    TensorVector leaves;
    for (const auto& leaf : program.leaves)
      leaves.push_back(make_tensor(leaf.values, leaf.shape, leaf.dtype));
    const auto graph = program_graph(leaves, [&](const TensorVector& given) {
      return and_gradients(given, [&](TensorVector values) {
        random_programs::run_program(program, values);
        return values[static_cast<std::size_t>(program.targets[0])];
      });
    });
    text += account_of(*graph) + "\n";
  }
  approve("engine/approved/graph/random_with_gradients.txt", text);
}
