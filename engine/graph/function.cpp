// Dispatch of calls to traces, and tracing.
#include "engine/graph/function.h"

#include <algorithm>
#include <list>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/debug/gate.h"
#include "engine/events/lasting.h"
#include "engine/events/noted_since.h"
#include "engine/events/records/functions.h"
#include "engine/events/records/gradients.h"
#include "engine/gate/state.h"
#include "engine/graph/function_trace.h"
#include "engine/graph/trace_type.h"
#include "engine/program.h"

namespace tapescope {
namespace {

constinit thread_local NameId t_context = 0;
constinit bool g_run_eagerly = false;

// Decisions are remembered for so many kinds of calls, as TensorFlow does; then they are worked out again.
constexpr std::size_t kMaxDecisions = 1024;

// Breakpoints for a function that was traced again stop before its call.
void stop_at_retrace(const Location& at) {
  struct Nothing : FrameSource {
    void describe(Frame&) const override {}
  };
  DebugGate* gate = DebugGate::bound();
  if (!gate) return;
  gate->arrive_between(Breakpoint::Kind::retrace,
                       {.op = intern_op_name("PartitionedCall"), .site = intern_site(at, state().scope)},
                       Nothing());
}

struct KeyHash {
  std::size_t operator()(const std::vector<std::uint64_t>& key) const {
    std::uint64_t hash = key.size();
    for (const std::uint64_t word : key) hash = (hash ^ word) * 0x9e3779b97f4a7c15u, hash ^= hash >> 32;
    return static_cast<std::size_t>(hash);
  }
};

}  // namespace

struct FunctionCore::State : std::enable_shared_from_this<FunctionCore::State> {
  using Key = std::vector<std::uint64_t>;
  using Graphs = std::unordered_map<Key, std::shared_ptr<FunctionTrace>, KeyHash>;
  // One counted trace: what it accepts, and its graphs by the concrete key of the calls they were made for.
  struct Cached {
    NameId context = 0;
    std::vector<TraceType> types;
    std::shared_ptr<Graphs> graphs = std::make_shared<Graphs>();  // concrete functions hold them as well
    std::uint32_t id = 0;
    std::uint64_t used = 0;            // number of the call that used it last
    std::list<LastingRecord> lasting;  // how it came about, for viewers that attach later
  };
  struct Decision {
    Cached* trace;
    FunctionTrace* graph;
  };

  std::string name;
  Body body;
  FunctionOptions options;
  Location location;
  std::uint32_t id = 0;
  std::list<Cached> traces;  // in the order they were made
  std::unordered_map<Key, Decision, KeyHash> decisions;
  std::vector<Key> in_progress;
  TypeReader::ObjectNames objects;
  std::size_t traced = 0;
  bool body_ran = false;  // to its end: it may make no variables from here on
  std::uint64_t calls = 0;
  std::uint32_t next_trace = 1;
  LastingRecord made;

  std::vector<Value> fitted(std::vector<Value> arguments, const Location& at) const;
  Key key_of(const std::vector<Value>& arguments) const;
  // The graph of a trace for a concrete key, made where it is not there yet: that does not count.
  FunctionTrace* graph_for(Graphs& graphs, std::uint32_t trace_id, const Key& key,
                           const std::vector<Value>& arguments, const Location& at);
  Decision decide(const Key& key, const std::vector<Value>& arguments, std::uint8_t flags,
                  const Location& at);
  Cached* find(const std::vector<TraceType>& types);
  Cached& add_trace(std::vector<TraceType> types);
  std::shared_ptr<FunctionTrace> trace(const Key& key, const std::vector<Value>& arguments,
                                       const Location& at);
  std::shared_ptr<FunctionTrace> trace_once(const std::vector<Value>& arguments,
                                            std::span<const std::string> names, const Location& at) const;
  std::string argument_name(std::size_t index, const Value& value) const;
  FunctionCallRecord note_call(int flags, Ticks spent, std::uint32_t trace, const Location& at) const;
  // Of the call that made the trace, and what lasts of it.
  void note_trace(Cached& trace, int flags, Ticks spent, const std::vector<TraceType>& call,
                  const std::vector<Value>& arguments, const Location& at) const;
  // What the trace unrolled, in the log and in records that last as long as its graphs do.
  void note_loops(FunctionTrace& made, std::uint32_t trace) const;
};

FunctionCore::FunctionCore(std::string name, Body body, FunctionOptions options, std::uint64_t mark,
                           Location location)
    : state_(std::make_shared<State>()) {
  static std::atomic<std::uint32_t> next{1};
  State& s = *state_;
  s.name = std::move(name);
  s.body = std::move(body);
  s.options = std::move(options);
  s.location = location;
  s.id = next.fetch_add(1, std::memory_order_relaxed);
  ThreadState& ts = state();
  const FunctionMadeRecord made{
      .flags = static_cast<std::uint8_t>((s.options.reduce_retracing ? FunctionMadeRecord::kRelaxes : 0) |
                                         (s.options.input_signature ? FunctionMadeRecord::kSignature : 0)),
      .function = s.id,
      .site = intern_site(location, ts.scope),
      .name = intern_name(s.name),
      .mark = mark | 1};
  ts.note(made);
  s.made.keep(made);
}

FunctionCore::~FunctionCore() = default;

std::size_t FunctionCore::tracing_count() const { return state_->traced; }
const std::string& FunctionCore::name() const { return state_->name; }

std::string FunctionCore::State::argument_name(std::size_t index, const Value& value) const {
  if (index < options.arguments.size()) return options.arguments[index];
  if (options.input_signature && index < options.input_signature->size() &&
      !(*options.input_signature)[index].name.empty()) {
    return (*options.input_signature)[index].name;
  }
  if (value.kind() == Value::Kind::tensor && !value.tensor().name().empty())
    return std::string(value.tensor().name());
  if (value.kind() == Value::Kind::variable) return std::string(value.variable().name());
  return fmt::format("argument {}", index + 1);
}

// Arguments as the signature wants them: host values become tensors of its dtypes.
std::vector<Value> FunctionCore::State::fitted(std::vector<Value> arguments, const Location& at) const {
  if (!options.input_signature) return arguments;
  const std::vector<TensorSpec>& specs = *options.input_signature;
  if (arguments.size() != specs.size()) {
    fail(ErrorKind::type, name,
         fmt::format("got {} arguments, expected the {} of its input signature", arguments.size(),
                     specs.size()),
         &at);
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    TraceType wanted = TypeReader::of_spec(specs[i]);
    Value given = to_tensor(arguments[i], specs[i].dtype);
    TypeReader::ObjectNames none;
    const TraceType type = TypeReader(none).type_of(given);
    if (!wanted.accepts(type)) {
      fail(ErrorKind::type, name,
           fmt::format("argument '{}' does not fit the input signature: expected {} {}, got {} {}; convert "
                       "it, or widen the signature",
                       argument_name(i, given), name_of(specs[i].dtype), wanted.words(),
                       type.kind == Value::Kind::tensor ? name_of(type.dtype) : "no tensor:", type.words()),
           &at);
    }
    arguments[i] = std::move(given);
  }
  return arguments;
}

FunctionCore::State::Key FunctionCore::State::key_of(const std::vector<Value>& arguments) const {
  Key key{t_context};
  std::vector<TensorId> variables;
  for (const Value& argument : arguments) append_key(argument, variables, key);
  return key;
}

// The most specific trace that accepts the call; of several the one made first.
FunctionCore::State::Cached* FunctionCore::State::find(const std::vector<TraceType>& types) {
  const auto accepts = [](const std::vector<TraceType>& wide, const std::vector<TraceType>& narrow) {
    return std::equal(wide.begin(), wide.end(), narrow.begin(), narrow.end(),
                      [](const TraceType& a, const TraceType& b) { return a.accepts(b); });
  };
  Cached* best = nullptr;
  for (Cached& trace : traces) {
    if (trace.context != t_context || !accepts(trace.types, types)) continue;
    if (!best || (accepts(best->types, trace.types) && !accepts(trace.types, best->types))) best = &trace;
  }
  return best;
}

FunctionCore::State::Cached& FunctionCore::State::add_trace(std::vector<TraceType> types) {
  if (options.input_signature) {
    for (std::size_t i = 0; i < types.size(); ++i)
      types[i] = TypeReader::of_spec((*options.input_signature)[i]);
  } else if (options.reduce_retracing) {
    // Relaxed with every trace it can be relaxed with, one after the other.
    for (const Cached& other : traces) {
      if (other.context != t_context || other.types.size() != types.size()) continue;
      std::vector<TraceType> relaxed;
      for (std::size_t i = 0; i < types.size(); ++i) {
        auto both = types[i].relaxed_with(other.types[i]);
        if (!both) break;
        relaxed.push_back(std::move(*both));
      }
      if (relaxed.size() == types.size()) types = std::move(relaxed);
    }
  }
  if (traces.size() >= options.max_traces) {
    const auto oldest = std::min_element(traces.begin(), traces.end(),
                                         [](const Cached& a, const Cached& b) { return a.used < b.used; });
    note_message(
        fmt::format(
            "function '{}' has {} traces, its limit: the one not used since call {} is dropped, and calls "
            "like that will be traced again; raise max_traces or give tensors instead of numbers",
            name, traces.size(), oldest->used),
        1, location);
    std::erase_if(decisions, [&](const auto& entry) { return entry.second.trace == &*oldest; });
    traces.erase(oldest);
  }
  traces.push_back({.context = t_context, .types = std::move(types), .id = next_trace++, .used = calls});
  return traces.back();
}

// A viewer that attaches later gets what led to the answers of tapes inside.
std::shared_ptr<FunctionTrace> FunctionCore::State::trace_once(const std::vector<Value>& arguments,
                                                               std::span<const std::string> names,
                                                               const Location& at) const {
  const NotedSince noted(tapescope::state().writer);
  auto made = trace_function(name, body, arguments, names, options.optimize, at);
  if (current_trace()) return made;  // what is traced now has it
  std::vector<Record> records = noted.records();
  const auto asks = [](const Record& record) { return record.is<GradientAskRecord>(); };
  if (std::ranges::any_of(records, asks)) made->lasting.emplace_back().keep(std::move(records));
  return made;
}

std::shared_ptr<FunctionTrace> FunctionCore::State::trace(const Key& key, const std::vector<Value>& arguments,
                                                          const Location& at) {
  const bool first = !body_ran && in_progress.empty();
  if (std::find(in_progress.begin(), in_progress.end(), key) != in_progress.end()) {
    fail(ErrorKind::runtime, name,
         "calls itself with the same kind of arguments while it is traced, which would never end: cond() "
         "traces both of its "
         "branches; let the recursion depend on a number, or write it as a while_loop",
         &at);
  }
  in_progress.push_back(key);
  struct Pop {
    std::vector<Key>& stack;
    ~Pop() { stack.pop_back(); }
  } pop{in_progress};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < arguments.size(); ++i) names.push_back(argument_name(i, arguments[i]));
  auto made = trace_once(arguments, names, at);
  body_ran = true;
  if (made->variables_made == 0) return made;
  if (!first) {
    fail(ErrorKind::value, name,
         "made a variable on a call that is not its first: a function makes its variables once, before or on "
         "the first "
         "call; make them outside, or keep them and make them only where they are absent",
         &at);
  }
  ++traced;
  made = trace_once(arguments, names, at);
  if (made->variables_made > 0) {
    fail(ErrorKind::value, name,
         "makes a variable each time it is traced, so every call would have another one; make it outside, or "
         "keep it "
         "and make it only where it is absent",
         &at);
  }
  made->repeated = true;
  return made;
}

FunctionCore::State::Decision FunctionCore::State::decide(const Key& key, const std::vector<Value>& arguments,
                                                          std::uint8_t flags, const Location& at) {
  TypeReader reader(objects);
  std::vector<TraceType> types;
  for (const Value& argument : arguments) types.push_back(reader.type_of(argument));
  Cached* cached = find(types);
  Decision decision{cached, nullptr};
  if (cached) {
    decision.graph = graph_for(*cached->graphs, cached->id, key, arguments, at);
    note_call(flags, 0, cached->id, at);
  } else {
    const Ticks begin = ticks();
    const bool again = traced > 0 || !in_progress.empty();
    auto made = trace(key, arguments, at);
    ++traced;
    cached = &add_trace(types);
    decision = {cached, made.get()};
    made->function->set_owner({id, cached->id});
    const Ticks spent = ticks() - begin;
    if (made->repeated)
      note_call(flags | FunctionCallRecord::kTraced | FunctionCallRecord::kRepeated, 0, cached->id, at);
    note_trace(*cached, flags, spent, types, arguments, at);
    note_loops(*made, cached->id);
    cached->graphs->emplace(key, std::move(made));
    if (again && flags == 0) stop_at_retrace(at);
  }
  if (decisions.size() >= kMaxDecisions) decisions.clear();
  decisions.emplace(key, decision);
  return decision;
}

FunctionTrace* FunctionCore::State::graph_for(Graphs& graphs, std::uint32_t trace_id, const Key& key,
                                              const std::vector<Value>& arguments, const Location& at) {
  const auto known = graphs.find(key);
  if (known != graphs.end()) return known->second.get();
  auto made = trace(key, arguments, at);
  made->function->set_owner({id, trace_id});
  if (!made->lasting.empty()) {
    made->lasting.emplace_back().keep(
        FunctionCallRecord{.flags = FunctionCallRecord::kNotCalled | FunctionCallRecord::kEarlier,
                           .function = id,
                           .call = static_cast<std::uint32_t>(calls + 1),
                           .site = intern_site(at, 0),
                           .trace = trace_id});
  }
  note_loops(*made, trace_id);
  return graphs.emplace(key, std::move(made)).first->second.get();
}

FunctionCallRecord FunctionCore::State::note_call(int flags, Ticks spent, std::uint32_t trace,
                                                  const Location& at) const {
  ThreadState& ts = tapescope::state();
  const FunctionCallRecord call{.flags = static_cast<std::uint8_t>(flags),
                                .depth = static_cast<std::uint16_t>(ts.interceptors.size()),
                                .function = id,
                                .tracing = spent,
                                .call = static_cast<std::uint32_t>(calls + 1),
                                .site = intern_site(at, ts.scope),
                                .trace = trace};
  ts.note(call);
  return call;
}

void FunctionCore::State::note_trace(Cached& trace, int flags, Ticks spent,
                                     const std::vector<TraceType>& call, const std::vector<Value>& arguments,
                                     const Location& at) const {
  ThreadState& ts = tapescope::state();
  FunctionCallRecord call_record = note_call(flags | FunctionCallRecord::kTraced, spent, trace.id, at);
  call_record.flags =
      FunctionCallRecord::kTraced | FunctionCallRecord::kNotCalled | FunctionCallRecord::kEarlier;
  call_record.depth = 0;
  trace.lasting.emplace_back().keep(call_record);
  const auto note_argument = [&](const TraceArgumentRecord& argument) {
    ts.note(argument);
    trace.lasting.emplace_back().keep(argument);
  };
  std::uint64_t index = 0;
  const auto note = [&](const TraceType& kept, const TraceType& given, const std::string& name,
                        const auto& self) -> void {
    note_argument(
        {.what = given.record_kind(),
         .name = intern_name(name),
         .key = intern_name(kept.words()),
         .given = intern_name(given.words()),
         .type = given.record_type(),
         .alias = given.kind == Value::Kind::variable ? static_cast<std::uint32_t>(given.integer) : 0,
         .index = ++index});
    for (std::size_t i = 0; i < given.items.size(); ++i) {
      const std::string item = given.kind == Value::Kind::map ? fmt::format("{}['{}']", name, given.keys[i])
                                                              : fmt::format("{}[{}]", name, i);
      self(kept.items[i], given.items[i], item, self);
    }
  };
  if (t_context != 0) {
    note_argument({.what = ArgumentKind::context,
                   .name = intern_name("context"),
                   .key = t_context,
                   .given = t_context,
                   .type = kNoArgumentType,
                   .index = ++index});
  }
  for (std::size_t i = 0; i < call.size(); ++i)
    note(trace.types[i], call[i], argument_name(i, arguments[i]), note);
}

void FunctionCore::State::note_loops(FunctionTrace& made, std::uint32_t trace) const {
  if (made.loops.empty()) return;
  ThreadState& ts = tapescope::state();
  const auto nodes = made.graph().nodes().size();
  for (const UnrolledLoop& loop : made.loops) {
    note_message(loop_text(loop, name, nodes), 1, loop.location);
    const UnrolledLoopRecord record{.function = id,
                                    .trace = trace,
                                    .op = intern_name(loop.op),
                                    .site = intern_site(loop.location, 0),
                                    .rounds = loop.rounds,
                                    .nodes = loop.nodes,
                                    .trace_nodes = static_cast<std::uint32_t>(nodes)};
    ts.note(record);
    made.lasting.emplace_back().keep(record);
  }
}

Value FunctionCore::call(std::vector<Value> arguments, const Location& location) {
  State& s = *state_;
  if (g_run_eagerly) return s.body(arguments);
  const std::shared_ptr<State> alive = state_;  // the body may drop the function
  if (s.options.input_signature) arguments = s.fitted(std::move(arguments), location);
  const State::Key key = s.key_of(arguments);
  const std::uint8_t flags = current_trace() ? FunctionCallRecord::kNested : 0;
  const auto known = s.decisions.find(key);
  State::Decision decision{};
  if (known != s.decisions.end()) {
    decision = known->second;
    if (state().listen.load(std::memory_order_relaxed) & kListenEvents)
      s.note_call(flags, 0, decision.trace->id, location);
  } else {
    decision = s.decide(key, arguments, flags, location);
  }
  decision.trace->used = ++s.calls;
  return decision.graph->call(arguments, location);
}

struct ConcreteFunction::State {
  std::shared_ptr<FunctionCore::State> function;
  std::vector<TraceType> types;
  std::uint32_t trace = 0;
  std::shared_ptr<FunctionCore::State::Graphs> graphs;
};

ConcreteFunction FunctionCore::get_concrete_function(std::vector<Value> arguments, const Location& location) {
  State& s = *state_;
  if (s.options.input_signature) {
    if (arguments.empty())
      arguments.assign(s.options.input_signature->begin(), s.options.input_signature->end());
    arguments = s.fitted(std::move(arguments), location);
  }
  TypeReader reader(s.objects);
  std::vector<TraceType> types;
  for (const Value& argument : arguments) types.push_back(reader.type_of(argument));
  State::Cached* cached = nullptr;
  if (std::all_of(types.begin(), types.end(), [](const TraceType& type) { return type.is_concrete(); })) {
    const State::Key key = s.key_of(arguments);
    const auto known = s.decisions.find(key);
    cached = (known != s.decisions.end() ? known->second
                                         : s.decide(key, arguments, FunctionCallRecord::kNotCalled, location))
                 .trace;
  } else if (cached = s.find(types); !cached) {
    // A graph's values are of known shapes: the callable runs when a call brings them.
    cached = &s.add_trace(types);
    ++s.traced;
    s.note_trace(*cached, FunctionCallRecord::kNotCalled, 0, types, arguments, location);
  }
  ConcreteFunction concrete;
  concrete.state_ = std::make_shared<ConcreteFunction::State>(
      ConcreteFunction::State{state_, cached->types, cached->id, cached->graphs});
  return concrete;
}

Value ConcreteFunction::operator()(std::vector<Value> arguments, Location location) const {
  const State& s = *state_;
  FunctionCore::State& function = *s.function;
  if (arguments.size() != s.types.size()) {
    fail(ErrorKind::type, function.name,
         fmt::format("got {} arguments, expected {}", arguments.size(), s.types.size()), &location);
  }
  TypeReader reader(function.objects);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TraceType given = reader.type_of(arguments[i]);
    const bool other_dtype =
        given.kind == s.types[i].kind && given.kind == Value::Kind::tensor && given.dtype != s.types[i].dtype;
    if (s.types[i].accepts(given)) continue;
    fail(other_dtype ? ErrorKind::invalid_argument : ErrorKind::type, function.name,
         fmt::format("argument {} of the concrete function is {} {}, expected {} {}; call the function "
                     "itself, which traces again",
                     i + 1, other_dtype ? name_of(given.dtype) : "", given.words(),
                     other_dtype ? name_of(s.types[i].dtype) : "", s.types[i].words()),
         &location);
  }
  FunctionTrace* graph =
      function.graph_for(*s.graphs, s.trace, function.key_of(arguments), arguments, location);
  function.note_call(FunctionCallRecord::kConcrete | (current_trace() ? FunctionCallRecord::kNested : 0), 0,
                     s.trace, location);
  return graph->call(arguments, location);
}

std::string ConcreteFunction::signature_text() const {
  std::vector<std::string> words;
  for (const TraceType& type : state_->types) {
    words.push_back((type.kind == Value::Kind::tensor ? std::string(name_of(type.dtype)) : "") +
                    type.words());
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string ConcreteFunction::graph_text() const {
  std::string text;
  for (const auto& [key, trace] : *state_->graphs) text += tapescope::graph_text(trace->graph());
  return text;
}

void run_functions_eagerly(bool on) { g_run_eagerly = on; }

TraceContext::TraceContext(std::string_view name) : outer_(t_context) {
  t_context = intern_name(outer_ ? fmt::format("{}/{}", name_text(outer_), name) : std::string(name));
}
TraceContext::~TraceContext() { t_context = outer_; }

}  // namespace tapescope
