// Running a loop, and its gradient: a loop over what the rounds saved, from the last to the first.
#include "engine/graph/loop_node.h"

#include <algorithm>

#include "engine/ops/elementwise.h"
#include "engine/ops/tensor_list.h"

namespace tapescope {
namespace {

std::vector<FlowBody> bodies_of(const LoopNode::Spec& spec) {
  std::vector<FlowBody> bodies{spec.body};
  if (spec.condition) bodies.push_back(*spec.condition);
  return bodies;
}

bool effects_of(const LoopNode::Spec& spec) {
  return spec.effects ? *spec.effects : any_effect(bodies_of(spec));
}

std::vector<const Type*> types_of(const LoopNode::Spec& spec) {
  const Graph& graph = *spec.body.graph;
  std::vector<const Type*> types;
  for (std::size_t r = 0; r < graph.results.size(); ++r) {
    types.push_back(r < spec.carried ? graph.value(graph.results[r]).type : list_type());
  }
  return types;
}

// Of the inputs of the node, which ones a wanted one may have an effect on: it itself, and carried values
// that a round makes from such.
std::vector<bool> reached_inputs(const FlowBody& body, std::uint32_t carried, std::vector<bool> wanted) {
  const Graph& graph = body.function->graph();
  while (true) {
    std::vector<bool> reached(graph.values().size(), false);
    for (std::size_t p = 0; p < body.inputs.size(); ++p)
      reached[graph.parameters()[p]] = wanted[body.inputs[p]];
    for (const GraphNode& node : graph.nodes()) {
      const auto inputs = graph.inputs(node);
      const bool any =
          std::any_of(inputs.begin(), inputs.end(), [&](ValueIndex input) { return reached[input]; });
      std::fill_n(reached.begin() + node.first_output, node.outputs, any);
    }
    bool more = false;
    for (std::uint32_t c = 0; c < carried; ++c) {
      if (wanted[c] || !reached[graph.results[c]]) continue;
      wanted[c] = more = true;
    }
    if (!more) return wanted;
  }
}

// What a node hands on of its inputs, as its own tensor.
Tensor copy_of(const Tensor& input) {
  if (!is_list(input.type())) return make_from_bytes(input.dtype(), input.shape(), input.raw());
  const auto elements = list_elements(input.impl());
  return make_list({elements.begin(), elements.end()});
}

}  // namespace

LoopNode::LoopNode(Spec spec)
    : FlowNode(effects_of(spec) ? "While" : "StatelessWhile", bodies_of(spec), types_of(spec), spec.saves,
               spec.order, effects_of(spec)),
      spec_(std::move(spec)) {
  spec_.body = {};
  spec_.makes_lists |= spec_.order == Order::none && types().size() > spec_.carried;
  spec_.condition.reset();
}

std::shared_ptr<FlowNode> LoopNode::with_bodies(std::vector<FlowBody> bodies) const {
  Spec spec = spec_;
  spec.body = std::move(bodies[0]);
  if (bodies.size() > 1) spec.condition = std::move(bodies[1]);
  spec.effects = has_effects();
  return std::make_shared<LoopNode>(std::move(spec));
}

void LoopNode::keep_own(std::vector<bool>& inputs, std::vector<bool>& outputs) const {
  std::fill_n(inputs.begin(), spec_.carried, true);
  std::fill_n(outputs.begin(), spec_.carried, true);
  // The length of one list is the number of rounds.
  const auto lists = inputs.begin() + spec_.carried;
  if (spec_.lists > 0 && std::find(lists, lists + spec_.lists, true) == lists + spec_.lists) *lists = true;
}

std::shared_ptr<FlowNode> LoopNode::reduced(const std::vector<bool>& inputs,
                                            const std::vector<bool>& outputs) const {
  Spec spec = spec_;
  const auto lists = inputs.begin() + spec_.carried;
  spec.lists = static_cast<std::uint32_t>(std::count(lists, lists + spec_.lists, true));
  spec.inputs = static_cast<std::uint32_t>(std::count(inputs.begin(), inputs.end(), true));
  spec.body = reduced_body(bodies()[0], inputs, outputs);
  if (bodies().size() > 1) spec.condition = reduced_body(bodies()[1], inputs, {true});
  spec.effects = has_effects();
  return std::make_shared<LoopNode>(std::move(spec));
}

void LoopNode::run(KernelContext& c) {
  const std::size_t carried = spec_.carried, lists = spec_.lists;
  std::vector<Tensor> values;
  for (std::size_t v = 0; v < carried; ++v) values.push_back(Tensor::share(c.inputs[v]));
  // One without elements holds zeros.
  std::size_t count = 0;
  for (std::size_t l = 0; l < lists; ++l)
    count = std::max(count, list_elements(c.inputs[carried + l]).size());
  std::vector<std::vector<Tensor>> made(types().size() - carried);
  std::vector<Tensor> parameters, results(types().size()), verdict(1);
  const auto fill = [&](const FlowBody& body, std::size_t element) {
    parameters.clear();
    for (const std::uint32_t input : body.inputs) {
      if (input < carried) {
        parameters.push_back(values[input]);
      } else if (input < carried + lists) {
        const std::span<const Tensor> elements = list_elements(c.inputs[input]);
        const ValueIndex parameter = body.graph->parameters()[parameters.size()];
        parameters.push_back(elements.empty() ? zero_of(*body.graph->value(parameter).type)
                                              : elements[element]);
      } else {
        parameters.push_back(Tensor::share(c.inputs[input]));
      }
    }
  };
  std::size_t round = 0;
  for (; spec_.maximum < 0 || round < static_cast<std::size_t>(spec_.maximum); ++round) {
    if (lists > 0 && round == count) break;
    if (bodies().size() > 1) {
      fill(bodies()[1], 0);
      run_body(1, parameters, verdict);
      if (element_value(verdict[0], 0) == 0) break;
    }
    fill(bodies()[0], spec_.backwards ? count - 1 - round : round);
    run_body(0, parameters, results, ResultIds::of_nodes);  // the next round's ops read what this one's made
    for (std::size_t r = 0; r < results.size(); ++r) {
      const TensorId id = results[r].id();
      Tensor result = apart_from(std::move(results[r]), c.inputs);
      if (result.id() != id) result.impl()->id = id;  // a copy
      if (r < carried) values[r] = std::move(result);
      else made[r - carried].push_back(std::move(result));
    }
  }
  for (std::size_t v = 0; v < carried; ++v) {
    c.outputs[v] = round == 0 ? copy_of(values[v]) : std::move(values[v]);
    // The node's own, not that of the op that made it in the last round.
    if (!c.outputs[v].impl()->extension) c.outputs[v].impl()->id = next_tensor_ids(1);
  }
  for (std::size_t m = 0; m < made.size(); ++m) {
    if (spec_.backwards) std::reverse(made[m].begin(), made[m].end());
    c.outputs[carried + m] = make_list(std::move(made[m]));
  }
}

std::shared_ptr<FlowNode> LoopNode::make_forward(Order order) const {
  Spec spec = spec_;
  spec.order = order;
  const FlowBody& body = bodies()[0];
  std::vector<bool> fixed;
  for (const std::uint32_t input : body.inputs) fixed.push_back(input >= spec.carried + spec.lists);
  auto output = static_cast<std::uint32_t>(types().size());
  const std::uint32_t first = output;
  spec.body = saving_body(body, order, fixed, output);
  if (output == spec.carried) {
    // The gradient reads nothing of any round; how many there were it must know all the same.
    spec.counts = true;
    ++output;
  }
  if (spec.counts) {
    auto graph = std::make_shared<Graph>(*spec.body.graph);
    const ValueIndex nothing = graph->add_constant(make_full({}, 0, DType::boolean));
    graph->results.insert(graph->results.begin() + spec.carried, nothing);
    spec.body.graph = graph;
  }
  for (std::uint32_t o = first; o < output; ++o)
    spec.saves |= OpDef::out_bit(static_cast<int>(std::min(o, 15u)));
  spec.saves |= OpDef::out_bit(static_cast<int>(std::min(spec.carried, 15u)));
  for (std::size_t r = body.places.size(); r < spec.body.places.size(); ++r) {
    const FlowPlace& place = spec.body.places[r];
    if (place.is_input) spec.saves |= OpDef::in_bit(static_cast<int>(std::min(place.index, 15u)));
  }
  if (bodies().size() > 1) spec.condition = bodies()[1];
  return std::make_shared<LoopNode>(std::move(spec));
}

LoopNode::Backward LoopNode::make_backward(const std::vector<bool>& given,
                                           const std::vector<bool>& wanted) const {
  const FlowBody& body = bodies()[0];
  const Graph& graph = body.function->graph();
  const std::uint32_t carried = spec_.carried, first_fixed = spec_.carried + spec_.lists;

  // A carried value may lead back to what is wanted, though it is not wanted itself.
  const std::vector<bool> reached = reached_inputs(body, carried, wanted);
  std::vector<bool> of_parameters;
  for (std::size_t p = 0; p < body.inputs.size(); ++p) {
    const Type& type = *body.graph->value(body.graph->parameters()[p]).type;
    of_parameters.push_back(is_trainable(type.dtype) && reached[body.inputs[p]]);
  }
  of_parameters.resize(of_parameters.size() + graph.captures().size());
  std::vector<bool> of_results;
  for (const FlowPlace& place : body.places) of_results.push_back(!place.is_input && given[place.index]);
  // A round's cotangents reach carried values that had none after the last round: until no more do.
  const GraphFunction::Backward* with = nullptr;
  while (true) {
    with = &body.function->backward_for(InputSet(of_results), InputSet(of_parameters));
    bool more = false;
    for (const std::uint32_t parameter : with->inputs) {
      const std::uint32_t input = body.inputs[parameter];
      if (input >= carried || of_results[input]) continue;
      of_results[input] = more = true;
    }
    if (!more) break;
  }

  Backward made;
  Spec spec;
  BackwardTrace trace(graph.name());
  const auto take = [&](const Type* type, bool is_element) {
    spec.body.inputs.push_back(spec.inputs++);
    spec.body.elements.push_back(is_element);
    return trace->parameter(type, 0);
  };
  std::vector<Tensor> cotangent_of(graph.results.size()), saved_as(graph.results.size());
  for (std::uint32_t r = 0; r < carried; ++r) {
    if (!of_results[r]) continue;
    made.carried.push_back(r);
    cotangent_of[r] = take(graph.value(graph.results[r]).type, false);
  }
  std::vector<Tensor> sums;
  std::vector<std::uint32_t> sum_of, element_of;  // parameters of the body
  std::size_t next = 0;
  for (std::size_t i = 0; i < with->inputs.size(); ++i) {
    const std::uint32_t parameter = with->inputs[i], input = body.inputs[parameter];
    const Graph& gradient = with->function->graph();
    const Type* type = with->rows[i] ? with->rows[i] : gradient.value(gradient.results[next]).type;
    next += with->rows[i] ? 2 : 1;
    if (input >= first_fixed) {
      made.summed.push_back(input);
      made.sums.push_back(type);
      sums.push_back(take(type, false));
      sum_of.push_back(parameter);
    } else if (input >= carried) {
      made.lists.push_back(input);
      element_of.push_back(parameter);
    }
  }
  spec.carried = spec.inputs;
  for (const std::uint32_t r : with->saved) {
    if (body.places[r].is_input) continue;
    made.saved.push_back(body.places[r].index);
    saved_as[r] = take(graph.value(graph.results[r]).type, true);
  }
  if (made.saved.empty()) {
    // The length of any list is the number of rounds.
    const Graph& run = *body.graph;
    made.saved.push_back(carried);
    take(run.value(run.results[carried]).type, true);
  }
  for (std::uint32_t r = 0; r < graph.results.size(); ++r) {
    if (!of_results[r] || r < carried) continue;
    made.given.push_back(body.places[r].index);
    cotangent_of[r] = take(graph.value(graph.results[r]).type, true);
  }
  spec.lists = spec.inputs - spec.carried;
  for (const std::uint32_t r : with->saved) {
    if (!body.places[r].is_input) continue;
    made.fixed.push_back(body.places[r].index);
    const GraphValue& value = graph.value(graph.results[r]);
    const bool handle = value.type->dtype == DType::resource && !is_list(*value.type);
    if (handle) {
      // Only a variable's own handle leads to the variable.
      saved_as[r] = body.function->traced().parameters[value.source];
      spec.body.inputs.push_back(spec.inputs++);
      spec.body.elements.push_back(false);
      trace->parameter(saved_as[r]);
    } else {
      saved_as[r] = take(value.type, false);
    }
  }

  BackwardCall call{*with, {}, {}, body.inputs.size()};
  for (const std::uint32_t r : with->saved) call.saved.push_back(saved_as[r]);
  for (const std::uint32_t r : with->cotangents) call.cotangents.push_back(cotangent_of[r]);
  const std::vector<Tensor> found = cotangents_of(call);
  std::vector<Tensor> results;
  for (const std::uint32_t r : made.carried) {
    Tensor cotangent;
    for (std::size_t p = 0; p < body.inputs.size(); ++p) {
      if (body.inputs[p] == r && found[p]) cotangent = found[p];
    }
    results.push_back(cotangent ? cotangent : zero_of(*graph.value(graph.results[r]).type));
  }
  for (std::size_t s = 0; s < sums.size(); ++s) {
    const Tensor terms[] = {sums[s], found[sum_of[s]]};
    results.push_back(is_list(sums[s].type()) ? add_lists(terms) : add_n(terms));
  }
  for (const std::uint32_t parameter : element_of) results.push_back(found[parameter]);
  for (std::size_t r = 0; r < results.size(); ++r)
    spec.body.places.push_back({false, static_cast<std::uint32_t>(r)});
  spec.backwards = !spec_.backwards;
  spec.body.function = std::make_shared<GraphFunction>(trace->finish(results), OptimizeOptions{});
  spec.body.graph = graph_to_run(*spec.body.function, spec.body.places);
  made.node = std::make_shared<LoopNode>(std::move(spec));
  return made;
}

void LoopNode::backward(VjpContext& context) {
  const Backward& with = gradients_.find(
      context, [this](const auto& given, const auto& wanted) { return make_backward(given, wanted); });
  if (with.carried.empty() && with.summed.empty() && with.lists.empty()) return;
  std::vector<Tensor> inputs;
  for (const std::uint32_t output : with.carried) {
    const Tensor& given = context.grad(static_cast<int>(output));
    inputs.push_back(given ? given : zero_of(context.out_type(static_cast<int>(output))));
  }
  for (const Type* type : with.sums) inputs.push_back(zero_of(*type));
  for (const std::uint32_t output : with.saved) inputs.push_back(context.out(static_cast<int>(output)));
  for (const std::uint32_t output : with.given) inputs.push_back(context.grad(static_cast<int>(output)));
  for (const std::uint32_t input : with.fixed) inputs.push_back(context.in(static_cast<int>(input)));
  const std::vector<Tensor> found = call_flow(*with.node, inputs, Location::current());
  std::size_t next = 0;
  for (const std::uint32_t input : with.carried) context.set(static_cast<int>(input), found[next++]);
  for (const std::uint32_t input : with.summed) context.set(static_cast<int>(input), found[next++]);
  for (const std::uint32_t input : with.lists) context.set(static_cast<int>(input), found[next++]);
}

}  // namespace tapescope
