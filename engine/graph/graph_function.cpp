// Calls of graphs, their forward variants and gradients.
#include "engine/graph/graph_function.h"

#include <algorithm>

#include <fmt/format.h>

#include "engine/gate/after.h"
#include "engine/gate/densify.h"
#include "engine/graph/flow_saving.h"
#include "engine/graph/gradient_graph.h"
#include "engine/ops/slices.h"
#include "engine/ops/tensor_list.h"
#include "engine/tape/storage.h"

namespace tapescope {

void infer_call(InferContext& c) {
  const Graph& graph = *static_cast<const CallRow&>(c.op).graph;
  c.set_outputs(static_cast<int>(graph.results.size()));
  for (std::size_t r = 0; r < graph.results.size(); ++r) {
    c.out(static_cast<int>(r), graph.value(graph.results[r]).type);
  }
}

namespace {

// Saves the last `saved` outputs and nothing else; one bit stands for all beyond the fifteenth.
std::uint32_t saves_of(std::size_t results, std::size_t saved) {
  std::uint32_t bits = 0;
  for (std::size_t i = results - saved; i < results; ++i)
    bits |= OpDef::out_bit(static_cast<int>(std::min<std::size_t>(i, 15)));
  return bits;
}

constinit thread_local GraphOwner t_owner;

// Whose graph runs on the thread. Branches and bodies of loops, which no function owns, belong to the one
// that runs them.
class Owning {
 public:
  explicit Owning(GraphOwner owner) : outer_(t_owner) {
    if (owner.function != 0) t_owner = owner;
  }
  ~Owning() { t_owner = outer_; }
  Owning(const Owning&) = delete;
  Owning& operator=(const Owning&) = delete;
  GraphOwner owner() const { return t_owner; }

 private:
  GraphOwner outer_;
};

}  // namespace

GraphFunction::GraphFunction(TracedGraph traced, const OptimizeOptions& options, std::size_t saved,
                             GraphOwner owner)
    : traced_(std::move(traced)),
      saved_(saved),
      holds_tape_(asks(graph())),
      updates_(!last_assignments(graph(), static_cast<NodeIndex>(graph().nodes().size())).empty()),
      options_(options),
      owner_(owner),
      fixed_(traced_.closures) {
  const Graph& g = *traced_.graph;
  fixed_.insert(fixed_.end(), g.captures().begin(), g.captures().end());
  row_.name = "PartitionedCall";
  row_.infer = infer_call;
  row_.kernel = [](KernelContext& c) {
    auto* self = reinterpret_cast<GraphFunction*>(c.attrs.object);
    std::vector<Tensor> parameters;
    for (std::size_t p = 0; p < self->graph().parameters().size(); ++p)
      parameters.push_back(Tensor::share(c.inputs[p]));
    self->run(parameters, c.outputs);
  };
  row_.vjp = [](VjpContext& c) { static_cast<const CallRow&>(c.op()).function->backward(c); };
  row_.saves = saves_of(g.results.size(), saved);
  row_.flags = OpDef::kMakesOutputs | OpDef::kAbsentGradients;
  row_.doc = "The results of a traced function's graph for its arguments and captures.";
  row_.id = intern_op_name(row_.name);
  row_.graph = traced_.graph.get();
  row_.function = this;
}

std::size_t GraphFunction::run(std::span<const Tensor> parameters, std::span<Tensor> results) {
  const Owning owning(owner_);
  const bool looks = holds_tape_ && state().in_flight() && can_look(options_);
  std::call_once(made_, [&] {
    auto optimized = std::make_shared<Graph>(graph());
    note_optimization(optimize(*optimized, options_), owning.owner());
    if (!looks) loops_.begin(optimized, options_.compiled, owning.owner());
    executable_ = std::make_unique<Executable>(std::move(optimized));
  });
  if (looks) [[unlikely]] {
    std::call_once(looking_made_, [&] {
      auto looking = std::make_shared<Graph>(with_looks(graph()));
      optimize(*looking, options_);
      loops_.begin(looking, options_.compiled, owning.owner());
      looking_ = std::make_unique<Executable>(std::move(looking), ExecutorOptions{.looks = true});
      early_reads_ = early_reads(graph());
    });
    const LookedRun run(graph(), early_reads_, parameters);
    looking_->run(parameters, results);
  } else {
    executable_->run(parameters, results);
  }
  loops_.update();
  return executable_->graph().nodes().size();
}

namespace {

// Tapes are the only listeners there are.
TapeStorage& storage_of(TapeListener* tape) { return static_cast<TapeStorage&>(*tape); }

// TensorFlow has every tape watch the trainable variables that a function takes or captured, read or not.
void tell_of_variables(const std::vector<TapeListener*>& tapes, OpInputs inputs, const Location& location) {
  for (TensorImpl* input : inputs) {
    if (input->type->dtype != DType::resource) continue;
    const Tensor handle = Tensor::share(input);
    const auto is_new = [&](TapeListener* tape) { return storage_of(tape).find(handle) == kNoValue; };
    if (std::none_of(tapes.begin(), tapes.end(), is_new)) continue;
    const Variable variable = Variable::of_handle(handle);
    if (!variable) continue;
    for (TapeListener* tape : tapes) tape->variable_read(handle, variable.trainable(), location);
  }
}

}  // namespace

GraphFunction::Recorders GraphFunction::recorders(OpInputs inputs, const Location& location) {
  ThreadState& ts = state();
  if (!ts.accumulators.empty()) return {Order::higher, InputSet(inputs.size(), true)};
  Recorders found{Order::none, InputSet(inputs.size())};
  if (ts.tapes.empty() || ts.silenced != 0) return found;
  tell_of_variables(ts.tapes, inputs, location);
  for (TapeListener* tape : ts.tapes) {
    if (Trace::is_outside(tape)) continue;
    const TapeStorage& storage = storage_of(tape);
    bool any = false;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      if (!storage.would_record(inputs.subspan(i, 1))) continue;
      found.followed.insert(i);
      any = true;
    }
    if (any) found.order = found.order == Order::none && !storage.persistent ? Order::first : Order::higher;
  }
  return found;
}

std::size_t GraphFunction::call(std::span<const Tensor> parameters, std::span<Tensor> results,
                                const Location& location) {
  std::vector<Tensor> dense;
  if (std::any_of(parameters.begin(), parameters.end(), is_indexed_slices)) {
    // A graph's parameters have all their rows.
    for (const Tensor& parameter : parameters) {
      dense.push_back(is_indexed_slices(parameter) ? densify(parameter, row_.name, location) : parameter);
    }
    parameters = dense;
  }
  ThreadState& ts = state();
  const std::uint32_t listen = ts.listen.load(std::memory_order_relaxed);
  constexpr std::uint32_t kWatched = kListenTapes | kListenEvents | kListenForward;
  if (ts.interceptors.empty() && (listen & kWatched) == 0 && traced_.closures.empty()) {
    return run(parameters, results);
  }
  std::vector<TensorImpl*> inputs;
  inputs.reserve(parameters.size() + fixed_.size());
  for (const Tensor& parameter : parameters) inputs.push_back(parameter.impl());
  for (const Tensor& fixed : fixed_) inputs.push_back(fixed.impl());
  for (const TensorImpl* input : inputs) check_in_reach(input, graph().name(), location);

  const Recorders recording = recorders(inputs, location);
  GraphFunction& target =
      recording.order == Order::none ? *this : forward(recording.order, recording.followed);
  Attrs attrs;
  attrs.object = reinterpret_cast<std::uint64_t>(&target);
  TensorList outputs;
  std::size_t nodes = 0;
  if (ts.interceptors.empty() ||
      !ts.interceptors.back()->apply(target.row_, inputs, attrs, location, outputs)) {
    outputs.resize(static_cast<int>(target.graph().results.size()));
    std::vector<Tensor> all;
    if (!traced_.closures.empty()) {
      all.assign(parameters.begin(), parameters.end());
      all.insert(all.end(), traced_.closures.begin(), traced_.closures.end());
      parameters = all;
    }
    nodes = target.run(parameters, outputs.span());
    call_ran({target.row_, inputs, attrs, location, outputs.span()}, 0);
  }
  if (&target != this) {
    for (TapeListener* tape : ts.tapes) storage_of(tape).hold(target.shared_from_this());
  }
  std::copy_n(outputs.span().begin(), results.size(), results.begin());
  return nodes;
}

namespace {

// What the gradient reads of the forward part; for higher orders also what gradients of those values read,
// and so on.
std::vector<ValueIndex> values_to_save(const TracedGraph& traced, GraphFunction::Order order,
                                       std::vector<bool> wanted) {
  const Graph& g = *traced.graph;
  const std::size_t parameters = g.parameters().size();
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const DType dtype =
        i < parameters ? g.value(g.parameters()[i]).type->dtype : g.captures()[i - parameters].dtype();
    wanted[i] = wanted[i] && is_trainable(dtype);
  }
  std::vector<ValueIndex> saved;
  while (true) {
    TracedGraph wider = traced;
    wider.graph = std::make_shared<Graph>(g);
    wider.graph->results.insert(wider.graph->results.end(), saved.begin(), saved.end());
    std::vector<std::uint32_t> results;
    for (std::uint32_t r = 0; r < wider.graph->results.size(); ++r) {
      const Type& type = *g.value(wider.graph->results[r]).type;
      if (is_floating(type.dtype) || is_list(type)) results.push_back(r);
    }
    const std::size_t before = saved.size();
    for (const ValueIndex value :
         gradient_graph(wider, "__backward_" + g.name(), results, wanted, std::nullopt).saved) {
      if (std::find(saved.begin(), saved.end(), value) == saved.end()) saved.push_back(value);
    }
    if (order == GraphFunction::Order::first || saved.size() == before) return saved;
  }
}

}  // namespace

GraphFunction& GraphFunction::forward(Order order) {
  return forward(order, InputSet(graph().parameters().size() + graph().captures().size(), true));
}

GraphFunction& GraphFunction::forward(Order order, const InputSet& wanted) {
  for (const Forward& known : forwards_) {
    if (known.order == order && known.wanted == wanted) return *known.function;
  }
  TracedGraph traced = with_saving_flow(traced_, order);
  const std::vector<ValueIndex> saved = values_to_save(traced, order, wanted.flags());
  traced.graph = std::make_shared<Graph>(traced.graph->renamed("__forward_" + graph().name()));
  traced.graph->results.insert(traced.graph->results.end(), saved.begin(), saved.end());
  const auto variant = std::make_shared<GraphFunction>(std::move(traced), options_, saved.size(), owner_);
  forwards_.push_back({order, wanted, variant});
  return *variant;
}

const GraphFunction::Backward& GraphFunction::backward_for(const InputSet& given, const InputSet& wanted) {
  for (const KnownBackward& known : backwards_) {
    if (known.given == given && known.wanted == wanted) return *known.backward;
  }
  const Graph& g = graph();
  std::vector<std::uint32_t> results;
  for (std::uint32_t r = 0; r < g.results.size(); ++r) {
    if (given.contains(r)) results.push_back(r);
  }
  const std::vector<ValueIndex> saved(g.results.end() - static_cast<std::ptrdiff_t>(saved_), g.results.end());
  GradientGraph gradient = gradient_graph(traced_, "__backward_" + g.name(), results, wanted.flags(), saved);
  Backward made;
  made.cotangents = results;
  made.inputs = gradient.inputs;
  made.rows = gradient.rows;
  if (gradient.graph) {
    TracedGraph traced{std::move(gradient.graph), {}, {}};
    for (const ValueIndex parameter : traced.graph->parameters()) {
      // Only a parameter's type matters to a replay.
      traced.parameters.push_back(make_symbol(traced.graph->value(parameter).type, nullptr, parameter));
    }
    for (const ValueIndex value : gradient.saved) {
      const auto at = std::find(saved.begin(), saved.end(), value) - saved.begin();
      made.saved.push_back(
          static_cast<std::uint32_t>(g.results.size() - saved_ + static_cast<std::size_t>(at)));
    }
    made.function = std::make_shared<GraphFunction>(std::move(traced), options_, 0, owner_);
  }
  backwards_.push_back({given, wanted, std::make_unique<const Backward>(std::move(made))});
  return *backwards_.back().backward;
}

void GraphFunction::backward(VjpContext& context) {
  InputSet given(static_cast<std::size_t>(context.output_count())),
      wanted(static_cast<std::size_t>(context.input_count()));
  for (int r = 0; r < context.output_count(); ++r) {
    if (context.grad(r)) given.insert(static_cast<std::size_t>(r));
  }
  for (int i = 0; i < context.input_count(); ++i) {
    if (context.needs(i)) wanted.insert(static_cast<std::size_t>(i));
  }
  const Backward& with = backward_for(given, wanted);
  if (!with.function) return;
  std::vector<Tensor> parameters;
  for (const std::uint32_t r : with.saved) parameters.push_back(context.out(static_cast<int>(r)));
  for (const std::uint32_t r : with.cotangents) parameters.push_back(context.grad(static_cast<int>(r)));
  std::vector<Tensor> results(with.function->graph().results.size());
  with.function->call(parameters, results, Location::current());
  std::size_t next = 0;
  for (std::size_t i = 0; i < with.inputs.size(); ++i) {
    Tensor cotangent = std::move(results[next++]);
    if (with.rows[i]) cotangent = make_slices(std::move(cotangent), std::move(results[next++]), with.rows[i]);
    context.set(static_cast<int>(with.inputs[i]), std::move(cotangent));
  }
}

}  // namespace tapescope
