// Running graphs, in planned buffers or, for the debugger, in tensors apart.
#include "engine/graph/executor.h"

#include <fmt/format.h>

#include "engine/core/pool.h"
#include "engine/debug/gate.h"
#include "engine/gate/op_record.h"
#include "engine/gate/state.h"
#include "engine/graph/fused.h"
#include "engine/graph/looks.h"
#include "engine/ops/creation.h"

namespace tapescope {
namespace {

// Whether a value's tensor is another one at each run, so that operands are bound again.
bool changes(const GraphValue& value, const ValuePlan& plan, ValueIndex index) {
  if (value.kind == ValueKind::parameter) return true;
  return plan.root == index && (plan.storage == Storage::fresh || plan.storage == Storage::made);
}

// What the debugger sees at a node: its operands, as at an eager op.
class NodeFrame : public FrameSource {
 public:
  NodeFrame(OpInputs inputs, std::span<const Tensor> outputs, const Attrs& attrs)
      : inputs_(inputs), outputs_(outputs), attrs_(attrs) {}
  void describe(Frame& frame) const override {
    frame.attrs = attrs_;
    for (TensorImpl* input : inputs_)
      frame.inputs.push_back({std::string(name_text(input->name)), Tensor::share(input)});
    for (const Tensor& output : outputs_) frame.outputs.push_back({std::string(output.name()), output});
  }

 private:
  OpInputs inputs_;
  std::span<const Tensor> outputs_;
  const Attrs& attrs_;
};

// New ids, consecutive as those of every op; what a kernel made alone has its own.
void name_outputs(bool makes, std::span<Tensor> outputs) {
  if (makes && outputs.size() == 1) return;
  const TensorId first = next_tensor_ids(static_cast<int>(outputs.size()));
  for (std::size_t i = 0; i < outputs.size(); ++i) outputs[i].impl()->id = first + i;
}

constexpr auto kInGraph = static_cast<std::uint32_t>(TapeAnswer::in_graph);

// Whether the debugger stops at the node itself. What a call in the graph runs has separate nodes.
bool is_of_step(const ThreadState& ts, const GraphNode& node) {
  static const OpNameId call = intern_op_name("PartitionedCall");
  return ts.step_call && node.op->id != call;
}

void make_outputs(const Graph& graph, const GraphNode& node, std::span<Tensor> outputs) {
  for (std::uint32_t i = 0; i < node.outputs && !(node.op->flags & OpDef::kMakesOutputs); ++i)
    outputs[i] = Tensor(new_tensor(graph.value(node.first_output + i).type));
}

// Gives outputs their ids, and the names that the graph has for them.
void name_outputs(const Graph& graph, const GraphNode& node, std::span<Tensor> outputs) {
  name_outputs(node.op->flags & OpDef::kMakesOutputs, outputs);
  for (std::uint32_t i = 0; i < node.outputs; ++i) {
    if (const NameId name = graph.value(node.first_output + i).name) outputs[i].impl()->name = name;
  }
}

// Runs the members of a fused node one by one: each is a place inside the node.
void run_parts(DebugGate& gate, const Graph& parts, bool backward, OpInputs inputs,
               std::span<Tensor> outputs) {
  std::vector<Tensor> tensors(parts.values().size());
  for (std::size_t i = 0; i < inputs.size(); ++i) tensors[parts.parameters()[i]] = Tensor::share(inputs[i]);
  std::vector<TensorImpl*> operands;
  for (const GraphNode& node : parts.nodes()) {
    operands.clear();
    for (const ValueIndex input : parts.inputs(node)) operands.push_back(tensors[input].impl());
    const std::span<Tensor> made(tensors.data() + node.first_output, node.outputs);
    make_outputs(parts, node, made);
    KernelContext context{operands, made, node.attrs};
    node.op->kernel(context);
    name_outputs(parts, node, made);
    gate.arrive({.backward = backward || (node.flags & GraphNode::kBackward),
                 .inside = true,
                 .op = node.op->id,
                 .output = made[0].id(),
                 .site = intern_site(node.location, node.scope)},
                NodeFrame(operands, made, node.attrs));
  }
  for (std::size_t r = 0; r < outputs.size(); ++r) outputs[r] = tensors[parts.results[r]];
}

// Writes the node's record; its time began where the last one's ended.
void record_node(ThreadState& ts, const GraphNode& node, SiteId site, OpInputs inputs,
                 std::span<const Tensor> outputs) {
  const Ticks begin = ts.last_ticks, end = ticks();
  ts.last_ticks = end;
  const bool backward = (node.flags & GraphNode::kBackward) || ts.backward_depth;
  const bool silenced = (node.flags & GraphNode::kSilenced) || ts.silenced;
  const auto flags =
      static_cast<std::uint8_t>((backward ? OpRecord::kBackward : 0) | (silenced ? OpRecord::kSilenced : 0));
  write_op_record(ts, *node.op, inputs, outputs,
                  {site, flags, is_of_step(ts, node) ? kInGraph : 0u, begin, end});
}

}  // namespace

// Everything of a run that the next one uses again. A run has one to itself.
struct Executable::State {
  enum class Kind : std::uint8_t { kernel, view, makes, random };
  struct Step {
    void (*kernel)(KernelContext&);
    const Attrs* attrs;
    Attrs* key;  // of a random node: the same, to be given the next key
    TensorImpl** inputs;
    Tensor* outputs;
    std::uint32_t input_count, output_count;
    NodeIndex node;
    std::uint32_t releases;  // made values that nothing needs after it
    const ValueIndex* released;
    Kind kind;
  };

  Tensor nothing;                              // what the planned tensors' heads are views of
  std::vector<Tensor> tensors;                 // by value; fresh and made ones only while it runs
  std::vector<TensorImpl*> operands;           // of all nodes
  std::vector<Step> steps;                     // all nodes
  std::vector<Step> quick;                     // those that have something to do
  std::vector<std::uint32_t> first_use, uses;  // of values that change, into operands
  std::vector<ValueIndex> fresh, made, slab_values, released;
  std::vector<Attrs> random_attrs;
  PoolBlock slab{};
  char* placed = nullptr;  // the address the planned tensors point into

  void bind(ValueIndex value, TensorImpl* impl) {
    for (std::uint32_t u = first_use[value]; u < first_use[value + 1]; ++u) operands[uses[u]] = impl;
  }

  // A tensor that a kernel made as a view of a planned input (a called function that returns its argument)
  // would be overwritten when that input's place is used again: it gets its own elements.
  void keep_apart(Tensor& made, std::int64_t slab_bytes) const {
    const char* data = static_cast<const char*>(made.raw());
    if (data < placed || data >= placed + slab_bytes || made.bytes() == 0) return;
    made = make_from_bytes(made.dtype(), made.shape(), data);
  }
};

// A state for the time of a run; what a kernel that throws leaves behind is let go of.
class Executable::Turn {
 public:
  explicit Turn(Executable& owner) : owner_(owner) {
    {
      std::lock_guard lock(owner.mutex_);
      if (!owner.idle_.empty()) {
        state_ = std::move(owner.idle_.back());
        owner.idle_.pop_back();
      }
    }
    if (!state_) state_ = owner.make_state();
    if (owner.plan_.slab_bytes > 0) {
      state_->slab = pool_acquire(static_cast<std::size_t>(owner.plan_.slab_bytes));
      if (state_->slab.memory != state_->placed) place();
    }
  }
  ~Turn() {
    for (const ValueIndex value : state_->fresh) state_->tensors[value] = Tensor();
    for (const ValueIndex value : state_->made) state_->tensors[value] = Tensor();
    if (state_->slab.memory) pool_release(state_->slab);
    std::lock_guard lock(owner_.mutex_);
    owner_.idle_.push_back(std::move(state_));
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  State& operator*() const { return *state_; }

 private:
  void place() {
    state_->placed = static_cast<char*>(state_->slab.memory);
    for (const ValueIndex value : state_->slab_values) {
      state_->tensors[value].impl()->data =
          state_->placed + owner_.plan_.values[owner_.plan_.values[value].root].offset;
    }
  }

  Executable& owner_;
  std::unique_ptr<State> state_;
};

Executable::Executable(std::shared_ptr<const Graph> graph, ExecutorOptions options)
    : graph_(std::move(graph)), options_(options), plan_(plan_memory(*graph_)) {
  const auto nodes = graph_->nodes();
  for (const GraphNode& node : nodes) sites_.push_back(intern_site(node.location, node.scope));
  std::vector<bool> taken(plan_.values.size(), false);
  for (const ValueIndex value : graph_->results) {
    const bool direct =
        plan_.values[value].storage == Storage::fresh && plan_.values[value].root == value && !taken[value];
    taken[value] = true;
    results_.push_back({value, plan_.values[value].root, direct});
  }
  std::vector<std::uint32_t> counts(nodes.size() + 1, 0);
  const auto dies_after = [&](ValueIndex value) { return plan_.values[plan_.values[value].root].last; };
  const auto is_output = [&](ValueIndex value) { return graph_->value(value).kind == ValueKind::output; };
  for (ValueIndex value = 0; value < plan_.values.size(); ++value) {
    if (is_output(value) && dies_after(value) != kNoIndex) ++counts[dies_after(value) + 1];
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) counts[n + 1] += counts[n];
  first_death_ = counts;
  deaths_.resize(counts.back());
  for (ValueIndex value = 0; value < plan_.values.size(); ++value) {
    if (is_output(value) && dies_after(value) != kNoIndex) deaths_[counts[dies_after(value)]++] = value;
  }
}

Executable::~Executable() = default;

std::unique_ptr<Executable::State> Executable::make_state() const {
  auto made_state = std::make_unique<State>();
  State& s = *made_state;
  const Graph& graph = *graph_;
  const auto nodes = graph.nodes();
  const std::size_t count = graph.values().size();
  s.nothing = Tensor(new_tensor(intern_type(DType::f32, {0})));
  s.tensors.resize(count);
  for (ValueIndex value = 0; value < count; ++value) {
    const GraphValue& v = graph.value(value);
    const ValuePlan& plan = plan_.values[value];
    if (v.kind == ValueKind::capture) {
      s.tensors[value] = graph.captures()[v.source];
    } else if (v.kind == ValueKind::constant) {
      s.tensors[value] = graph.constants()[v.source];
    } else if (v.kind == ValueKind::output) {
      if (changes(v, plan, value)) {
        (plan.storage == Storage::fresh ? s.fresh : s.made).push_back(value);
        continue;
      }
      s.tensors[value] = Tensor(new_view(s.nothing.impl(), v.type, s.nothing.impl()->data));
      s.tensors[value].impl()->name = v.name;
      if (plan.storage == Storage::planned) s.slab_values.push_back(value);
      else if (s.tensors[plan.root]) s.tensors[value].impl()->data = s.tensors[plan.root].impl()->data;
    }
  }

  // Operands, and for values that change the places that name them.
  std::size_t operands = 0, random = 0;
  s.first_use.assign(count + 1, 0);
  for (const GraphNode& node : nodes) {
    operands += node.inputs;
    random += (node.op->flags & OpDef::kRandom) != 0;
    for (const ValueIndex input : graph.inputs(node)) ++s.first_use[input + 1];
  }
  for (std::size_t value = 0; value < count; ++value) s.first_use[value + 1] += s.first_use[value];
  s.operands.resize(operands);
  s.uses.resize(operands);
  s.random_attrs.reserve(random);
  std::vector<std::uint32_t> next(s.first_use.begin(), s.first_use.end() - 1);
  std::uint32_t at = 0;
  std::vector<std::uint32_t> first_release;
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const GraphNode& node = nodes[n];
    using Kind = State::Kind;
    State::Step step{node.op->kernel,
                     &node.attrs,
                     nullptr,
                     s.operands.data() + at,
                     s.tensors.data() + node.first_output,
                     node.inputs,
                     node.outputs,
                     n,
                     0,
                     nullptr,
                     Kind::kernel};
    for (const ValueIndex input : graph.inputs(node)) {
      s.operands[at] = s.tensors[input].impl();
      s.uses[next[input]++] = at++;
    }
    if (node.op->flags & OpDef::kView) step.kind = Kind::view;
    if (node.op->flags & OpDef::kMakesOutputs) step.kind = Kind::makes;
    if (node.op->flags & OpDef::kRandom) {
      step.kind = Kind::random;
      s.random_attrs.push_back(node.attrs);
      step.attrs = step.key = &s.random_attrs.back();
    }
    first_release.push_back(static_cast<std::uint32_t>(s.released.size()));
    for (std::uint32_t d = first_death_[n]; d < first_death_[n + 1]; ++d) {
      const ValuePlan& plan = plan_.values[deaths_[d]];
      if (plan.storage == Storage::made && plan.root == deaths_[d]) s.released.push_back(deaths_[d]);
    }
    step.releases = static_cast<std::uint32_t>(s.released.size()) - first_release.back();
    s.steps.push_back(step);
  }
  for (std::size_t n = 0; n < nodes.size(); ++n) s.steps[n].released = s.released.data() + first_release[n];
  for (const State::Step& step : s.steps) {
    // A view whose elements never move needs no step.
    if (step.kind == State::Kind::view && step.releases == 0) {
      const ValueIndex root = plan_.values[nodes[step.node].first_output].root;
      if (!changes(graph.value(root), plan_.values[root], root)) continue;
    }
    s.quick.push_back(step);
  }
  return made_state;
}

void Executable::check(std::span<const Tensor> parameters, std::span<Tensor> results) const {
  const auto expected = graph_->parameters();
  if (parameters.size() != expected.size() || results.size() != results_.size()) {
    fail(ErrorKind::internal, graph_->name(),
         fmt::format("expected {} parameters and {} results, got {} and {}", expected.size(), results_.size(),
                     parameters.size(), results.size()));
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Type* type = graph_->value(expected[i]).type;
    if (!parameters[i] || &parameters[i].type() != type) {
      fail(
          ErrorKind::invalid_argument, graph_->name(),
          fmt::format("parameter {} must be {} as it was traced, got {}; trace the function for the new type",
                      i, type->text(), parameters[i] ? parameters[i].type().text() : "None"));
    }
  }
}

void Executable::run(std::span<const Tensor> parameters, std::span<Tensor> results, ResultIds ids) {
  check(parameters, results);
  ThreadState& ts = tapescope::state();
  const std::uint32_t listen = ts.listen.load(std::memory_order_relaxed);
  const bool recorded = listen & kListenEvents;
  // In planned buffers values would not outlive the nodes that need them.
  const bool apart = !options_.plan || ((listen & kListenFlight) && !options_.looks) ||
                     ((listen & kListenGate) && DebugGate::bound());
  if (apart) [[unlikely]] {
    run_apart(parameters, results, recorded);
  } else {
    const Turn turn(*this);
    run_planned(*turn, parameters, results, recorded);
  }
  if (recorded && ids == ResultIds::of_nodes) return;
  const TensorId first = next_tensor_ids(static_cast<int>(results.size()));
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!results[i].impl()->extension) results[i].impl()->id = first + i;
  }
}

void Executable::hand_out(std::span<const Tensor> parameters, std::span<const Tensor> tensors,
                          std::span<Tensor> results) const {
  const auto of_value = [&](ValueIndex index) -> const Tensor& {
    const GraphValue& value = graph_->value(index);
    return value.kind == ValueKind::parameter ? parameters[value.source] : tensors[index];
  };
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Result& result = results_[i];
    const Tensor& root = of_value(result.root);
    // A tensor of the result's own, but for one that stands for something else.
    if (result.direct || root.impl()->extension) {
      results[i] = root;
      continue;
    }
    results[i] = Tensor(new_view(root.impl(), graph_->value(result.value).type, root.impl()->data));
    if (const Tensor& value = of_value(result.value)) results[i].impl()->id = value.id();
  }
}

void Executable::run_planned(State& s, std::span<const Tensor> parameters, std::span<Tensor> results,
                             bool recorded) {
  using Kind = State::Kind;
  for (std::size_t i = 0; i < parameters.size(); ++i) s.bind(graph_->parameters()[i], parameters[i].impl());
  for (const ValueIndex value : s.fresh) {
    s.tensors[value] = Tensor(new_tensor(graph_->value(value).type));
    s.bind(value, s.tensors[value].impl());
  }
  if (recorded) tapescope::state().mark_time();  // memory for results is not the first node's
  for (const State::Step& step : recorded ? s.steps : s.quick) {
    KernelContext context{{step.inputs, step.input_count}, {step.outputs, step.output_count}, *step.attrs};
    switch (step.kind) {
      case Kind::kernel: step.kernel(context); break;
      case Kind::view: step.outputs[0].impl()->data = step.inputs[0]->data; break;
      case Kind::makes: {
        step.kernel(context);
        const ValueIndex value = graph_->nodes()[step.node].first_output;
        for (std::uint32_t i = 0; i < step.output_count; ++i) {
          s.keep_apart(step.outputs[i], plan_.slab_bytes);
          s.bind(value + i, step.outputs[i].impl());
        }
        break;
      }
      case Kind::random:
        set_random_key(*step.key, next_random_key());
        step.kernel(context);
        break;
    }
    if (recorded && !is_look(graph_->nodes()[step.node])) [[unlikely]] {
      name_outputs(step.kind == Kind::makes, context.outputs);
      record_node(tapescope::state(), graph_->nodes()[step.node], sites_[step.node], context.inputs,
                  context.outputs);
    }
    for (std::uint32_t i = 0; i < step.releases; ++i) s.tensors[step.released[i]] = Tensor();
  }
  hand_out(parameters, s.tensors, results);
}

void Executable::run_apart(std::span<const Tensor> parameters, std::span<Tensor> results, bool recorded) {
  ThreadState& ts = tapescope::state();
  DebugGate* gate = ts.listen.load(std::memory_order_relaxed) & kListenGate ? DebugGate::bound() : nullptr;
  const Graph& graph = *graph_;
  const auto nodes = graph.nodes();
  std::vector<Tensor> tensors(graph.values().size());
  for (ValueIndex value = 0; value < tensors.size(); ++value) {
    const GraphValue& v = graph.value(value);
    if (v.kind == ValueKind::parameter) tensors[value] = parameters[v.source];
    if (v.kind == ValueKind::capture) tensors[value] = graph.captures()[v.source];
    if (v.kind == ValueKind::constant) tensors[value] = graph.constants()[v.source];
  }
  std::vector<TensorImpl*> inputs;
  bool walks = false;  // a backward pass in the graph
  ts.mark_time();
  for (NodeIndex n = 0; n < nodes.size(); ++n) {
    const GraphNode& node = nodes[n];
    const bool backward = (node.flags & GraphNode::kBackward) || ts.backward_depth;
    if (gate && ts.step_call && backward && !walks)
      gate->arrive_between(Breakpoint::Kind::backward, {}, NodeFrame({}, {}, node.attrs));
    walks = backward;
    const std::span<Tensor> outputs(tensors.data() + node.first_output, node.outputs);
    inputs.clear();
    for (const ValueIndex input : graph.inputs(node)) inputs.push_back(tensors[input].impl());
    Attrs attrs = node.attrs;
    if (node.op->flags & OpDef::kRandom) set_random_key(attrs, next_random_key());
    KernelContext context{inputs, outputs, attrs};
    if (node.op->flags & OpDef::kView) {
      outputs[0] = Tensor(new_view(inputs[0], graph.value(node.first_output).type, inputs[0]->data));
    } else {
      const Graph* const parts = gate ? parts_of(node) : nullptr;
      if (parts && gate->may_stop_inside(parts->nodes().size())) {
        run_parts(*gate, *parts, backward, inputs, outputs);
      } else {
        make_outputs(graph, node, outputs);
        node.op->kernel(context);
        if (parts) gate->pass_inside(parts->nodes().size());
      }
    }
    if (is_look(node)) continue;
    name_outputs(graph, node, outputs);
    if (recorded) record_node(ts, node, sites_[n], inputs, outputs);
    if (ts.in_flight()) ts.flight.ran(inputs, outputs);
    if (gate && node.outputs > 0) {
      gate->arrive({.backward = backward,
                    .inside = !is_of_step(ts, node),
                    .op = node.op->id,
                    .output = outputs[0].id(),
                    .site = sites_[n]},
                   NodeFrame(inputs, outputs, attrs));
      ts.mark_time();
    }
    for (std::uint32_t d = first_death_[n]; d < first_death_[n + 1]; ++d) tensors[deaths_[d]] = Tensor();
  }
  hand_out(parameters, tensors, results);
}

}  // namespace tapescope
