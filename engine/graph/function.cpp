// Dispatch of calls to traces, and tracing.
#include "engine/graph/function.h"

#include <algorithm>
#include <list>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/events/function_records.h"
#include "engine/events/gate.h"
#include "engine/events/lasting.h"
#include "engine/graph/function_trace.h"
#include "engine/graph/trace_type.h"
#include "engine/ops/state.h"

namespace tapescope {
namespace {

constinit thread_local NameId t_context = 0;
constinit bool g_run_eagerly = false;

// Decisions are remembered for so many kinds of calls, as TensorFlow does; then they are worked out anew.
constexpr std::size_t kMaxDecisions = 1024;

// Breakpoints for a function that was traced again stop before its call.
void stop_at_retrace(const Location& at) {
  struct Nothing : FrameSource {
    void describe(Frame&) const override {}
  };
  DebugGate* gate = DebugGate::bound();
  if (!gate) return;
  gate->arrive({.before_backward = true,
                .op = intern_op_name("PartitionedCall"),
                .site = intern_site(at, state().scope)},
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
  // One counted trace: what it accepts, and its graphs by the concrete key of the calls they were made for.
  struct Cached {
    NameId context = 0;
    std::vector<TraceType> types;
    std::unordered_map<Key, std::shared_ptr<FunctionTrace>, KeyHash> graphs;
    std::uint32_t id = 0;
    std::uint64_t used = 0;  // number of the call that used it last
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
  std::uint64_t calls = 0;
  std::uint32_t next_trace = 1;
  LastingRecord made;

  std::vector<Value> fitted(std::vector<Value> arguments, const Location& at) const;
  Key key_of(const std::vector<Value>& arguments) const;
  Decision decide(const Key& key, const std::vector<Value>& arguments, std::uint8_t flags, const Location& at);
  Cached* find(const std::vector<TraceType>& types);
  Cached& add_trace(std::vector<TraceType> types);
  std::shared_ptr<FunctionTrace> trace(const Key& key, const std::vector<Value>& arguments, bool first, const Location& at);
  std::string argument_name(std::size_t index, const Value& value) const;
  void note_call(std::uint8_t flags, Ticks spent, const Cached& trace, const Location& at) const;
  void note_arguments(const Cached& trace, const std::vector<TraceType>& call, const std::vector<Value>& arguments) const;
};

FunctionCore::FunctionCore(std::string name, Body body, FunctionOptions options, std::uint64_t mark, Location location)
    : state_(std::make_shared<State>()) {
  static std::atomic<std::uint32_t> next{1};
  State& s = *state_;
  s.name = std::move(name);
  s.body = std::move(body);
  s.options = std::move(options);
  s.location = location;
  s.id = next.fetch_add(1, std::memory_order_relaxed);
  ThreadState& ts = state();
  const Record made{.kind = RecordKind::function_made,
                    .a = static_cast<std::uint8_t>((s.options.reduce_retracing ? FunctionFlags::kRelaxes : 0) |
                                                   (s.options.input_signature ? FunctionFlags::kSignature : 0)),
                    .b = s.id,
                    .x = intern_site(location, ts.scope),
                    .y = intern_name(s.name),
                    .z = mark | 1};
  ts.note(made);
  s.made.keep(made);
}

FunctionCore::~FunctionCore() = default;

std::size_t FunctionCore::tracing_count() const { return state_->traced; }
const std::string& FunctionCore::name() const { return state_->name; }

std::string FunctionCore::State::argument_name(std::size_t index, const Value& value) const {
  if (index < options.arguments.size()) return options.arguments[index];
  if (options.input_signature && index < options.input_signature->size() && !(*options.input_signature)[index].name.empty()) {
    return (*options.input_signature)[index].name;
  }
  if (value.kind() == Value::Kind::tensor && !value.tensor().name().empty()) return std::string(value.tensor().name());
  if (value.kind() == Value::Kind::variable) return std::string(value.variable().name());
  return fmt::format("argument {}", index + 1);
}

// Arguments as the signature wants them: host values become tensors of its dtypes.
std::vector<Value> FunctionCore::State::fitted(std::vector<Value> arguments, const Location& at) const {
  if (!options.input_signature) return arguments;
  const std::vector<TensorSpec>& specs = *options.input_signature;
  if (arguments.size() != specs.size()) {
    fail(ErrorKind::type, name, fmt::format("got {} arguments, expected the {} of its input signature", arguments.size(), specs.size()), &at);
  }
  for (std::size_t i = 0; i < specs.size(); ++i) {
    TraceType wanted = TypeReader::of_spec(specs[i]);
    Value given = to_tensor(arguments[i], specs[i].dtype);
    TypeReader::ObjectNames none;
    const TraceType type = TypeReader(none).type_of(given);
    if (!wanted.accepts(type)) {
      fail(ErrorKind::type, name,
           fmt::format("argument '{}' does not fit the input signature: expected {} {}, got {} {}; convert it, or widen the signature",
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
    for (std::size_t i = 0; i < types.size(); ++i) types[i] = TypeReader::of_spec((*options.input_signature)[i]);
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
    const auto oldest = std::min_element(traces.begin(), traces.end(), [](const Cached& a, const Cached& b) { return a.used < b.used; });
    note_message(fmt::format("function '{}' has {} traces, its limit: the one not used since call {} is dropped, and calls "
                             "like that will be traced again; raise max_traces or give tensors instead of numbers",
                             name, traces.size(), oldest->used),
                 1, location);
    std::erase_if(decisions, [&](const auto& entry) { return entry.second.trace == &*oldest; });
    traces.erase(oldest);
  }
  traces.push_back({.context = t_context, .types = std::move(types), .graphs = {}, .id = next_trace++, .used = calls});
  return traces.back();
}

std::shared_ptr<FunctionTrace> FunctionCore::State::trace(const Key& key, const std::vector<Value>& arguments, bool first,
                                                          const Location& at) {
  if (std::find(in_progress.begin(), in_progress.end(), key) != in_progress.end()) {
    fail(ErrorKind::runtime, name,
         "calls itself with the same kind of arguments while it is traced, which would never end: both ways of a "
         "condition on a tensor are traced; let the recursion depend on a number",
         &at);
  }
  in_progress.push_back(key);
  struct Pop {
    std::vector<Key>& stack;
    ~Pop() { stack.pop_back(); }
  } pop{in_progress};
  std::vector<std::string> names;
  for (std::size_t i = 0; i < arguments.size(); ++i) names.push_back(argument_name(i, arguments[i]));
  auto made = trace_function(name, body, arguments, names, options.optimize, at);
  if (made->variables_made == 0) return made;
  if (!first) {
    fail(ErrorKind::value, name,
         "made a variable on a call that is not its first: a function makes its variables once, before or on the first "
         "call; make them outside, or keep them and make them only where they are absent",
         &at);
  }
  ++traced;
  made = trace_function(name, body, arguments, names, options.optimize, at);
  if (made->variables_made > 0) {
    fail(ErrorKind::value, name,
         "makes a variable each time it is traced, so every call would have another one; make it outside, or keep it "
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
    const auto known = cached->graphs.find(key);
    // Another shape under a relaxed trace: a graph of its own, which does not count.
    if (known == cached->graphs.end()) {
      cached->graphs.emplace(key, trace(key, arguments, false, at));
      decision.graph = cached->graphs.at(key).get();
    } else {
      decision.graph = known->second.get();
    }
    note_call(flags, 0, *cached, at);
  } else {
    const Ticks begin = ticks();
    const bool first = traced == 0 && in_progress.empty();
    auto made = trace(key, arguments, first, at);
    ++traced;
    cached = &add_trace(types);
    decision = {cached, made.get()};
    const Ticks spent = ticks() - begin;
    if (made->repeated) {
      note_call(static_cast<std::uint8_t>(flags | FunctionCallFlags::kTraced | FunctionCallFlags::kRepeated), 0, *cached, at);
    }
    note_call(flags | FunctionCallFlags::kTraced, spent, *cached, at);
    note_arguments(*cached, types, arguments);
    if (!first && flags == 0) stop_at_retrace(at);
    cached->graphs.emplace(key, std::move(made));
  }
  if (decisions.size() >= kMaxDecisions) decisions.clear();
  decisions.emplace(key, decision);
  return decision;
}

void FunctionCore::State::note_call(std::uint8_t flags, Ticks spent, const Cached& trace, const Location& at) const {
  ThreadState& ts = tapescope::state();
  ts.note({.kind = RecordKind::function_call,
           .a = flags,
           .b = id,
           .x = spent,
           .y = (calls + 1) | std::uint64_t{intern_site(at, ts.scope)} << 32,
           .z = trace.id});
}

void FunctionCore::State::note_arguments(const Cached& trace, const std::vector<TraceType>& call,
                                         const std::vector<Value>& arguments) const {
  ThreadState& ts = tapescope::state();
  if ((ts.listen.load(std::memory_order_relaxed) & (kListenEvents | kListenShadow)) == 0) return;
  std::uint64_t index = 0;
  const auto note = [&](const TraceType& kept, const TraceType& given, const std::string& name, const auto& self) -> void {
    ts.note({.kind = RecordKind::trace_argument,
             .a = static_cast<std::uint8_t>(given.record_kind()),
             .b = intern_name(name),
             .x = intern_name(kept.words()) | std::uint64_t{intern_name(given.words())} << 32,
             .y = given.record_type() | (given.kind == Value::Kind::variable ? static_cast<std::uint64_t>(given.integer) << 32 : 0),
             .z = ++index});
    for (std::size_t i = 0; i < given.items.size(); ++i) {
      const std::string item = given.kind == Value::Kind::map ? fmt::format("{}['{}']", name, given.keys[i]) : fmt::format("{}[{}]", name, i);
      self(kept.items[i], given.items[i], item, self);
    }
  };
  if (t_context != 0) {
    ts.note({.kind = RecordKind::trace_argument,
             .a = static_cast<std::uint8_t>(ArgumentKind::context),
             .b = intern_name("context"),
             .x = t_context | std::uint64_t{t_context} << 32,
             .y = kNoArgumentType,
             .z = ++index});
  }
  for (std::size_t i = 0; i < call.size(); ++i) note(trace.types[i], call[i], argument_name(i, arguments[i]), note);
}

Value FunctionCore::call(std::vector<Value> arguments, const Location& location) {
  State& s = *state_;
  if (g_run_eagerly) return s.body(arguments);
  const std::shared_ptr<State> alive = state_;  // the body may drop the function
  if (s.options.input_signature) arguments = s.fitted(std::move(arguments), location);
  const State::Key key = s.key_of(arguments);
  const std::uint8_t flags = current_trace() ? FunctionCallFlags::kNested : 0;
  const auto known = s.decisions.find(key);
  State::Decision decision{};
  if (known != s.decisions.end()) {
    decision = known->second;
    if (state().listen.load(std::memory_order_relaxed) & kListenEvents) s.note_call(flags, 0, *decision.trace, location);
  } else {
    decision = s.decide(key, arguments, flags, location);
  }
  decision.trace->used = ++s.calls;
  return decision.graph->call(arguments, location);
}

struct ConcreteFunction::State {
  std::string name;
  std::vector<TraceType> types;
  std::shared_ptr<FunctionTrace> trace;
};

ConcreteFunction FunctionCore::get_concrete_function(std::vector<Value> arguments, const Location& location) {
  State& s = *state_;
  for (Value& argument : arguments) {
    // A graph is of known shapes; what an open dimension holds shows at the first call.
    if (argument.kind() != Value::Kind::spec) continue;
    const auto& dims = argument.spec().dims;
    if (!argument.spec().ranked || std::find(dims.begin(), dims.end(), TensorSpec::kAny) != dims.end()) {
      fail(ErrorKind::value, s.name,
           "a concrete function is traced for known shapes; give every dimension, or a tensor of the shape", &location);
    }
  }
  const State::Key key = s.key_of(arguments);
  const auto known = s.decisions.find(key);
  const State::Decision decision =
      known != s.decisions.end()
          ? known->second
          : s.decide(key, arguments, FunctionCallFlags::kNotCalled, location);
  ConcreteFunction concrete;
  concrete.state_ = std::make_shared<ConcreteFunction::State>();
  concrete.state_->name = s.name;
  TypeReader reader(s.objects);
  for (const Value& argument : arguments) concrete.state_->types.push_back(reader.type_of(argument));
  concrete.state_->trace = decision.graph->shared_from_this();
  return concrete;
}

Value ConcreteFunction::operator()(std::vector<Value> arguments, Location location) const {
  const State& s = *state_;
  if (arguments.size() != s.types.size()) {
    fail(ErrorKind::type, s.name, fmt::format("got {} arguments, expected {}", arguments.size(), s.types.size()), &location);
  }
  TypeReader::ObjectNames objects;
  TypeReader reader(objects);
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const TraceType given = reader.type_of(arguments[i]);
    const bool other_dtype = given.kind == s.types[i].kind && given.kind == Value::Kind::tensor && given.dtype != s.types[i].dtype;
    if (s.types[i].accepts(given)) continue;
    fail(other_dtype ? ErrorKind::invalid_argument : ErrorKind::type, s.name,
         fmt::format("argument {} of the concrete function is {} {}, expected {} {}; call the function itself, which traces again",
                     i + 1, other_dtype ? name_of(given.dtype) : "", given.words(),
                     other_dtype ? name_of(s.types[i].dtype) : "", s.types[i].words()),
         &location);
  }
  return s.trace->call(arguments, location);
}

std::string ConcreteFunction::graph_text() const { return tapescope::graph_text(state_->trace->graph()); }

void run_functions_eagerly(bool on) { g_run_eagerly = on; }

TraceContext::TraceContext(std::string_view name) : outer_(t_context) {
  t_context = intern_name(outer_ ? fmt::format("{}/{}", name_text(outer_), name) : std::string(name));
}
TraceContext::~TraceContext() { t_context = outer_; }

}  // namespace tapescope
