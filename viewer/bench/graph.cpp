// engine.graph_*: what a node costs beside its kernel, what fusion saves, and a training step as a graph.
#include <chrono>
#include <cmath>
#include <functional>

#include "engine/graph/executor.h"
#include "engine/graph/infer_types.h"
#include "engine/graph/optimize.h"
#include "engine/ops/ops.h"
#include "viewer/bench/bench.h"

namespace tapescope {
namespace {

struct GraphProgram {
  std::shared_ptr<Graph> graph = std::make_shared<Graph>("bench");
  std::vector<Tensor> parameters;

  ValueIndex parameter(const Shape& shape, double value = 0.5) {
    parameters.push_back(make_full(shape, value, DType::f32));
    return graph->add_parameter(&parameters.back().type(), 0);
  }
  ValueIndex op(std::string_view name, std::vector<ValueIndex> inputs, std::uint32_t flags = 0) {
    const OpDef& row = *find_op(name);
    Attrs attrs;
    attrs.flags = flags;
    std::vector<const Type*> types;
    for (const ValueIndex input : inputs) types.push_back(graph->value(input).type);
    const auto outputs = infer_types(row, types, attrs);
    const NodeIndex node = graph->add_node(row, inputs, attrs, Location::current(), 0, outputs);
    return graph->nodes()[node].first_output;
  }
  ValueIndex number(double value) { return graph->add_constant(make_full(Shape{}, value, DType::f32)); }
};

void fill_given(const Graph& graph, std::span<const Tensor> parameters, std::vector<Tensor>& values) {
  for (ValueIndex i = 0; i < values.size(); ++i) {
    const GraphValue& value = graph.value(i);
    if (value.kind == ValueKind::parameter) values[i] = parameters[value.source];
    if (value.kind == ValueKind::constant) values[i] = graph.constants()[value.source];
  }
}

// The nodes as a program without functions runs them.
void run_eagerly(const GraphProgram& program, std::vector<Tensor>& values) {
  const Graph& graph = *program.graph;
  values.assign(graph.values().size(), Tensor());
  fill_given(graph, program.parameters, values);
  std::vector<TensorImpl*> inputs;
  for (const GraphNode& node : graph.nodes()) {
    inputs.clear();
    for (const ValueIndex input : graph.inputs(node)) inputs.push_back(values[input].impl());
    TensorList outputs;
    apply(*node.op, inputs, node.attrs, node.location, outputs);
    for (std::uint32_t i = 0; i < node.outputs; ++i)
      values[node.first_output + i] = outputs[static_cast<int>(i)];
  }
}

double nanoseconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count();
}

// `first` over `second`, in turn.
std::vector<double> ratios(int repeats, const std::function<void()>& first,
                           const std::function<void()>& second) {
  std::vector<double> list;
  for (int r = 0; r < repeats; ++r) {
    const double before = nanoseconds_of(first);
    list.push_back(before / nanoseconds_of(second));
  }
  list.erase(list.begin());  // warm
  return list;
}

// Tiny nodes run by the executor, less their kernels called in a row.
std::vector<double> node_costs() {
  constexpr int kNodes = 1000;
  GraphProgram program;
  ValueIndex x = program.parameter({1});
  const ValueIndex first = x;
  for (int i = 0; i < kNodes; ++i) x = program.op("AddV2", {x, first});
  program.graph->results = {x};
  Executable executable(program.graph);
  std::vector<Tensor> results(1), output{make_full({1}, 0, DType::f32)};
  TensorImpl* const inputs[] = {program.parameters[0].impl(), program.parameters[0].impl()};
  void (*const kernel)(KernelContext&) = find_op("AddV2")->kernel;
  std::vector<double> costs;
  for (int r = 0; r < 200; ++r) {
    const double graph = nanoseconds_of([&] { executable.run(program.parameters, results); });
    const double kernels = nanoseconds_of([&] {
      for (int i = 0; i < kNodes; ++i) {
        KernelContext context{inputs, output, kNoAttrs};
        kernel(context);
      }
    });
    costs.push_back((graph - kernels) / kNodes);
  }
  return costs;
}

// relu((x a + b) x - c) on a million floats.
std::vector<double> chain_ratios() {
  GraphProgram program;
  const ValueIndex x = program.parameter({1'000'000});
  ValueIndex y = program.op("AddV2", {program.op("Mul", {x, program.number(0.9)}), program.number(0.1)});
  y = program.op("Relu", {program.op("Sub", {program.op("Mul", {y, x}), program.number(0.2)})});
  program.graph->results = {y};
  const auto optimized = std::make_shared<Graph>(*program.graph);
  optimize(*optimized, {.compiled = true});
  Executable executable(optimized);
  std::vector<Tensor> results(1), values;
  return ratios(
      31, [&] { run_eagerly(program, values); }, [&] { executable.run(program.parameters, results); });
}

// Forward and backward pass of the perceptron of mnist-mlp, 784-128-10 in batches of 64.
GraphProgram step_program() {
  GraphProgram p;
  const ValueIndex x = p.parameter({64, 784}), labels = p.parameter({64, 10}, 0.1),
                   w1 = p.parameter({784, 128}, 0.01), b1 = p.parameter({128}),
                   w2 = p.parameter({128, 10}, 0.02), b2 = p.parameter({10});
  constexpr std::uint32_t kTransposeA = 1, kTransposeB = 2;
  const ValueIndex hidden = p.op("Relu", {p.op("BiasAdd", {p.op("MatMul", {x, w1}), b1})});
  const ValueIndex loss =
      p.op("SoftmaxCrossEntropyWithLogits", {p.op("BiasAdd", {p.op("MatMul", {hidden, w2}), b2}), labels});
  const ValueIndex g = p.op("Mul", {loss + 1, p.number(1.0 / 64)});
  const ValueIndex back = p.op("ReluGrad", {p.op("MatMul", {g, w2}, kTransposeB), hidden});
  p.graph->results = {loss, p.op("MatMul", {x, back}, kTransposeA), p.op("BiasAddGrad", {back}),
                      p.op("MatMul", {hidden, g}, kTransposeA), p.op("BiasAddGrad", {g})};
  return p;
}

std::shared_ptr<const Graph> optimized(const GraphProgram& program) {
  auto graph = std::make_shared<Graph>(*program.graph);
  optimize(*graph);
  return graph;
}

std::vector<double> step_ratios() {
  const GraphProgram p = step_program();
  Executable executable(optimized(p));
  std::vector<Tensor> results(5), values;
  return ratios(
      101, [&] { run_eagerly(p, values); }, [&] { executable.run(p.parameters, results); });
}

// The same step over its kernels alone, called in a row on tensors that are there.
std::vector<double> step_over_kernels() {
  const GraphProgram p = step_program();
  const auto graph = optimized(p);
  std::vector<Tensor> values(graph->values().size()), results(5);
  fill_given(*graph, p.parameters, values);
  struct Call {
    const GraphNode* node;
    std::vector<TensorImpl*> inputs;
    std::span<Tensor> outputs;
  };
  std::vector<Call> calls;
  for (const GraphNode& node : graph->nodes()) {
    Call call{&node, {}, std::span(values).subspan(node.first_output, node.outputs)};
    for (const ValueIndex input : graph->inputs(node)) call.inputs.push_back(values[input].impl());
    for (std::uint32_t o = 0; o < node.outputs; ++o) {
      const Type& type = *graph->value(node.first_output + o).type;
      call.outputs[o] = make_full(type.shape, 0, type.dtype);
    }
    calls.push_back(std::move(call));
  }
  const auto run_kernels = [&] {
    for (Call& call : calls) {
      KernelContext context{call.inputs, call.outputs, call.node->attrs};
      call.node->op->kernel(context);
    }
  };
  Executable executable(graph);
  return ratios(
      101, [&] { executable.run(p.parameters, results); }, run_kernels);
}

}  // namespace

std::vector<BenchResult> run_graph_bench() {
  return {
      bench_row("engine.graph_node", node_costs(), "ns", 20, "n = 1, added to the kernel by the executor"),
      bench_row("engine.graph_chain", chain_ratios(), "times", 2.5,
                "five elementwise ops on a million floats, op by op over compiled"),
      bench_row("engine.graph_step", step_ratios(), "times", 1,
                "784-128-10, batch 64, forward and backward, eager over optimized"),
      bench_row("engine.graph_step_kernels", step_over_kernels(), "times", 1.1,
                "the optimized step over the sum of its kernels")};
}

}  // namespace tapescope
