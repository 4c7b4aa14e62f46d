// Functions by their records: calls, traces, why each later trace was made, and TensorFlow's
// warning.
//
// A later trace is compared with the most recent earlier one of the same callable; the first argument that
// differs is the reason. Kinds: shape, dtype, value, identity, structure, aliasing, context, new_function
// (the same callable wrapped again).
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "engine/events/records/functions.h"
#include "engine/explain/graph_log.h"

namespace tapescope {

struct RetraceReason {
  std::uint64_t call = 0;  // from 1, of the callable
  std::string kind, argument, from, to;
  int dimension = -1;       // the first that differs, of a shape whose rank is the same
  SiteId site = 0;          // of the call
  std::uint64_t ticks = 0;  // spent tracing
  std::string fix;
  std::uint64_t served = 0;       // calls that used the trace, its own included
  bool relaxing_avoids = false;   // reduce_retracing would have made no such trace
  bool signature_avoids = false;  // an input signature with open dimensions would not
};

struct FunctionAccount {
  std::string name;
  bool library = false;  // made by a library: its author is to change nothing
  std::uint64_t calls = 0, traces = 0, ticks = 0;
  // What TensorFlow says, at most twice for a callable: "5 out of the last 9 calls" as {call, 5, 9}.
  struct Warning {
    std::uint64_t call, traced, calls;
  };
  std::vector<Warning> warnings;
  std::vector<RetraceReason> retraces;
  std::vector<LoopAccount> loops;  // that its traces unrolled
  // Calls of its graphs that ran to their end, their ticks together, and how many nodes the last one ran.
  std::uint64_t runs = 0, run_ticks = 0;
  std::uint32_t nodes = 0;
  std::vector<std::shared_ptr<const GraphAccount>> graphs;  // in the order they were optimized
  std::uint64_t dropped_graphs = 0;                         // older ones, no longer among them
};

// TensorFlow's detector of frequent tracing, one for each callable (tensorflow-semantics.md, 3.5 and 13.2).
class RetraceDetector {
 public:
  // A call that was traced or not; true when it warns: `traced` out of the last `calls` calls.
  bool called(bool traced_now);
  std::uint64_t traced() const { return runs_.size(); }
  std::uint64_t calls() const { return total_; }

 private:
  std::deque<std::uint64_t> runs_;  // calls since, and with, each tracing one
  std::uint64_t total_ = 0;
  int warned_ = 0;
};

// What a trace depends on: an argument, a part of one, or the context of the call.
struct TraceArgument {
  NameId name = 0;
  ArgumentKind kind = ArgumentKind::none;
  NameId kept = 0, given = 0;  // words of the trace's key and of the call's argument
  std::uint32_t type = 0, alias = 0;
};

// Reads function records in the order their threads wrote them; others pass it by.
class FunctionLog {
 public:
  void add(std::uint32_t thread, const Record& record);
  bool empty() const { return callables_.empty(); }
  // One for each callable that was called or traced, in order of first sight.
  std::vector<FunctionAccount> accounts() const;

 private:
  struct Trace {
    std::uint64_t call = 0, ticks = 0;
    std::uint32_t function = 0, id = 0;
    SiteId site = 0;
    bool counts = true;  // false: the first of two traces of one call
    std::uint64_t served = 0;
    std::vector<TraceArgument> arguments;
  };
  struct Callable {
    std::uint64_t mark = 0;
    std::string name;
    bool library = false;
    std::uint64_t calls = 0, ticks = 0, runs = 0, run_ticks = 0;
    std::uint32_t nodes = 0;
    RetraceDetector detector;
    std::vector<FunctionAccount::Warning> warnings;
    std::vector<Trace> traces;
    std::unordered_map<std::uint64_t, std::size_t> trace_of;  // by function and trace
    std::vector<LoopAccount> loops;
  };
  struct Made {
    std::uint32_t function = 0;
    std::size_t callable = 0;
    SiteId site = 0;
    std::uint8_t flags = 0;
  };

  Made& made(std::uint32_t function);
  const Made* find(std::uint32_t function) const;
  void add_made(const FunctionMadeRecord& record);
  void add_call(std::uint32_t thread, const FunctionCallRecord& record);
  void add_loop(const UnrolledLoopRecord& record);
  // The earlier trace that this one's call fits best, the latest of several: what it was missed by is why
  // this one was made. Null for the first.
  static const Trace* nearest(const std::vector<Trace>& traces, std::size_t at);
  RetraceReason reason(const Callable& callable, const Trace& before, const Trace& after) const;

  std::vector<Made> functions_;
  std::vector<Callable> callables_;
  std::unordered_map<std::uint32_t, std::size_t>
      open_;  // by thread: callable whose last trace the arguments to come belong to
  GraphLog graphs_;
};

}  // namespace tapescope
