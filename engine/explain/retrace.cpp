// Comparing traces, and the words for what differs.
#include "engine/explain/retrace.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "engine/core/type.h"
#include "engine/events/function_records.h"

namespace tapescope {
namespace {

// TensorFlow's constants.
constexpr std::uint64_t kWindow = 10;
constexpr std::size_t kTracings = 5;
constexpr int kMaxWarnings = 2;

const Type* type_of(std::uint32_t id) { return id == kNoArgumentType ? nullptr : type_with_id(id); }

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

// A function whose making was not told is a callable of its own.
FunctionLog::Made& FunctionLog::made(std::uint32_t function) {
  if (const Made* known = find(function)) return const_cast<Made&>(*known);
  Callable& callable = callables_.emplace_back();
  callable.name = fmt::format("function {}", function);
  return functions_.emplace_back(Made{function, callables_.size() - 1, 0, 0});
}

void FunctionLog::add(std::uint32_t thread, const Record& record) {
  switch (record.kind) {
    case RecordKind::graph_pass:
    case RecordKind::rewrite: {
      const bool heading = record.kind == RecordKind::graph_pass && record.h == kHeadingRound;
      if (heading ? record.a == kTraceHeading
                  : record.kind == RecordKind::rewrite && record.a == kUnrolledLoop) {
        add_loop(thread, record);
        break;
      }
      graphs_.add(thread, record, heading ? made(static_cast<std::uint32_t>(record.x)).callable : 0);
      break;
    }
    case RecordKind::function_end: {
      Callable& callable = callables_[made(record.b).callable];
      ++callable.runs;
      callable.run_ticks += record.y >> 32;
      callable.nodes = static_cast<std::uint32_t>(record.y);
      break;
    }
    case RecordKind::function_made: {
      const std::string_view name = name_text(static_cast<NameId>(record.y));
      auto callable = std::find_if(callables_.begin(), callables_.end(),
                                   [&](const Callable& c) { return c.mark == record.z && c.name == name; });
      if (callable == callables_.end()) {
        callable = callables_.insert(callables_.end(), Callable{});
        callable->mark = record.z;
        callable->name = name;
        callable->library = record.a & FunctionFlags::kLibrary;
      }
      functions_.push_back({record.b, static_cast<std::size_t>(callable - callables_.begin()),
                            static_cast<SiteId>(record.x), record.a});
      break;
    }
    case RecordKind::function_call: {
      const Made& function = made(record.b);
      Callable& callable = callables_[function.callable];
      const bool traced = record.a & FunctionCallFlags::kTraced;
      const bool repeated = record.a & FunctionCallFlags::kRepeated;
      const bool called =
          !repeated && !(record.a & (FunctionCallFlags::kNotCalled | FunctionCallFlags::kConcrete));
      const bool earlier = record.a & FunctionCallFlags::kEarlier;
      callable.calls += called;
      // Calls in between were not heard. One that another function with the same callable made has a number
      // of its own.
      if (earlier) callable.calls = std::max(callable.calls + 1, record.y & 0xffffffffu);
      // The detector sees what the program calls itself.
      if (called && !(record.a & FunctionCallFlags::kNested) && callable.detector.called(traced)) {
        callable.warnings.push_back({callable.calls, callable.detector.traced(), callable.detector.calls()});
      }
      if (!traced) break;
      callable.ticks += record.x;
      callable.traces.push_back({.call = repeated ? callable.calls + 1 : callable.calls,
                                 .ticks = record.x,
                                 .function = record.b,
                                 .id = static_cast<std::uint32_t>(record.z),
                                 .site = static_cast<SiteId>(record.y >> 32),
                                 .told = !repeated,
                                 .arguments = {}});
      open_[thread] = function.callable;
      break;
    }
    case RecordKind::trace_argument: {
      const auto open = open_.find(thread);
      if (open == open_.end()) break;
      callables_[open->second].traces.back().arguments.push_back(
          {.name = record.b,
           .kind = static_cast<ArgumentKind>(record.a),
           .kept = static_cast<NameId>(record.x),
           .given = static_cast<NameId>(record.x >> 32),
           .type = static_cast<std::uint32_t>(record.y),
           .alias = static_cast<std::uint32_t>(record.y >> 32)});
      break;
    }
    default: break;
  }
}

// A heading, or a loop of the trace that the last one named.
void FunctionLog::add_loop(std::uint32_t thread, const Record& record) {
  if (record.kind == RecordKind::graph_pass) {
    const auto function = static_cast<std::uint32_t>(record.x);
    unrolled_[thread] = {made(function).callable, function, static_cast<std::uint32_t>(record.x >> 32),
                         static_cast<std::uint32_t>(record.y)};
    return;
  }
  const auto known = unrolled_.find(thread);
  if (known == unrolled_.end()) return;  // its heading was lost
  const Unrolled& of = known->second;
  Callable& callable = callables_[of.callable];
  const auto trace = std::find_if(callable.traces.begin(), callable.traces.end(), [&](const Trace& t) {
    return t.function == of.function && t.id == of.trace && t.told;
  });
  callable.loops.push_back({.trace = of.trace,
                            .op = name_text(static_cast<NameId>(record.x)),
                            .rounds = static_cast<std::uint32_t>(record.z),
                            .nodes = static_cast<std::uint32_t>(record.z >> 32),
                            .trace_nodes = of.nodes,
                            .site = static_cast<SiteId>(record.y),
                            .ticks = trace == callable.traces.end() ? 0 : trace->ticks});
}

RetraceReason FunctionLog::reason(const Callable& callable, const Trace& before, const Trace& after) const {
  RetraceReason r;
  r.call = after.call;
  r.site = after.site;
  r.ticks = after.ticks;
  if (before.function != after.function) {
    const Made* function = find(after.function);
    r.kind = "new_function";
    r.argument = callable.name;
    r.from = r.to = function ? location_text(site_with_id(function->site)) : std::string();
    r.fix = fmt::format(
        "make the function once and keep it: {} was wrapped anew, and each one starts with no trace",
        callable.name);
    return r;
  }
  const auto set = [&](std::string_view kind, const Argument& a, std::string from, std::string to,
                       std::string fix) {
    r.kind = kind;
    r.argument = name_text(a.name);
    r.from = std::move(from);
    r.to = std::move(to);
    r.fix = std::move(fix);
    return r;
  };
  const std::size_t shared = std::min(before.arguments.size(), after.arguments.size());
  for (std::size_t i = 0; i < shared; ++i) {
    const Argument& a = before.arguments[i];
    const Argument& b = after.arguments[i];
    const std::string from(name_text(a.kept)), to(name_text(b.given));
    const std::string name(name_text(b.name));
    if (a.kind != b.kind) {
      const std::string_view a_word = kind_word(a.kind), b_word = kind_word(b.kind);
      return set("structure", b, a_word.empty() ? from : std::string(a_word),
                 b_word.empty() ? to : std::string(b_word),
                 fmt::format("give {} the same kind of argument at each call", name));
    }
    const Type* a_type = type_of(a.type);
    const Type* b_type = type_of(b.type);
    if (a_type && b_type && a_type->dtype != b_type->dtype) {
      const auto wanted = name_of(a_type->dtype);
      r.signature_avoids = false;
      return set("dtype", b, std::string(wanted), std::string(name_of(b_type->dtype)),
                 fmt::format("cast {} to {} before the call", name, wanted));
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
        r.relaxing_avoids = function && !(function->flags & FunctionFlags::kRelaxes);
        r.signature_avoids = function && !(function->flags & FunctionFlags::kSignature);
        std::string fix =
            r.dimension >= 0
                ? fmt::format(
                      "dimension {} of {} varies: leave it open in an input signature, or set "
                      "reduce_retracing",
                      r.dimension, name)
                : fmt::format("the rank of {} varies: give it one rank, or set reduce_retracing", name);
        if (r.dimension == 0) fix += "; for a smaller last batch, drop the remainder";
        if (function && (function->flags & FunctionFlags::kRelaxes)) {
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
        return set("value", b, from, to,
                   b.kind == ArgumentKind::number
                       ? fmt::format("give {} as a tensor: each number has a trace of its own", name)
                       : fmt::format("{} is part of the trace: each string has one of its own", name));
      case ArgumentKind::object:
        return set("identity", b, from, to,
                   fmt::format("make {} once and give the same object at each call", name));
      case ArgumentKind::list:
      case ArgumentKind::map:
        return set(
            "structure", b, from, to,
            fmt::format("give {} one structure; stack tensors of one shape instead of listing them", name));
      case ArgumentKind::context:
        return set("context", b, from, to, "call the function under one setting, or expect a trace for each");
      case ArgumentKind::none: break;
    }
  }
  // A context stands first where there is one: it came or went.
  const bool more = after.arguments.size() > before.arguments.size();
  const auto& longer = more ? after.arguments : before.arguments;
  if (!longer.empty() && longer.front().kind == ArgumentKind::context) {
    const std::string words(name_text(longer.front().given));
    return set("context", longer.front(), more ? "none" : words, more ? words : "none",
               "call the function under one setting, or expect a trace for each");
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
    const Trace* before = nullptr;
    for (const Trace& trace : callable.traces) {
      if (!trace.told) continue;
      if (before) {
        RetraceReason why = reason(callable, *before, trace);
        if (!why.kind.empty()) account.retraces.push_back(std::move(why));
      }
      before = &trace;
    }
    accounts.push_back(std::move(account));
  }
  return accounts;
}

}  // namespace tapescope
