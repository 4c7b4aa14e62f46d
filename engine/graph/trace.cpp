// Turning calls into nodes.
#include "engine/graph/trace.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "engine/core/slices.h"
#include "engine/events/stats.h"
#include "engine/gate/after.h"
#include "engine/gate/infer_checks.h"
#include "engine/graph/call_row.h"
#include "engine/graph/executor.h"
#include "engine/graph/extract.h"
#include "engine/graph/flow_node.h"
#include "engine/ops/random_key.h"
#include "engine/tape/set_aside.h"

namespace tapescope {

namespace {

// A tape wants the outputs of one op to have consecutive ids.
void number(std::span<Tensor> outputs) {
  if (outputs.size() < 2) return;
  TensorId id = next_tensor_ids(static_cast<int>(outputs.size()));
  for (Tensor& output : outputs) output.impl()->id = id++;
}

void splice_questions(const Graph& callee, const std::vector<ValueIndex>& copy, NodeIndex before,
                      Graph& into) {
  for (const GraphQuestion& question : callee.questions)
    into.questions.push_back(moved(question, copy, before + question.after));
}

}  // namespace

struct Trace::State final : TraceScope, Interceptor, std::enable_shared_from_this<Trace::State> {
  std::shared_ptr<Graph> graph;
  std::vector<Tensor> arguments;
  std::vector<Tensor> parameters, closures;
  std::unordered_map<TensorId, ValueIndex> values;  // of handles, captures, constants and closures by tensor
  std::vector<Tensor> keep;                         // those whose ids are in `values`
  std::unordered_map<NodeIndex, NodeIndex> saving;  // by node: see current_saving()
  TensorId first_id = 0;
  std::uint64_t random = 0;
  std::vector<GraphQuestion> open_questions;  // innermost last

  // What the thread was doing before.
  std::vector<TapeListener*> outside_tapes;
  std::vector<ForwardListener*> outside_accumulators;
  TraceScope* outer = nullptr;
  const Location* origin = nullptr;
  std::uint32_t silenced = 0, backward_depth = 0;
  ScopeId scope = 0;

  void begin();
  void end();
  ValueIndex remember(const Tensor& tensor, ValueIndex value);
  ValueIndex value_of(const Tensor& tensor, const Location& location);
  std::uint8_t node_flags() const;
  void merge_saving();
  ValueIndex own_value(const Tensor& tensor) const;
  GraphQuestion::Part part(const Tensor& tensor) const;
  void stands_for(const Tensor& tensor, ValueIndex value) { graph->symbols.emplace_back(value, tensor.id()); }
  void splice(const Graph& callee, std::span<const Tensor> parameters, std::span<Tensor> results);
  bool apply(const OpDef& op, OpInputs inputs, const Attrs& attrs, const Location& location,
             TensorList& outputs) override;
  Tensor evaluate(const Tensor& symbol) override;
  void asked(const TracedAsk& ask, std::span<const Tensor> targets) override;
  void walked(TensorId output, std::span<const Tensor> cotangents,
              std::span<const Tensor> gradients) override;
  void answered(const Tensor& gradient, NameId source_name, TensorId source) override;
  void question_over(bool raised) override;
  std::vector<Tensor> read_by(std::span<const Type* const> types,
                              const std::function<void(std::span<const Tensor>)>& program) override;
  Tensor another(const Tensor& symbol) override;
};

void Trace::State::begin() {
  ThreadState& ts = tapescope::state();
  outside_tapes = ts.tapes;
  outside_accumulators = ts.accumulators;
  outer = current_trace();
  origin = std::exchange(ts.origin, nullptr);
  silenced = std::exchange(ts.silenced, 0u);
  backward_depth = std::exchange(ts.backward_depth, 0u);
  scope = std::exchange(ts.scope, ScopeId{0});
  first_id = peek_tensor_id();
  random = random_position();
  ts.interceptors.push_back(this);
  set_current_trace(this);
}

void Trace::State::end() {
  ThreadState& ts = tapescope::state();
  std::erase(ts.interceptors, static_cast<Interceptor*>(this));
  set_current_trace(outer);
  ts.origin = origin;
  ts.silenced = silenced;
  ts.backward_depth = backward_depth;
  ts.scope = scope;
  set_random_position(random);
  open = false;
}

ValueIndex Trace::State::remember(const Tensor& tensor, ValueIndex value) {
  values.emplace(tensor.id(), value);
  keep.push_back(tensor);
  stands_for(tensor, value);
  return value;
}

ValueIndex Trace::State::value_of(const Tensor& tensor, const Location& location) {
  const SymbolExtension* symbol = symbol_of(tensor.impl());
  if (symbol && symbol->scope.get() == this) return symbol->value;
  if (symbol) {
    if (const Tensor* other = StandIns::of(tensor.impl(), this)) return value_of(*other, location);
  }
  if (const auto known = values.find(tensor.id()); known != values.end()) return known->second;
  if (symbol) {
    check_in_reach(tensor.impl(), function, location);
    closures.push_back(tensor);
    const ValueIndex value = graph->add_parameter(&tensor.type(), tensor.impl()->name);
    parameters.push_back(make_symbol(&tensor.type(), shared_from_this(), value));
    return remember(tensor, value);
  }
  if (tensor.dtype() == DType::resource) {
    if (const Variable variable = Variable::of_handle(tensor)) graph->programs.push_back(variable.state());
    return remember(tensor, graph->add_capture(tensor));
  }
  // What the program makes while it is traced is part of the graph; what was there before is the outside's.
  const bool inside = tensor.id() >= first_id;
  return remember(tensor, inside ? graph->add_constant(tensor) : graph->add_capture(tensor));
}

std::uint8_t Trace::State::node_flags() const {
  const ThreadState& ts = tapescope::state();
  return static_cast<std::uint8_t>((ts.backward_depth ? GraphNode::kBackward : 0) |
                                   (ts.silenced ? GraphNode::kSilenced : 0));
}

bool Trace::State::apply(const OpDef& op, OpInputs inputs, const Attrs& attrs, const Location& location,
                         TensorList& outputs) {
  if (const CallRow* call = call_row_of(op)) {
    outputs.resize(static_cast<int>(call->graph->results.size()));
    std::vector<Tensor> parameters;
    for (std::size_t i = 0; i < call->graph->parameters().size(); ++i)
      parameters.push_back(Tensor::share(inputs[i]));
    splice(*call->graph, parameters, outputs.span());
    call_traced({op, inputs, attrs, location, outputs.span()}, outside_tapes, outside_accumulators);
    return true;
  }
  if (const FlowRow* flow = flow_row_of(op)) graph->programs.push_back(flow->node->shared_from_this());
  InferContext infer{op, inputs, attrs, location};
  infer_placed(op, infer);
  std::vector<ValueIndex> operands;
  operands.reserve(inputs.size());
  for (TensorImpl* input : inputs) operands.push_back(value_of(Tensor::share(input), location));
  const auto count = static_cast<std::size_t>(infer.outputs);
  const NodeIndex index = graph->add_node(op, operands, attrs, location, tapescope::state().scope,
                                          {infer.types(), count}, node_flags());
  const ValueIndex first = graph->nodes()[index].first_output;
  outputs.resize(infer.outputs);
  for (std::uint32_t k = 0; k < count; ++k) {
    outputs[static_cast<int>(k)] = make_symbol(infer.types()[k], shared_from_this(), first + k);
  }
  number(outputs.span());
  for (std::uint32_t k = 0; k < count; ++k) stands_for(outputs[static_cast<int>(k)], first + k);
  call_traced({op, inputs, attrs, location, outputs.span()}, outside_tapes, outside_accumulators);
  return true;
}

// Copies the callee's nodes; each result is a new symbol, so that one may be a parameter or be named twice.
void Trace::State::splice(const Graph& callee, std::span<const Tensor> given, std::span<Tensor> results) {
  const Location here = Location::current();
  std::vector<ValueIndex> copy(callee.values().size(), kNoIndex);
  for (ValueIndex i = 0; i < copy.size(); ++i) {
    const GraphValue& value = callee.value(i);
    switch (value.kind) {
      case ValueKind::parameter: copy[i] = value_of(given[value.source], here); break;
      case ValueKind::capture: copy[i] = value_of(callee.captures()[value.source], here); break;
      case ValueKind::constant: copy[i] = value_of(callee.constants()[value.source], here); break;
      case ValueKind::output: break;
    }
  }
  const auto before = static_cast<NodeIndex>(graph->nodes().size());
  std::vector<ValueIndex> inputs;
  std::vector<const Type*> types;
  for (const GraphNode& node : callee.nodes()) {
    inputs.clear();
    types.clear();
    for (const ValueIndex input : callee.inputs(node)) inputs.push_back(copy[input]);
    for (std::uint32_t k = 0; k < node.outputs; ++k)
      types.push_back(callee.value(node.first_output + k).type);
    const NodeIndex made = graph->add_node(*node.op, inputs, node.attrs, node.location, node.scope, types,
                                           static_cast<std::uint8_t>(node.flags | node_flags()));
    for (std::uint32_t k = 0; k < node.outputs; ++k) {
      copy[node.first_output + k] = graph->nodes()[made].first_output + k;
    }
  }
  graph->programs.insert(graph->programs.end(), callee.programs.begin(), callee.programs.end());
  for (const auto& [value, tensor] : callee.symbols) graph->symbols.emplace_back(copy[value], tensor);
  splice_questions(callee, copy, before, *graph);
  for (std::size_t r = 0; r < results.size(); ++r) {
    const ValueIndex value = copy[callee.results[r]];
    results[r] = make_symbol(graph->value(value).type, shared_from_this(), value);
  }
  number(results);
  for (std::size_t r = 0; r < results.size(); ++r) stands_for(results[r], copy[callee.results[r]]);
}

// The value of this graph that the tensor is a symbol of; kNoIndex for any other tensor.
ValueIndex Trace::State::own_value(const Tensor& tensor) const {
  if (!tensor) return kNoIndex;
  if (const SlicesExtension* slices = slices_of(tensor.impl())) return own_value(slices->values);
  const SymbolExtension* symbol = symbol_of(tensor.impl());
  return symbol && symbol->scope.get() == this ? symbol->value : kNoIndex;
}

GraphQuestion::Part Trace::State::part(const Tensor& tensor) const {
  GraphQuestion::Part part{.value = own_value(tensor)};
  part.none = !tensor;
  if (part.value != kNoIndex || !tensor || tensor.impl()->extension) return part;
  const TensorStats stats = tensor_stats(tensor);
  part.zero = stats.count > 0 && stats.zeros == stats.count;
  return part;
}

void Trace::State::asked(const TracedAsk& ask, std::span<const Tensor> targets) {
  GraphQuestion question{.ask = ask};
  for (const Tensor& target : targets) {
    if (const ValueIndex value = own_value(target); value != kNoIndex) question.targets.push_back(value);
  }
  open_questions.push_back(std::move(question));
}

void Trace::State::walked(TensorId output, std::span<const Tensor> cotangents,
                          std::span<const Tensor> gradients) {
  if (open_questions.empty()) return;
  GraphQuestion::Step step{output, {}, {}};
  for (const Tensor& cotangent : cotangents) step.cotangents.push_back(part(cotangent));
  for (const Tensor& gradient : gradients) step.gradients.push_back(part(gradient));
  open_questions.back().steps.push_back(std::move(step));
}

void Trace::State::answered(const Tensor& gradient, NameId source_name, TensorId source) {
  answers.push_back({gradient.id(), source_name, source});
  const ValueIndex value = own_value(gradient);
  if (open_questions.empty() || value == kNoIndex) return;
  open_questions.back().answers.push_back({value, gradient.id(), source_name, source});
  if (slices_of(gradient.impl())) stands_for(gradient, value);
}

void Trace::State::question_over(bool raised) {
  if (open_questions.empty()) return;
  GraphQuestion question = std::move(open_questions.back());
  open_questions.pop_back();
  if (raised || question.answers.empty()) return;
  question.after = static_cast<NodeIndex>(graph->nodes().size());
  graph->questions.push_back(std::move(question));
}

Tensor Trace::State::evaluate(const Tensor& symbol) {
  const ValueIndex wanted[] = {symbol_of(symbol.impl())->value};
  std::vector<ValueIndex> given;
  if (arguments.size() == graph->parameters().size()) {
    given.assign(graph->parameters().begin(), graph->parameters().end());
  }
  const auto refuse = [&](ValueIndex value) {
    if (graph->value(value).kind != ValueKind::parameter) return;  // a draw or a read may be made early
    fail(ErrorKind::value, function,
         "a variable is made from an argument while no call gives one its value; call the function before "
         "asking for a "
         "concrete one");
  };
  const auto part = extract(*graph, function + "/initial_value", given, wanted, refuse);
  InitScope outside;
  Tensor value;
  Executable(part).run(given.empty() ? std::span<const Tensor>() : std::span<const Tensor>(arguments),
                       {&value, 1});
  return value;
}

std::vector<Tensor> Trace::State::read_by(std::span<const Type* const> types,
                                          const std::function<void(std::span<const Tensor>)>& program) {
  const Mute mute;
  const ListenersSetAside program_only(tapescope::state());
  Trace trace(function);
  trace.state_->apart = apart + 1;
  std::vector<Tensor> given;
  for (const Type* type : types) given.push_back(trace.parameter(type, 0));
  try {
    program(given);
  } catch (const std::exception&) {  // a call of the program will throw it where it can be reported
  }
  return trace.state_->closures;
}

Tensor Trace::State::another(const Tensor& symbol) {
  const ValueIndex value = value_of(symbol, Location::current());
  return make_symbol(graph->value(value).type, shared_from_this(), value);
}

Trace::Trace(std::string function, std::span<const Tensor> arguments, Of of)
    : state_(std::make_shared<State>()) {
  state_->function = std::move(function);
  state_->graph = std::make_shared<Graph>(state_->function);
  state_->arguments.assign(arguments.begin(), arguments.end());
  if (of == Of::body && current_trace()) state_->apart = current_trace()->apart;
  state_->begin();
}

Trace::~Trace() {
  close();
  // Symbols that live on know the function's name and that it is closed. What else stands here holds symbols
  // itself.
  State& s = *state_;
  s.graph.reset();
  s.keep.clear();
  s.values.clear();
  s.arguments.clear();
  s.parameters.clear();
  s.closures.clear();
}

void Trace::close() {
  if (state_ && state_->open) state_->end();
}

Tensor Trace::parameter(const Type* type, NameId name) {
  const ValueIndex value = state_->graph->add_parameter(type, name);
  Tensor symbol = make_symbol(type, state_, value);
  symbol.impl()->name = name;
  state_->stands_for(symbol, value);
  state_->parameters.push_back(symbol);
  return symbol;
}

Variable Trace::parameter(const Variable& like) {
  Variable variable = Variable::stand_in(like, make_symbol(&like.type(), state_, kNoIndex));
  state_->graph->programs.push_back(variable.state());
  parameter(variable.handle());
  return variable;
}

void Trace::parameter(const Tensor& handle) {
  state_->remember(handle, state_->graph->add_parameter(&handle.type(), handle.impl()->name));
  state_->parameters.push_back(handle);
}

ValueIndex Trace::value_of(const Tensor& tensor, const Location& location) {
  return state_->value_of(tensor, location);
}

const Graph& Trace::graph() const { return *state_->graph; }
std::span<const Tensor> Trace::parameters() const { return state_->parameters; }
const std::vector<TraceScope::Answer>& Trace::answers() const { return state_->answers; }

const Graph* Trace::current_graph() {
  return current_trace() ? static_cast<State*>(current_trace())->graph.get() : nullptr;
}

ValueIndex Trace::current_value(const Tensor& tensor, const Location& location) {
  return static_cast<State*>(current_trace())->value_of(tensor, location);
}

Tensor Trace::current_symbol(ValueIndex value) {
  State& state = *static_cast<State*>(current_trace());
  return make_symbol(state.graph->value(value).type, state.shared_from_this(), value);
}

bool Trace::is_outside(const TapeListener* tape) {
  if (!current_trace()) return false;
  const auto& outside = static_cast<State*>(current_trace())->outside_tapes;
  return std::find(outside.begin(), outside.end(), tape) != outside.end();
}

NodeIndex Trace::current_saving(NodeIndex index) {
  State& state = *static_cast<State*>(current_trace());
  const auto [known, is_new] = state.saving.emplace(index, kNoIndex);
  if (!is_new) return known->second;
  Graph& graph = *state.graph;
  const GraphNode node = graph.nodes()[index];
  const auto variant = flow_row_of(*node.op)->node->forward(FlowNode::Order::higher);
  const auto operands = graph.inputs(node);
  const std::vector<ValueIndex> inputs(operands.begin(), operands.end());
  Attrs attrs;
  attrs.object = reinterpret_cast<std::uint64_t>(variant.get());
  graph.programs.push_back(variant);
  return known->second = graph.add_node(variant->row(), inputs, attrs, node.location, node.scope,
                                        variant->types(), node.flags, index);
}

// The saving node in the place of the one it stands for.
void Trace::State::merge_saving() {
  if (saving.empty()) return;
  Rebuild rebuild(*graph);
  std::vector<NodeIndex> before;  // how many new nodes there are before an old one
  for (NodeIndex n = 0; n < graph->nodes().size(); ++n) {
    before.push_back(static_cast<NodeIndex>(rebuild.to().nodes().size()));
    const GraphNode& node = graph->nodes()[n];
    const FlowRow* row = flow_row_of(*node.op);
    if (const auto found = saving.find(n); found != saving.end()) {
      const FlowRow* variant = flow_row_of(*graph->nodes()[found->second].op);
      put_flow(rebuild, n, rebuild.at(graph->inputs(node)), variant->node->shared_from_this());
    } else if (row && node.forward != kNoIndex) {
      const ValueIndex first = rebuild.at(graph->nodes()[node.forward].first_output);
      for (std::uint32_t k = 0; k < node.outputs; ++k) rebuild.replace(node.first_output + k, first + k);
    } else {
      rebuild.copy(n);
    }
  }
  before.push_back(static_cast<NodeIndex>(rebuild.to().nodes().size()));
  std::vector<ValueIndex> now(graph->values().size(), kNoIndex);
  for (auto& [value, tensor] : graph->symbols) now[value] = rebuild.at(value);
  std::vector<GraphQuestion> questions = std::move(graph->questions);
  auto symbols = std::move(graph->symbols);
  for (GraphQuestion& question : questions)
    question = moved(std::move(question), now, before[question.after]);
  for (auto& [value, tensor] : symbols) value = now[value];
  *graph = rebuild.finish();
  graph->questions = std::move(questions);
  graph->symbols = std::move(symbols);
}

TracedGraph Trace::finish(std::span<const Tensor> results, const Location& location) {
  for (const Tensor& result : results) state_->graph->results.push_back(state_->value_of(result, location));
  close();
  state_->merge_saving();
  return {state_->graph, std::move(state_->parameters), std::move(state_->closures)};
}

InitScope::InitScope() : trace_(current_trace()) {
  interceptors_.swap(state().interceptors);
  set_current_trace(nullptr);
}

InitScope::~InitScope() {
  state().interceptors.swap(interceptors_);
  set_current_trace(trace_);
}

}  // namespace tapescope
