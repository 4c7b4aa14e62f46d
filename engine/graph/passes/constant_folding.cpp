// Computes what depends on constants alone, and makes constants of what depends on a shape alone.
#include "engine/graph/rewrite.h"

namespace tapescope {
namespace {

// Runs the node's own kernel: the same bits as at run time.
std::vector<Tensor> evaluate(const Graph& graph, const GraphNode& node,
                             const std::vector<Tensor>& constants) {
  std::vector<TensorImpl*> inputs;
  for (const Tensor& constant : constants) inputs.push_back(constant.impl());
  std::vector<Tensor> outputs(node.outputs);
  if (node.op->flags & OpDef::kView) {
    outputs[0] = Tensor(new_view(inputs[0], graph.value(node.first_output).type, inputs[0]->data));
    return outputs;
  }
  for (std::uint32_t i = 0; i < node.outputs; ++i)
    outputs[i] = Tensor(new_tensor(graph.value(node.first_output + i).type));
  KernelContext kernel{inputs, outputs, node.attrs};
  node.op->kernel(kernel);
  return outputs;
}

// A repeated number stays a number: elementwise ops broadcast it themselves.
bool repeats(const OpDef& op) { return op.name == "BroadcastTo" || op.name == "Fill" || op.name == "Tile"; }

bool small_enough(const Graph& graph, const GraphNode& node) {
  std::int64_t given = 0, made = 0;
  for (const ValueIndex input : graph.inputs(node)) given += graph.value(input).type->bytes;
  for (std::uint32_t i = 0; i < node.outputs; ++i) made += graph.value(node.first_output + i).type->bytes;
  return made <= given || (made <= kLargestFolded && !repeats(*node.op));
}

// Zeros and ones of a known shape; empty for other ops.
Tensor materialized(const Graph& graph, const GraphNode& node) {
  const Type* type = graph.value(node.first_output).type;
  if (type->bytes > kLargestFolded) return {};
  if (node.op->name == "ZerosLike") return make_full(type->shape, 0, type->dtype);
  if (node.op->name == "OnesLike") return make_full(type->shape, 1, type->dtype);
  return {};
}

}  // namespace

void fold_constants(Graph& graph, PassContext& context) {
  Rebuild rebuild(graph);
  for (NodeIndex n = 0; n < graph.nodes().size(); ++n) {
    const GraphNode& node = graph.nodes()[n];
    std::vector<ValueIndex> inputs = rebuild.at(graph.inputs(node));
    if (!is_pure(node) || (node.op->flags & OpDef::kMakesOutputs)) {
      rebuild.copy(n, inputs);
      continue;
    }
    if (Tensor value = materialized(graph, node)) {
      context.note("materialize", RewriteKind::bit_exact, node, describe(rebuild.to(), *node.op, inputs),
                   "constant");
      rebuild.replace(node.first_output, rebuild.constant(value));
      continue;
    }
    std::vector<Tensor> constants;
    for (const ValueIndex input : inputs) {
      const GraphValue& value = rebuild.to().value(input);
      if (value.kind == ValueKind::constant) constants.push_back(rebuild.to().constants()[value.source]);
    }
    // A node without inputs draws from a key: it is as long as its result.
    if (inputs.empty() || constants.size() != inputs.size() || !small_enough(graph, node)) {
      rebuild.copy(n, inputs);
      continue;
    }
    context.note("fold", RewriteKind::bit_exact, node, describe(rebuild.to(), *node.op, inputs), "constant");
    std::vector<Tensor> outputs;
    try {
      outputs = evaluate(graph, node, constants);
    } catch (const Error&) {
      // A division by zero is the run's to report, at the call.
      context.report.rewrites.pop_back();
      rebuild.copy(n, inputs);
      continue;
    }
    for (std::uint32_t i = 0; i < node.outputs; ++i)
      rebuild.replace(node.first_output + i, rebuild.constant(outputs[i]));
  }
  graph = rebuild.finish();
}

}  // namespace tapescope
