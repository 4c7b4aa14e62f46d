// Choosing a branch, and the cond of the branches' gradients.
#include "engine/graph/cond_node.h"

#include <algorithm>

#include "engine/events/records/functions.h"
#include "engine/ops/creation.h"
#include "engine/ops/tensor_list.h"

namespace tapescope {
namespace {

std::string_view name_for(const CondNode::Spec& spec, bool effects) {
  if (spec.branches.size() == 2) return effects ? "If" : "StatelessIf";
  return effects ? "Case" : "StatelessCase";
}

bool effects_of(const CondNode::Spec& spec) {
  return spec.effects ? *spec.effects : any_effect(spec.branches);
}

std::vector<const Type*> types_of(const CondNode::Spec& spec) {
  const Graph& first = *spec.branches[0].graph;
  std::vector<const Type*> types;
  for (std::size_t r = 0; r < spec.results; ++r) types.push_back(first.value(first.results[r]).type);
  types.insert(types.end(), spec.fills.size(), list_type());
  return types;
}

std::uint64_t input_bit(std::uint32_t input) {
  return std::uint64_t{1} << std::min(input, NodeBranchRecord::kLastInput);
}

std::uint64_t inputs_of(const FlowBody& branch) {
  std::uint64_t bits = 0;
  for (const std::uint32_t input : branch.inputs) bits |= input_bit(input);
  return bits;
}

bool anyone_listens() { return (state().listen.load(std::memory_order_relaxed) & kListenEvents) != 0; }

// Records branch `number`, which has made the tensors from `begin` on.
void note_branch(const TensorImpl* chooser, std::size_t number, std::uint64_t inputs, TensorId begin) {
  state().note(NodeBranchRecord{.branch = static_cast<std::uint8_t>(std::min<std::size_t>(number, 254)),
                                .chooser = chooser->id,
                                .inputs = inputs | 1,
                                .begin = begin});
}

std::size_t chosen(const Tensor& by, std::size_t branches) {
  if (by.dtype() == DType::boolean) return element_value(by, 0) != 0 ? 0 : 1;
  const double index = element_value(by, 0);
  return index < 0 || index >= static_cast<double>(branches) ? branches - 1 : static_cast<std::size_t>(index);
}

}  // namespace

CondNode::CondNode(Spec spec)
    : FlowNode(name_for(spec, effects_of(spec)), spec.branches, types_of(spec), spec.saves, spec.order,
               effects_of(spec)),
      spec_(std::move(spec)) {
  spec_.branches.clear();
}

std::shared_ptr<FlowNode> CondNode::with_bodies(std::vector<FlowBody> bodies) const {
  Spec spec = spec_;
  spec.branches = std::move(bodies);
  spec.effects = has_effects();
  return std::make_shared<CondNode>(std::move(spec));
}

void CondNode::keep_own(std::vector<bool>& inputs, std::vector<bool>&) const { inputs[0] = true; }

std::shared_ptr<FlowNode> CondNode::reduced(const std::vector<bool>& inputs,
                                            const std::vector<bool>& outputs) const {
  Spec spec = spec_;
  spec.inputs = static_cast<std::size_t>(std::count(inputs.begin(), inputs.end(), true));
  spec.results = static_cast<std::size_t>(
      std::count(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(spec_.results), true));
  spec.fills.clear();
  for (std::size_t l = 0; l < spec_.fills.size(); ++l) {
    if (outputs[spec_.results + l]) spec.fills.push_back(spec_.fills[l]);
  }
  for (std::size_t b = 0; b < bodies().size(); ++b) {
    std::vector<bool> results(outputs.begin(), outputs.begin() + static_cast<std::ptrdiff_t>(spec_.results));
    for (std::size_t l = 0; l < spec_.fills.size(); ++l) {
      if (spec_.fills[l] == b) results.push_back(outputs[spec_.results + l]);
    }
    spec.branches.push_back(reduced_body(bodies()[b], inputs, results));
  }
  spec.effects = has_effects();
  return std::make_shared<CondNode>(std::move(spec));
}

void CondNode::run(KernelContext& c) {
  const std::size_t taken = chosen(Tensor::share(c.inputs[0]), bodies().size());
  const FlowBody& branch = bodies()[taken];
  const TensorId begin = peek_tensor_id();
  std::vector<Tensor> parameters;
  for (std::size_t p = 0; p < branch.inputs.size(); ++p) {
    const TensorImpl* input = c.inputs[branch.inputs[p]];
    parameters.push_back(branch.elements[p] ? list_elements(input)[0]
                                            : Tensor::share(c.inputs[branch.inputs[p]]));
  }
  std::vector<Tensor> results(branch.graph->results.size());
  run_body(taken, parameters, results);
  for (std::size_t r = 0; r < spec_.results; ++r) {
    const bool list = is_list(results[r].type());
    const auto elements = list ? list_elements(results[r].impl()) : std::span<const Tensor>();
    c.outputs[r] =
        list ? make_list({elements.begin(), elements.end()}) : apart_from(std::move(results[r]), c.inputs);
  }
  std::size_t next = spec_.results;
  for (std::size_t l = 0; l < spec_.fills.size(); ++l) {
    std::vector<Tensor> elements;
    if (spec_.fills[l] == taken) elements.push_back(apart_from(std::move(results[next++]), c.inputs));
    c.outputs[spec_.results + l] = make_list(std::move(elements));
  }
  if (anyone_listens())
    note_branch(c.inputs[0], taken, spec_.leads.empty() ? inputs_of(branch) : spec_.leads[taken], begin);
}

std::shared_ptr<FlowNode> CondNode::make_forward(Order order) const {
  Spec spec = spec_;
  spec.order = order;
  spec.saves = OpDef::in_bit(0);
  auto output = static_cast<std::uint32_t>(types().size());
  const auto save_output = [&](std::uint32_t o) {
    spec.saves |= OpDef::out_bit(static_cast<int>(std::min(o, 15u)));
  };
  for (std::size_t b = 0; b < bodies().size(); ++b) {
    std::vector<bool> fixed = bodies()[b].elements;
    fixed.flip();
    const std::uint32_t first = output;
    spec.branches.push_back(saving_body(bodies()[b], order, fixed, output));
    for (std::uint32_t o = first; o < output; ++o) {
      spec.fills.push_back(static_cast<std::uint32_t>(b));
      save_output(o);
    }
    for (std::size_t r = bodies()[b].places.size(); r < spec.branches[b].places.size(); ++r) {
      const FlowPlace& place = spec.branches[b].places[r];
      if (place.is_input) spec.saves |= OpDef::in_bit(static_cast<int>(std::min(place.index, 15u)));
    }
  }
  return std::make_shared<CondNode>(std::move(spec));
}

CondNode::Backward CondNode::make_backward(const std::vector<bool>& given,
                                           const std::vector<bool>& wanted) const {
  const std::size_t branches = bodies().size();
  std::vector<const GraphFunction::Backward*> with;
  // Inputs of this node that get a cotangent of the input's type, from any branch; and of those that are
  // lists, by branch.
  std::vector<const Type*> plain(spec_.inputs, nullptr);
  std::vector<std::vector<std::uint32_t>> element_of(branches);
  for (std::size_t b = 0; b < branches; ++b) {
    const FlowBody& body = bodies()[b];
    std::vector<bool> of_results, of_parameters;
    for (const FlowPlace& place : body.places) of_results.push_back(!place.is_input && given[place.index]);
    for (std::size_t p = 0; p < body.inputs.size(); ++p) {
      const Type& type = *body.graph->value(body.graph->parameters()[p]).type;
      of_parameters.push_back(wanted[body.inputs[p]] && is_trainable(type.dtype));
    }
    of_parameters.resize(of_parameters.size() + body.function->graph().captures().size());
    with.push_back(&body.function->backward_for(InputSet(of_results), InputSet(of_parameters)));
    std::size_t next = 0;
    for (std::size_t i = 0; i < with[b]->inputs.size(); ++i) {
      const std::uint32_t parameter = with[b]->inputs[i];
      const Graph& graph = with[b]->function->graph();
      const Type* type = with[b]->rows[i] ? with[b]->rows[i] : graph.value(graph.results[next]).type;
      next += with[b]->rows[i] ? 2 : 1;
      if (body.elements[parameter]) element_of[b].push_back(parameter);
      else plain[body.inputs[parameter]] = type;
    }
  }

  Backward made;
  std::vector<std::uint32_t> inputs, outputs, cotangents;
  const auto index_in = [](std::vector<std::uint32_t>& list, std::uint32_t value) {
    const auto at = std::find(list.begin(), list.end(), value);
    if (at != list.end()) return static_cast<std::uint32_t>(at - list.begin());
    list.push_back(value);
    return static_cast<std::uint32_t>(list.size() - 1);
  };
  // First what is taken, so that the inputs' positions are known; then the branches.
  for (std::size_t b = 0; b < branches; ++b) {
    for (const std::uint32_t r : with[b]->saved) {
      const FlowPlace& place = bodies()[b].places[r];
      index_in(place.is_input ? inputs : outputs, place.index);
    }
    for (const std::uint32_t r : with[b]->cotangents) index_in(cotangents, bodies()[b].places[r].index);
  }
  made.inputs = inputs.size();
  made.outputs = outputs.size();

  Spec spec;
  spec.inputs = 1 + inputs.size() + outputs.size() + cotangents.size();
  for (std::uint32_t i = 0; i < spec_.inputs; ++i) {
    if (plain[i]) made.gives.push_back(i);
  }
  spec.results = made.gives.size();
  for (std::size_t b = 0; b < branches; ++b) {
    const FlowBody& body = bodies()[b];
    const Graph& graph = body.function->graph();
    FlowBody branch;
    BackwardTrace trace(graph.name());
    std::vector<Tensor> saved, given_here;
    const auto take = [&](std::size_t input, const Type* type, bool is_element) {
      branch.inputs.push_back(static_cast<std::uint32_t>(1 + input));
      branch.elements.push_back(is_element);
      return trace->parameter(type, 0);
    };
    const auto handle_or = [&](std::uint32_t r, std::size_t input) {
      // A variable's handle stands for itself; only it leads to the variable.
      const GraphValue& value = graph.value(graph.results[r]);
      const bool handle = value.type->dtype == DType::resource && !is_list(*value.type);
      if (!handle) return take(input, value.type, false);
      const Tensor stands = body.function->traced().parameters[value.source];
      branch.inputs.push_back(static_cast<std::uint32_t>(1 + input));
      branch.elements.push_back(false);
      trace->parameter(stands);
      return stands;
    };
    for (const std::uint32_t r : with[b]->saved) {
      const FlowPlace& place = body.places[r];
      if (place.is_input) saved.push_back(handle_or(r, index_in(inputs, place.index)));
      else
        saved.push_back(take(inputs.size() + index_in(outputs, place.index),
                             graph.value(graph.results[r]).type, place.index >= spec_.results));
    }
    for (const std::uint32_t r : with[b]->cotangents) {
      const std::uint32_t output = body.places[r].index;
      given_here.push_back(take(inputs.size() + outputs.size() + index_in(cotangents, output),
                                graph.value(graph.results[r]).type, output >= spec_.results));
    }
    const std::vector<Tensor> found = cotangents_of({*with[b], saved, given_here, body.inputs.size()});
    std::uint64_t leads = 0;
    for (std::size_t p = 0; p < body.inputs.size(); ++p) {
      if (found[p]) leads |= input_bit(body.inputs[p]);
    }
    spec.leads.push_back(leads);
    std::vector<Tensor> results;
    for (const std::uint32_t input : made.gives) {
      Tensor cotangent;
      for (std::size_t p = 0; p < body.inputs.size(); ++p) {
        if (body.inputs[p] == input && !body.elements[p] && found[p]) cotangent = found[p];
      }
      results.push_back(cotangent ? cotangent : zero_of(*plain[input]));
    }
    for (const std::uint32_t parameter : element_of[b]) results.push_back(found[parameter]);
    for (std::size_t r = 0; r < spec.results; ++r)
      branch.places.push_back({false, static_cast<std::uint32_t>(r)});
    for (std::size_t l = 0; l < element_of[b].size(); ++l) {
      branch.places.push_back({false, static_cast<std::uint32_t>(spec.results + spec.fills.size())});
      spec.fills.push_back(static_cast<std::uint32_t>(b));
    }
    branch.function = std::make_shared<GraphFunction>(trace->finish(results), OptimizeOptions{});
    branch.graph = graph_to_run(*branch.function, branch.places);
    spec.branches.push_back(std::move(branch));
  }
  for (std::size_t b = 0; b < branches; ++b) {
    for (const std::uint32_t parameter : element_of[b]) made.gives.push_back(bodies()[b].inputs[parameter]);
  }
  if (made.gives.empty()) return made;
  made.takes = inputs;
  made.takes.insert(made.takes.end(), outputs.begin(), outputs.end());
  made.takes.insert(made.takes.end(), cotangents.begin(), cotangents.end());
  made.node = std::make_shared<CondNode>(std::move(spec));
  return made;
}

void CondNode::backward(VjpContext& context) {
  const Backward& with = gradients_.find(
      context, [this](const auto& given, const auto& wanted) { return make_backward(given, wanted); });
  if (!with.node) return;
  std::vector<Tensor> inputs{context.in(0)};
  for (std::size_t i = 0; i < with.takes.size(); ++i) {
    const int index = static_cast<int>(with.takes[i]);
    if (i < with.inputs) inputs.push_back(context.in(index));
    else inputs.push_back(i < with.inputs + with.outputs ? context.out(index) : context.grad(index));
  }
  const std::vector<Tensor> found = call_flow(*with.node, inputs, Location::current());
  for (std::size_t o = 0; o < found.size(); ++o) context.set(static_cast<int>(with.gives[o]), found[o]);
}

}  // namespace tapescope
