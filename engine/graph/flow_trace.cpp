// Traces each branch or body on its own and makes the node of them.
#include "engine/graph/flow_trace.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/graph/cond_node.h"
#include "engine/graph/known_value.h"
#include "engine/graph/loop_node.h"
#include "engine/graph/loop_shapes.h"
#include "engine/graph/structure.h"
#include "engine/ops/tensor_list.h"

namespace tapescope {
namespace {

// The inputs of a node that its bodies take from outside, each once.
class OutsideInputs {
 public:
  std::uint32_t add(const Tensor& tensor) {
    tensors.push_back(tensor);
    return static_cast<std::uint32_t>(tensors.size() - 1);
  }
  std::uint32_t shared(const Tensor& tensor, std::size_t from) {
    for (std::size_t i = from; i < tensors.size(); ++i) {
      if (tensors[i].id() == tensor.id()) return static_cast<std::uint32_t>(i);
    }
    return add(tensor);
  }
  std::vector<Tensor> tensors;
};

void place_in_order(FlowBody& body) {
  for (std::size_t r = 0; r < body.function->graph().results.size(); ++r)
    body.places.push_back({false, static_cast<std::uint32_t>(r)});
  body.graph = graph_to_run(*body.function, body.places);
}

// The symbols of a trace for tensors like these.
std::vector<Tensor> symbols_for(Trace& trace, std::span<const Type* const> types) {
  std::vector<Tensor> symbols;
  for (const Type* type : types) symbols.push_back(trace.parameter(type, 0));
  return symbols;
}

std::vector<const Type*> types_of(std::span<const Tensor> tensors) {
  std::vector<const Type*> types;
  for (const Tensor& tensor : tensors) types.push_back(&tensor.type());
  return types;
}

// One difference between a result and what it must be like, in words; nothing where there is none.
void check_alike(std::string_view op, std::string_view what, const Type& expected, std::string_view where,
                 const Type& got, std::string_view there, const Location& location) {
  if (&expected == &got) return;
  const bool dtype = expected.dtype != got.dtype;
  fail(dtype ? ErrorKind::type : ErrorKind::value, op,
       fmt::format("{} is {} {} and {} {}; {}", what, expected.text(), where, got.text(), there,
                   dtype ? "cast one of them"
                         : "the values of a graph have one shape each, so pad or reshape one of them"),
       &location);
}

}  // namespace

void check_predicate(std::string_view op, std::string_view what, const Tensor& pred,
                     const Location& location) {
  if (!pred || pred.dtype() != DType::boolean) {
    fail(ErrorKind::type, op,
         fmt::format("the {} must be a bool scalar, got {}; compare it with something", what,
                     pred ? pred.type().text() : "None"),
         &location);
  }
  if (pred.rank() != 0) {
    fail(ErrorKind::value, op,
         fmt::format("the {} must be a scalar, got {}; reduce it with reduce_any or reduce_all, or choose by "
                     "element with where",
                     what, pred.type().text()),
         &location);
  }
}

void check_state(std::string_view op, const Value& before, std::span<const Tensor> tensors_before,
                 const Value& after, std::span<const Tensor> tensors_after, bool keeps_shapes,
                 const Location& location) {
  if (structure_text(before) != structure_text(after)) {
    fail(ErrorKind::type, op,
         fmt::format("a round was given {} and returned {}; return the same structure",
                     structure_text(before), structure_text(after)),
         &location);
  }
  for (std::size_t v = 0; v < tensors_before.size(); ++v) {
    const Type &was = tensors_before[v].type(), &now = tensors_after[v].type();
    if (keeps_shapes || was.dtype != now.dtype) {
      check_alike(op, fmt::format("loop variable {}", v + 1), was, "before a round", now, "after it",
                  location);
    }
  }
}

TracedFlow trace_branches(std::string_view op, const Tensor& chooser,
                          std::span<const std::function<Value()>> branches,
                          std::span<const std::string> names, const Location& location) {
  TracedFlow flow;
  CondNode::Spec spec;
  OutsideInputs inputs;
  inputs.add(chooser);
  for (std::size_t b = 0; b < branches.size(); ++b) {
    Trace trace(fmt::format("{}_{}", op, names[b]), {}, Trace::Of::body);
    Value structure = branches[b]();
    const std::vector<Tensor> results = take_tensors(structure, op, location);
    LiftedBody lifted = lift(trace.finish(results, location));
    FlowBody branch;
    branch.function = lifted.function;
    for (const Tensor& outside : lifted.outside) {
      branch.inputs.push_back(inputs.shared(outside, 1));
      branch.elements.push_back(false);
    }
    place_in_order(branch);
    if (b == 0) {
      flow.structure = structure;
      spec.results = results.size();
    } else if (structure_text(structure) != structure_text(flow.structure)) {
      fail(ErrorKind::type, op,
           fmt::format("{} returns {} and {} returns {}; return the same structure from each", names[0],
                       structure_text(flow.structure), names[b], structure_text(structure)),
           &location);
    } else {
      const Graph& first = *spec.branches[0].graph;
      for (std::size_t r = 0; r < spec.results; ++r) {
        check_alike(op, fmt::format("result {}", r + 1), *first.value(first.results[r]).type,
                    "from " + names[0], results[r].type(), "from " + names[b], location);
      }
    }
    spec.branches.push_back(std::move(branch));
  }
  spec.inputs = inputs.tensors.size();
  if (spec.results == 0 && !any_effect(spec.branches)) return flow;
  const auto node = std::make_shared<CondNode>(std::move(spec));
  flow.tensors = call_flow(*node, inputs.tensors, location);
  return flow;
}

namespace {

struct WhileLoop {
  const std::function<Tensor(const Value&)>& condition;
  const std::function<Value(const Value&)>& body;
  const Value& structure;
  const Location& location;
};

// The condition or a round of the body as its own graph, for loop variables of some types.
struct TracedRound {
  LiftedBody graph;
  std::vector<Tensor> before, after;  // its symbols, and what it gives
};

TracedRound trace_condition(const WhileLoop& loop, std::span<const Tensor> vars) {
  Trace trace("while_loop_condition", {}, Trace::Of::body);
  TracedRound round;
  round.before = symbols_for(trace, types_of(vars));
  round.after.push_back(loop.condition(with_tensors(loop.structure, round.before)));
  check_predicate("while_loop", "condition's result", round.after[0], loop.location);
  round.graph = lift(trace.finish(round.after, loop.location));
  return round;
}

TracedRound trace_body(const WhileLoop& loop, std::span<const Tensor> vars) {
  Trace trace("while_loop_body", {}, Trace::Of::body);
  TracedRound round;
  round.before = symbols_for(trace, types_of(vars));
  Value next = loop.body(with_tensors(loop.structure, round.before));
  round.after = take_tensors(next, "while_loop", loop.location);
  check_state("while_loop", loop.structure, round.before, next, round.after, false, loop.location);
  round.graph = lift(trace.finish(round.after, loop.location));
  return round;
}

// The nodes of a traced round, added to the graph around the loop.
std::vector<Tensor> add_round(const TracedRound& round, std::span<const Tensor> vars,
                              const Location& location) {
  std::vector<Tensor> given(vars.begin(), vars.end()), results(round.after.size());
  given.insert(given.end(), round.graph.outside.begin(), round.graph.outside.end());
  round.graph.function->call(given, results, location);
  return results;
}

// The node for the rounds from these values on, which keep all shapes.
TracedFlow add_loop(const WhileLoop& loop, const TracedRound& condition, const TracedRound& body,
                    std::span<const Tensor> vars, std::int64_t maximum) {
  LoopNode::Spec spec;
  OutsideInputs inputs;
  for (const Tensor& var : vars) inputs.add(var);
  const auto wire = [&](FlowBody& made, const LiftedBody& lifted) {
    made.function = lifted.function;
    for (std::uint32_t v = 0; v < vars.size(); ++v) made.inputs.push_back(v);
    for (const Tensor& outside : lifted.outside) made.inputs.push_back(inputs.shared(outside, vars.size()));
    made.elements.assign(made.inputs.size(), false);
    place_in_order(made);
  };
  wire(spec.condition.emplace(), condition.graph);
  wire(spec.body, body.graph);
  spec.inputs = static_cast<std::uint32_t>(inputs.tensors.size());
  spec.carried = static_cast<std::uint32_t>(vars.size());
  spec.maximum = maximum;
  const auto node = std::make_shared<LoopNode>(std::move(spec));
  return TracedFlow{loop.structure, call_flow(*node, inputs.tensors, loop.location)};
}

// Counters whose value is known become constants again, so that the conditions that follow are known soon.
void keep_counters_known(std::span<Tensor> vars, const Location& location) {
  for (Tensor& var : vars) {
    if (is_trainable(var.dtype()) || var.type().numel != 1) continue;
    const Tensor known = known_value(var, location);
    if (known) var = Trace::current_symbol(Trace::current_value(known, location));
  }
}

}  // namespace

TracedFlow trace_while(const std::function<Tensor(const Value&)>& condition,
                       const std::function<Value(const Value&)>& body, const Value& structure,
                       std::span<const Tensor> loop_vars, const WhileLoopOptions& options,
                       const Location& location) {
  const WhileLoop loop{condition, body, structure, location};
  const LoopShapes shapes(options, loop_vars, location);
  const std::int64_t maximum = options.maximum_iterations.value_or(-1);
  std::vector<Tensor> vars(loop_vars.begin(), loop_vars.end());
  // Rounds that change a shape are added to the graph around the loop, one by one, each as it was traced to
  // see whether it does.
  for (std::int64_t round = 0;; ++round) {
    const TracedRound asks = trace_condition(loop, vars);
    Tensor go_on;
    const auto ask = [&] {
      keep_counters_known(vars, location);
      go_on = known_value(add_round(asks, vars, location)[0], location);
      return !go_on || element_value(go_on, 0) != 0;
    };
    if (round > 0 && !ask()) return {structure, vars};
    const TracedRound runs = trace_body(loop, vars);
    if (shapes.keeps(runs.before, runs.after))
      return add_loop(loop, asks, runs, vars, maximum < 0 ? maximum : maximum - round);
    if (maximum == 0) return {structure, vars};
    shapes.check_rounds(round);
    if (round == 0 && !ask()) return {structure, vars};
    if (!go_on) shapes.refuse_unknown_round(runs.before, runs.after);
    vars = add_round(runs, vars, location);
    if (round + 1 == maximum) return {structure, vars};
  }
}

TracedFlow trace_rows(const RowLoop& loop, const Location& location) {
  const std::int64_t count = loop.rows[0].dim(0);
  const bool stacks_state = !loop.states.empty();
  std::vector<const Type*> row_types;
  LoopNode::Spec spec;
  OutsideInputs inputs;
  for (const Tensor& state : loop.states) inputs.add(state);
  for (const Tensor& rows : loop.rows) {
    row_types.push_back(intern_type(rows.dtype(), Shape(rows.shape().dims().subspan(1))));
    inputs.add(list_from_tensor(Arg(rows, location)));
  }
  spec.carried = static_cast<std::uint32_t>(loop.states.size());
  spec.lists = static_cast<std::uint32_t>(loop.rows.size());
  spec.backwards = loop.reverse;
  const std::size_t own = inputs.tensors.size();

  Trace trace(fmt::format("{}_body", loop.op), {}, Trace::Of::body);
  const std::vector<Tensor> states = symbols_for(trace, types_of(loop.states)),
                            rows = symbols_for(trace, row_types);
  TracedFlow flow;
  flow.structure = loop.fn(with_tensors(loop.state, states), with_tensors(loop.elems, rows));
  const std::vector<Tensor> results = take_tensors(flow.structure, loop.op, location);
  if (stacks_state) check_state(loop.op, loop.state, states, flow.structure, results, true, location);
  const std::vector<const Type*> stacked_types = types_of(results);
  // The state goes on to the next round and is stacked too.
  std::vector<Tensor> given;
  if (stacks_state) given = results;
  given.insert(given.end(), results.begin(), results.end());
  LiftedBody lifted = lift(trace.finish(given, location));
  spec.body.function = lifted.function;
  for (std::uint32_t i = 0; i < own; ++i) spec.body.inputs.push_back(i);
  for (const Tensor& outside : lifted.outside) spec.body.inputs.push_back(inputs.shared(outside, own));
  for (const std::uint32_t input : spec.body.inputs)
    spec.body.elements.push_back(input >= spec.carried && input < own);
  place_in_order(spec.body);
  spec.inputs = static_cast<std::uint32_t>(inputs.tensors.size());
  const std::uint32_t carried = spec.carried;
  const auto node = std::make_shared<LoopNode>(std::move(spec));
  const std::vector<Tensor> outputs = call_flow(*node, inputs.tensors, location);
  for (std::size_t r = 0; r < stacked_types.size(); ++r) {
    flow.tensors.push_back(list_stack(Arg(outputs[carried + r], location), *stacked_types[r], count));
  }
  return flow;
}

}  // namespace tapescope
