// Rows of nodes that run graphs, their bodies' executables, and calling them.
#include "engine/graph/flow_node.h"

#include <algorithm>

#include "engine/gate/apply.h"
#include "engine/ops/slices.h"
#include "engine/ops/tensor_list.h"
#include "engine/tape/storage.h"

namespace tapescope {

void infer_flow(InferContext& c) {
  const auto types = static_cast<const FlowRow&>(c.op).node->types();
  c.set_outputs(static_cast<int>(types.size()));
  for (std::size_t i = 0; i < types.size(); ++i) c.out(static_cast<int>(i), types[i]);
}

FlowNode::FlowNode(std::string_view name, std::vector<FlowBody> bodies, std::vector<const Type*> types,
                   std::uint32_t saves, Order order, bool effects)
    : bodies_(std::move(bodies)),
      types_(std::move(types)),
      order_(order),
      effects_(effects),
      executables_(bodies_.size()) {
  row_.name = name;
  row_.infer = infer_flow;
  row_.kernel = [](KernelContext& c) { reinterpret_cast<FlowNode*>(c.attrs.object)->run(c); };
  row_.vjp = [](VjpContext& c) { static_cast<const FlowRow&>(c.op()).node->backward(c); };
  row_.saves = saves;
  row_.flags = OpDef::kMakesOutputs | OpDef::kAbsentGradients;
  row_.doc = "The results of a graph that a condition chose or a loop ran.";
  row_.id = intern_op_name(row_.name);
  row_.node = this;
}

bool any_effect(std::span<const FlowBody> bodies) {
  return std::any_of(bodies.begin(), bodies.end(), [](const FlowBody& body) {
    const auto nodes = body.graph->nodes();
    return std::any_of(nodes.begin(), nodes.end(), has_effect);
  });
}

std::shared_ptr<FlowNode> FlowNode::forward(Order order) {
  if (order == Order::none || order_ == Order::higher) return shared_from_this();
  std::shared_ptr<FlowNode>& variant = order == Order::first ? first_ : higher_;
  if (!variant) variant = make_forward(order);
  return variant;
}

void FlowNode::run_body(std::size_t body, std::span<const Tensor> parameters, std::span<Tensor> results,
                        ResultIds ids) {
  std::call_once(made_, [this] {
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      const bool looks = std::ranges::any_of(bodies_[b].graph->nodes(), is_look);
      executables_[b] = std::make_unique<Executable>(bodies_[b].graph, ExecutorOptions{.looks = looks});
    }
  });
  executables_[body]->run(parameters, results, ids);
}

FlowBody FlowNode::reduced_body(const FlowBody& body, const std::vector<bool>& inputs,
                                const std::vector<bool>& results) {
  std::vector<std::uint32_t> now(inputs.size(), 0);  // by input, its number among those that are left
  for (std::size_t i = 0, left = 0; i < inputs.size(); ++i) {
    if (inputs[i]) now[i] = static_cast<std::uint32_t>(left++);
  }
  FlowBody made;
  std::vector<bool> parameters;
  for (std::size_t p = 0; p < body.inputs.size(); ++p) {
    parameters.push_back(inputs[body.inputs[p]]);
    if (!parameters[p]) continue;
    made.inputs.push_back(now[body.inputs[p]]);
    made.elements.push_back(body.elements[p]);
  }
  Rebuild rebuild(*body.graph, parameters);
  for (NodeIndex n = 0; n < body.graph->nodes().size(); ++n) rebuild.copy(n);
  auto graph = std::make_shared<Graph>(rebuild.finish());
  std::vector<ValueIndex> left;
  for (std::size_t r = 0; r < results.size(); ++r) {
    if (results[r]) left.push_back(graph->results[r]);
  }
  graph->results = std::move(left);
  made.graph = std::move(graph);
  return made;
}

LiftedBody lift(const TracedGraph& traced) {
  const Graph& from = *traced.graph;
  auto to = std::make_shared<Graph>(from.name());
  LiftedBody lifted;
  lifted.outside = traced.closures;
  std::vector<Tensor> parameters = traced.parameters;
  std::vector<ValueIndex> copy(from.values().size(), kNoIndex);
  for (const ValueIndex parameter : from.parameters()) {
    copy[parameter] = to->add_parameter(from.value(parameter).type, from.value(parameter).name);
  }
  for (ValueIndex v = 0; v < copy.size(); ++v) {
    const GraphValue& value = from.value(v);
    if (value.kind == ValueKind::capture) {
      copy[v] = to->add_parameter(value.type, value.name);
      const Tensor& outside = from.captures()[value.source];
      lifted.outside.push_back(outside);
      parameters.push_back(outside.dtype() == DType::resource ? outside
                                                              : make_symbol(value.type, nullptr, copy[v]));
    }
    if (value.kind == ValueKind::constant) copy[v] = to->add_constant(from.constants()[value.source]);
  }
  std::vector<ValueIndex> inputs;
  std::vector<const Type*> types;
  for (const GraphNode& node : from.nodes()) {
    inputs.clear();
    types.clear();
    for (const ValueIndex input : from.inputs(node)) inputs.push_back(copy[input]);
    for (std::uint32_t k = 0; k < node.outputs; ++k) types.push_back(from.value(node.first_output + k).type);
    const NodeIndex made =
        to->add_node(*node.op, inputs, node.attrs, node.location, node.scope, types, node.flags);
    for (std::uint32_t k = 0; k < node.outputs; ++k)
      copy[node.first_output + k] = to->nodes()[made].first_output + k;
  }
  for (const ValueIndex result : from.results) to->results.push_back(copy[result]);
  to->programs = from.programs;
  for (const auto& [value, tensor] : from.symbols) to->symbols.emplace_back(copy[value], tensor);
  for (const GraphQuestion& question : from.questions)
    to->questions.push_back(moved(question, copy, question.after));
  lifted.function = std::make_shared<GraphFunction>(TracedGraph{std::move(to), std::move(parameters), {}},
                                                    OptimizeOptions{});
  return lifted;
}

std::vector<Tensor> call_flow(FlowNode& node, std::span<const Tensor> inputs, const Location& location) {
  ThreadState& ts = state();
  std::vector<TensorImpl*> raw;
  for (const Tensor& input : inputs) raw.push_back(input.impl());
  const std::shared_ptr<FlowNode> target = node.forward(GraphFunction::recorders(raw, location).order);
  Attrs attrs;
  attrs.object = reinterpret_cast<std::uint64_t>(target.get());
  TensorList outputs;
  apply(target->row(), raw, attrs, location, outputs);
  // Tapes are the only listeners there are.
  for (TapeListener* tape : ts.tapes) static_cast<TapeStorage*>(tape)->hold(target);
  const auto first = outputs.span().begin();
  return {first, first + static_cast<std::ptrdiff_t>(node.types().size())};
}

void put_flow(Rebuild& rebuild, NodeIndex old, std::span<const ValueIndex> inputs,
              const std::shared_ptr<FlowNode>& node) {
  Attrs attrs;
  attrs.object = reinterpret_cast<std::uint64_t>(node.get());
  rebuild.put(old, node->row(), inputs, attrs, node->types());
  rebuild.hold(node);
}

FlowBody saving_body(const FlowBody& body, GraphFunction::Order order, const std::vector<bool>& fixed,
                     std::uint32_t& first_output) {
  FlowBody saving = body;
  saving.function = body.function->forward(order).shared_from_this();
  const Graph& graph = saving.function->graph();
  for (std::size_t r = body.places.size(); r < graph.results.size(); ++r) {
    const GraphValue& value = graph.value(graph.results[r]);
    if (value.kind == ValueKind::parameter && fixed[value.source]) {
      saving.places.push_back({true, body.inputs[value.source]});
    } else {
      saving.places.push_back({false, first_output++});
    }
  }
  saving.graph = graph_to_run(*saving.function, saving.places);
  return saving;
}

std::shared_ptr<const Graph> graph_to_run(const GraphFunction& function, std::span<const FlowPlace> places) {
  auto graph = std::make_shared<Graph>(function.graph());
  graph->results.clear();
  for (std::size_t r = 0; r < places.size(); ++r) {
    if (!places[r].is_input) graph->results.push_back(function.graph().results[r]);
  }
  return graph;
}

Tensor apart_from(Tensor tensor, OpInputs inputs) {
  const char* data = static_cast<const char*>(tensor.raw());
  if (tensor.bytes() == 0 || tensor.impl()->extension) return tensor;
  for (const TensorImpl* input : inputs) {
    const char* begin = static_cast<const char*>(input->data);
    if (input->extension || data < begin || data >= begin + input->type->bytes) continue;
    return make_from_bytes(tensor.dtype(), tensor.shape(), data);
  }
  return tensor;
}

BackwardTrace::BackwardTrace(const std::string& name)
    : origin_(state().origin), trace_("__backward_" + name) {
  ThreadState& ts = state();
  ts.origin = origin_;
  ++ts.backward_depth;
}

std::vector<Tensor> cotangents_of(const BackwardCall& call) {
  std::vector<Tensor> cotangents(call.inputs);
  if (!call.with.function) return cotangents;
  std::vector<Tensor> parameters = call.saved;
  parameters.insert(parameters.end(), call.cotangents.begin(), call.cotangents.end());
  std::vector<Tensor> results(call.with.function->graph().results.size());
  call.with.function->call(parameters, results, Location::current());
  std::size_t next = 0;
  for (std::size_t i = 0; i < call.with.inputs.size(); ++i) {
    Tensor cotangent = std::move(results[next++]);
    if (call.with.rows[i])
      cotangent = to_dense(make_slices(std::move(cotangent), std::move(results[next++]), call.with.rows[i]));
    cotangents[call.with.inputs[i]] = std::move(cotangent);
  }
  return cotangents;
}

}  // namespace tapescope
