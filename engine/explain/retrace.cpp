// Comparing traces, and the words for what differs.
#include "engine/explain/retrace.h"

#include <algorithm>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/core/type.h"
#include "engine/explain/words.h"

namespace tapescope {
namespace {

// TensorFlow's constants.
constexpr std::uint64_t kWindow = 10;
constexpr std::size_t kTracings = 5;
constexpr int kMaxWarnings = 2;

const Type* type_of(std::uint32_t id) { return id == kNoArgumentType ? nullptr : type_with_id(id); }

// An element type that the engine lacks stands before the words of its shape: "int16[2, 3]".
std::string dtype_words(const Type* type, std::string_view words) {
  const std::string_view before = words.substr(0, words.find('['));
  if (!before.empty() && before.size() < words.size()) return std::string(before);
  return type ? std::string(name_of(type->dtype)) : std::string();
}

// The shape in words "float32[2, 3] not trainable" of a variable, "[2, 3]" of a tensor.
int first_other_dimension(std::uint32_t before, std::uint32_t after) {
  const Type* a = type_of(before);
  const Type* b = type_of(after);
  if (!a || !b || a->shape.rank() != b->shape.rank()) return -1;
  for (int d = 0; d < a->shape.rank(); ++d) {
    if (a->shape[d] != b->shape[d]) return d;
  }
  return -1;
}

std::string_view kind_word(ArgumentKind kind) {
  switch (kind) {
    case ArgumentKind::tensor: return "tensor";
    case ArgumentKind::variable: return "variable";
    case ArgumentKind::object: return "object";
    case ArgumentKind::list: return "list";
    case ArgumentKind::map: return "map";
    case ArgumentKind::none: return "None";
    default: return {};
  }
}

using Arguments = std::span<const TraceArgument>;

// A context stands first where there is one.
bool has_context(Arguments arguments) {
  return !arguments.empty() && arguments.front().kind == ArgumentKind::context;
}

Arguments without_context(Arguments arguments) {
  return arguments.subspan(has_context(arguments) ? 1 : 0);
}

// Arguments by the function's signature; parts of one are named `x[0]`, `x.key`.
std::vector<std::string_view> own_names(Arguments arguments) {
  std::vector<std::string_view> names;
  for (const TraceArgument& argument : without_context(arguments)) {
    const std::string_view name = name_text(argument.name);
    if (name.find_first_of("[.") == name.npos) names.push_back(name);
  }
  return names;
}

// The first name that one of the two lists lacks.
std::string_view lacking(const std::vector<std::string_view>& some,
                         const std::vector<std::string_view>& all) {
  for (const std::string_view name : all) {
    if (std::ranges::find(some, name) == some.end()) return name;
  }
  return {};
}

std::uint64_t trace_number(std::uint32_t function, std::uint64_t trace) {
  return std::uint64_t{function} << 32 | trace;
}

}  // namespace

bool RetraceDetector::called(bool traced_now) {
  if (!traced_now) {
    if (runs_.empty()) runs_.push_back(0);  // traced before it was called
    ++total_;
    ++runs_.back();
    return false;
  }
  ++total_;
  runs_.push_back(1);
  while (total_ - runs_.front() > kWindow) {
    total_ -= runs_.front();
    runs_.pop_front();
  }
  if (runs_.size() < kTracings || warned_ >= kMaxWarnings) return false;
  ++warned_;
  return true;
}

const FunctionLog::Made* FunctionLog::find(std::uint32_t function) const {
  const auto known = std::find_if(functions_.begin(), functions_.end(),
                                  [&](const Made& m) { return m.function == function; });
  return known == functions_.end() ? nullptr : &*known;
}

// A function without a record of its making is a separate callable.
FunctionLog::Made& FunctionLog::made(std::uint32_t function) {
  if (const Made* known = find(function)) return const_cast<Made&>(*known);
  Callable& callable = callables_.emplace_back();
  callable.name = fmt::format("function {}", function);
  return functions_.emplace_back(Made{function, callables_.size() - 1, 0, 0});
}

void FunctionLog::add(std::uint32_t thread, const Record& record) {
  switch (record.kind) {
    case GraphRecord::kKind:
      graphs_.add(thread, record, made(record.as<GraphRecord>().function).callable);
      break;
    case FusedLoopRecord::kKind:
      graphs_.add(thread, record, made(record.as<FusedLoopRecord>().function).callable);
      break;
    case LoopMemberRecord::kKind:
      graphs_.add(thread, record, made(record.as<LoopMemberRecord>().function).callable);
      break;
    case LoopCodeRecord::kKind:
      graphs_.add(thread, record, made(record.as<LoopCodeRecord>().function).callable);
      break;
    case GraphPassRecord::kKind:
    case RewriteRecord::kKind:
    case RecomputationHintRecord::kKind: graphs_.add(thread, record, 0); break;
    case FunctionMadeRecord::kKind: add_made(record.as<FunctionMadeRecord>()); break;
    case FunctionCallRecord::kKind: add_call(thread, record.as<FunctionCallRecord>()); break;
    case FunctionEndRecord::kKind: {
      const auto end = record.as<FunctionEndRecord>();
      Callable& callable = callables_[made(end.function).callable];
      ++callable.runs;
      callable.run_ticks += end.duration;
      callable.nodes = end.nodes;
      break;
    }
    case TraceArgumentRecord::kKind: {
      const auto open = open_.find(thread);
      if (open == open_.end()) break;
      const auto argument = record.as<TraceArgumentRecord>();
      callables_[open->second].traces.back().arguments.push_back({.name = argument.name,
                                                                  .kind = argument.what,
                                                                  .kept = argument.key,
                                                                  .given = argument.given,
                                                                  .type = argument.type,
                                                                  .alias = argument.alias});
      break;
    }
    case UnrolledLoopRecord::kKind: add_loop(record.as<UnrolledLoopRecord>()); break;
    default: break;
  }
}

void FunctionLog::add_made(const FunctionMadeRecord& record) {
  const std::string_view name = name_text(record.name);
  auto callable = std::find_if(callables_.begin(), callables_.end(),
                               [&](const Callable& c) { return c.mark == record.mark && c.name == name; });
  if (callable == callables_.end()) {
    callable = callables_.insert(callables_.end(), Callable{});
    callable->mark = record.mark;
    callable->name = name;
    callable->library = record.flags & FunctionMadeRecord::kLibrary;
  }
  functions_.push_back(
      {record.function, static_cast<std::size_t>(callable - callables_.begin()), record.site, record.flags});
}

void FunctionLog::add_call(std::uint32_t thread, const FunctionCallRecord& record) {
  const Made& function = made(record.function);
  Callable& callable = callables_[function.callable];
  const bool traced = record.flags & FunctionCallRecord::kTraced;
  const bool repeated = record.flags & FunctionCallRecord::kRepeated;
  const bool called =
      !repeated && !(record.flags & (FunctionCallRecord::kNotCalled | FunctionCallRecord::kConcrete));
  callable.calls += called;
  // Calls in between were not recorded. One that another function with the same callable made has a number of
  // that function.
  if (record.flags & FunctionCallRecord::kEarlier)
    callable.calls = std::max<std::uint64_t>(callable.calls + 1, record.call);
  // The detector sees what the program calls itself.
  if (called && !(record.flags & FunctionCallRecord::kNested) && callable.detector.called(traced)) {
    callable.warnings.push_back({callable.calls, callable.detector.traced(), callable.detector.calls()});
  }
  const std::uint64_t key = trace_number(record.function, record.trace);
  if (called) {
    if (const auto used = callable.trace_of.find(key); used != callable.trace_of.end())
      ++callable.traces[used->second].served;
  }
  if (!traced) return;
  callable.ticks += record.tracing;
  callable.trace_of[key] = callable.traces.size();
  callable.traces.push_back({.call = repeated ? callable.calls + 1 : callable.calls,
                             .ticks = record.tracing,
                             .function = record.function,
                             .id = static_cast<std::uint32_t>(record.trace),
                             .site = record.site,
                             .counts = !repeated,
                             .served = called,
                             .arguments = {}});
  open_[thread] = function.callable;
}

void FunctionLog::add_loop(const UnrolledLoopRecord& record) {
  Callable& callable = callables_[made(record.function).callable];
  const auto trace = std::find_if(callable.traces.begin(), callable.traces.end(), [&](const Trace& t) {
    return t.function == record.function && t.id == record.trace && t.counts;
  });
  callable.loops.push_back({.trace = record.trace,
                            .op = name_text(record.op),
                            .rounds = record.rounds,
                            .nodes = record.nodes,
                            .trace_nodes = record.trace_nodes,
                            .site = record.site,
                            .ticks = trace == callable.traces.end() ? 0 : trace->ticks});
}

const FunctionLog::Trace* FunctionLog::nearest(const std::vector<Trace>& traces, std::size_t at) {
  constexpr std::size_t kLooked = 64;  // older traces; programs that trace in each call have thousands
  const Trace& after = traces[at];
  if (!after.counts) return nullptr;
  const auto differences = [&](const Trace& before) {
    const Arguments old = without_context(before.arguments), young = without_context(after.arguments);
    const std::size_t shared = std::min(old.size(), young.size());
    std::size_t count = std::max(old.size(), young.size()) - shared;
    count += has_context(before.arguments) != has_context(after.arguments) ||
             (has_context(before.arguments) &&
              name_text(before.arguments.front().kept) != name_text(after.arguments.front().given));
    for (std::size_t i = 0; i < shared; ++i) {
      const TraceArgument &a = old[i], &b = young[i];
      count += a.name != b.name || a.kind != b.kind || a.alias != b.alias ||
               type_of(a.type) != type_of(b.type) || name_text(a.kept) != name_text(b.given);
    }
    return count;
  };
  const Trace *previous = nullptr, *found = nullptr;
  std::size_t least = 0;
  for (std::size_t i = at, looked = 0; i > 0 && looked < kLooked; --i) {
    const Trace& before = traces[i - 1];
    if (!before.counts) continue;
    ++looked;
    if (previous == nullptr) previous = &before;
    if (before.function != after.function) continue;
    const std::size_t count = differences(before);
    // One without a difference served a call like this and was given up: what it says is nothing.
    if (count != 0 && (found == nullptr || count < least)) found = &before, least = count;
  }
  // A function that was made again has no traces of this one to compare with.
  return found != nullptr && previous->function == after.function ? found : previous;
}

RetraceReason FunctionLog::reason(const Callable& callable, const Trace& before, const Trace& after) const {
  RetraceReason r;
  r.call = after.call;
  r.site = after.site;
  r.ticks = after.ticks;
  r.served = after.served;
  if (before.function != after.function) {
    const Made* function = find(after.function);
    r.kind = "new_function";
    r.argument = callable.name;
    // make_unique() and its like call the constructor in a header: that line is none of the program's.
    const bool known = function != nullptr && !is_of_standard_library(function->site);
    r.from = r.to = known ? location_text(site_with_id(function->site)) : std::string();
    r.fix = fmt::format(
        "make the function once and keep it: {} was wrapped again, and each one starts with no trace",
        callable.name);
    return r;
  }
  const auto set = [&](std::string_view kind, const TraceArgument& a, std::string from, std::string to,
                       std::string fix) {
    r.kind = kind;
    r.argument = name_text(a.name);
    r.from = std::move(from);
    r.to = std::move(to);
    r.fix = std::move(fix);
    return r;
  };
  const std::vector<std::string_view> old_names = own_names(before.arguments);
  const std::vector<std::string_view> new_names = own_names(after.arguments);
  if (old_names != new_names) {
    const std::string_view missing = lacking(new_names, old_names);
    r.kind = "structure";
    r.argument = missing.empty() ? lacking(old_names, new_names) : missing;
    r.from = fmt::format("{}", fmt::join(old_names, ", "));
    r.to = fmt::format("{}", fmt::join(new_names, ", "));
    r.fix = fmt::format(
        "give the same keyword arguments at each call, with zeros for those that are missing: the names are "
        "part of the trace, {} came or went",
        r.argument);
    return r;
  }
  const Arguments old = without_context(before.arguments), young = without_context(after.arguments);
  const std::size_t shared = std::min(old.size(), young.size());
  for (std::size_t i = 0; i < shared; ++i) {
    const TraceArgument& a = old[i];
    const TraceArgument& b = young[i];
    const std::string from(name_text(a.kept)), to(name_text(b.given));
    const std::string name(name_text(b.name));
    if (a.kind != b.kind) {
      const std::string_view a_word = kind_word(a.kind), b_word = kind_word(b.kind);
      return set("structure", b, a_word.empty() ? from : std::string(a_word),
                 b_word.empty() ? to : std::string(b_word),
                 a.kind == ArgumentKind::none || b.kind == ArgumentKind::none
                     ? fmt::format("give {} a tensor at each call, such as zeros in place of None", name)
                     : fmt::format("give {} the same kind of argument at each call", name));
    }
    const Type* a_type = type_of(a.type);
    const Type* b_type = type_of(b.type);
    const std::string a_dtype = dtype_words(a_type, from), b_dtype = dtype_words(b_type, to);
    if (a_type && b_type && a_dtype != b_dtype) {
      r.signature_avoids = false;
      return set("dtype", b, a_dtype, b_dtype, fmt::format("cast {} to {} before the call", name, a_dtype));
    }
    if (a.alias != b.alias) {
      return set("aliasing", b, from, to,
                 fmt::format("{} is the same variable as another argument in one call and not in the other; "
                             "a trace serves one of the two",
                             name));
    }
    if (from == to) continue;
    switch (b.kind) {
      case ArgumentKind::tensor: {
        r.dimension = first_other_dimension(a.type, b.type);
        const Made* function = find(after.function);
        r.relaxing_avoids = function && !(function->flags & FunctionMadeRecord::kRelaxes);
        r.signature_avoids = function && !(function->flags & FunctionMadeRecord::kSignature);
        std::string fix =
            r.dimension >= 0
                ? fmt::format(
                      "dimension {} of {} varies: leave it open in an input signature, or set "
                      "reduce_retracing",
                      r.dimension, name)
                : fmt::format("the rank of {} varies: give it one rank, or set reduce_retracing", name);
        if (r.dimension == 0) fix += "; for a smaller last batch, drop the remainder";
        if (function && (function->flags & FunctionMadeRecord::kRelaxes)) {
          fix = fmt::format(
              "{} of {} is open from here on; an input signature that leaves it open would have spared this "
              "trace",
              r.dimension >= 0 ? fmt::format("dimension {}", r.dimension) : "the rank", name);
        }
        return set("shape", b, from, to, std::move(fix));
      }
      case ArgumentKind::variable: {
        const bool shape = a_type && b_type && !(a_type->shape == b_type->shape);
        return set(shape ? "shape" : "value", b, from, to,
                   fmt::format("give {} variables of one shape and trainable flag", name));
      }
      case ArgumentKind::number:
      case ArgumentKind::text:
        return set(
            "value", b, from, to,
            b.kind == ArgumentKind::number
                ? fmt::format("give {} as a tensor: each number has its own trace", name)
                : fmt::format("give the same string at each call, or what it stands for as a tensor (a "
                              "number, with tf.constant), or keep text that changes out of the arguments: {} "
                              "is part of the trace, and each string has its own",
                              name));
      case ArgumentKind::object:
        return set("identity", b, from, to,
                   fmt::format("make {} once and give the same object at each call", name));
      case ArgumentKind::list:
      case ArgumentKind::map:
        return set(
            "structure", b, from, to,
            a.kind == ArgumentKind::map
                ? fmt::format("give {} the same keys at each call, with zeros for entries that are missing",
                              name)
                : fmt::format("give {} one structure; stack tensors of one shape instead of listing them",
                              name));
      case ArgumentKind::context:
      case ArgumentKind::none: break;
    }
  }
  const bool had = has_context(before.arguments), has = has_context(after.arguments);
  if (had || has) {
    const std::string from(had ? name_text(before.arguments.front().kept) : "none");
    const std::string to(has ? name_text(after.arguments.front().given) : "none");
    const TraceArgument& context = (has ? after : before).arguments.front();
    if (from != to)
      return set("context", context, from, to,
                 "call the function in the same scope at each call, or expect a trace for each setting");
  }
  return r;
}

std::vector<FunctionAccount> FunctionLog::accounts() const {
  std::vector<FunctionAccount> accounts;
  for (const Callable& callable : callables_) {
    if (callable.calls == 0 && callable.traces.empty()) continue;  // made and never used
    FunctionAccount account;
    account.name = callable.name;
    account.library = callable.library;
    account.calls = callable.calls;
    account.traces = callable.traces.size();
    account.ticks = callable.ticks;
    account.warnings = callable.warnings;
    account.loops = callable.loops;
    account.runs = callable.runs;
    account.run_ticks = callable.run_ticks;
    account.nodes = callable.nodes;
    GraphLog::Graphs graphs = graphs_.graphs(static_cast<std::size_t>(&callable - callables_.data()));
    account.graphs = std::move(graphs.kept);
    account.dropped_graphs = graphs.dropped;
    for (std::size_t i = 0; i < callable.traces.size(); ++i) {
      const Trace* before = nearest(callable.traces, i);
      if (before == nullptr) continue;
      RetraceReason why = reason(callable, *before, callable.traces[i]);
      if (!why.kind.empty()) account.retraces.push_back(std::move(why));
    }
    accounts.push_back(std::move(account));
  }
  return accounts;
}

}  // namespace tapescope
