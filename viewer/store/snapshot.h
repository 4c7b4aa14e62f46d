// What panels and reports read: an immutable picture of one program's run, made by the ingest thread.
//
// Take it with Store::snapshot() (a pointer copy) and keep it for the frame; nothing in it ever changes.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/events/records/steps.h"
#include "engine/explain/explain.h"
#include "engine/explain/graph_log.h"
#include "viewer/store/call_lines.h"
#include "viewer/store/replica_series.h"
#include "viewer/store/series.h"
#include "viewer/store/sources.h"
#include "viewer/store/step_view.h"

namespace tapescope {

// The last 64 steps of a quantity, oldest first.
inline constexpr std::size_t kRecentSteps = 64;
using Recent = std::vector<float>;

// One row per op type. Times and counts are per step: medians over the last 64 steps.
struct OpKindRow {
  std::string_view op;
  std::int64_t count = 0;          // runs in the last complete step, forward, backward and update together
  std::int64_t backward_runs = 0;  // of them inside backward steps
  double forward_us = 0;           // its runs outside of backward passes
  double backward_us = 0;  // the backward steps of forward ops of this type; its own runs in the gradient of
                           // a function's graph
  double backward_run_us = 0;   // its own runs inside backward steps, whomever they served
  double share = 0;             // of the step's op time, its own runs in both directions, 0 to 1
  double flops = 0, bytes = 0;  // of the last complete step
  std::int64_t saved_bytes = 0;
  Recent forward_series, backward_series;  // µs a step
  double call_p10 = 0, call_median = 0,
         call_p90 = 0;  // µs of one forward run, over the whole program (within 5 %)
};

enum class GradientStatus : std::uint8_t { value, zero, nonfinite, none, unconnected_zero };
// "value", "zero", "nonfinite", "none", "unconnected_zero"
std::string_view name_of(GradientStatus status);

// How one source's gradient was at a step.
struct HealthPoint {
  std::uint64_t step = 0;
  float norm = 0;
  float zero_share = 0;  // 0 to 1
  std::int64_t nans = 0, infinities = 0;
};

struct GradientRow {
  std::string source;  // the name the program gave; of several of one name the second is "w#2"
  std::string name;    // the name as the program gave it
  TensorId source_id = 0;
  std::string target;  // readable name of the (first) target
  TensorId target_id = 0;
  bool op_as_source = false;  // the source's name is that of the op that made it
  std::string op_as_target;   // that op and its line, where the target has no name either
  TensorId tensor = 0;        // the gradient; 0 for None
  TapeId tape = 0;
  std::uint32_t call =
      0;  // which gradient call of the step; kNoOp for one inside a function that was traced earlier
  std::uint32_t index = 0, sources = 1;  // which source of the call, of how many
  std::string asked_at;                  // the line of the call
  GradientStatus status = GradientStatus::value;
  std::string reason;  // of None, of zero, and what unconnected_zero hides; else empty
  std::string message, location, fix;
  std::vector<PathItem> path;  // from the target towards the source
  PathItem edge;
  bool guess = false;      // the records suggest it, and do not prove it
  bool has_stats = false;  // norm and what follows are known
  double norm = 0;
  double zero_share = 0;  // 0 to 1
  std::int64_t nonfinite = 0;
  double min = 0, max = 0, mean = 0;
  Recent norms;                     // last 64 steps
  std::vector<HealthPoint> health;  // of the same steps
  std::uint64_t step = 0;           // it is of this step

  // Figures are those of finite elements: where there is none of these, all three stay 0.
  bool none_finite() const { return nonfinite > 0 && mean == 0 && min == 0 && max == 0 && zero_share == 0; }
};

// Kinds: none nonfinite vanishing exploding dead retrace leak empty_sources.
struct AlertRow {
  std::string kind;
  std::string subject;  // source, function or tape
  std::string op;       // readable name, "dense_1/Log"; empty when no op is to blame
  std::string op_type;  // its type, "Log"
  std::string message, location, fix;
  std::vector<PathItem> path;
  PathItem edge;
  std::string direction;  // nonfinite: "forward" or "backward"
  std::string value;      // nonfinite: "nan", "inf", "-inf"; dead: "all" where the whole gradient is zero
  std::uint64_t step = 0;
  std::uint32_t op_index = kNoOp;  // in the view of that step
  std::int64_t node = -1;          // where to put the cursor; -1 when nowhere
  bool operator==(const AlertRow& other) const {
    return kind == other.kind && subject == other.subject && op == other.op && location == other.location;
  }
};

// What to change, made from a snapshot by the model; kinds are those of design/interfaces.md.
struct AdviceRow {
  std::string kind, subject, evidence, fix, location;
  double saving_us = 0;   // a step
  bool measured = false;  // else estimated
  // What a helper does belongs to the line that calls it, where the program's text says which.
  struct Helper {
    std::string location;
    WantedCall call;
    std::vector<SiteId> way = {};  // the location and the lines that led there, where they are known
  };
  std::optional<Helper> helper;
};

// Steps of an attached program whose ops its line could not carry. Their records count as lost ones too.
struct Thinned {
  std::uint64_t steps = 0, records = 0;
  std::uint64_t every = 0;  // one step of so many was whole, at last
};
struct Losses {
  std::uint64_t events = 0;
  Thinned thinned;
  void add(const LostRecord& lost) {
    events += lost.records;
    if (lost.thinned != 0) thinned = {thinned.steps + 1, thinned.records + lost.records, lost.every};
  }
};

// One step's times (µs, from its records) and counts. The forward pass lasts until the first backward pass
// begins, the update from the end of the last one on (step_phases.h).
struct StepSummary {
  std::uint64_t step = 0;
  double step_us = 0, forward_us = 0, backward_us = 0, update_us = 0;
  double begin_us = 0;  // since the first event of the run
  TapeCounts counts;    // saved_bytes and peak_bytes are 0 for steps that were not looked at
  std::uint32_t asks = 0, nones = 0;
  std::uint64_t lost = 0;
  // What the step's thread waited in exchanges with other processes, and the exchange that took longest.
  // Of exchanges inside of a graph it is known where that call was timed inside.
  bool exchanges_in_graph = false, exchange_unknown = false;
  double exchange_us = 0;
  SiteId exchange_site = 0;
  OpNameId exchange_op = 0;
};

struct MetricPoint {
  std::uint64_t step = 0;
  double value = 0;
};
struct MetricSeries {
  std::string_view name;  // "loss" comes first
  Series<MetricPoint> points;
  std::optional<MetricPoint> nonfinite;  // the first that is not finite
};

struct Retrace {
  std::uint64_t call = 0;
  std::string kind, argument, from, to, location, fix;
  int dimension = -1;        // of a shape: the first that differs; -1 where none does
  double trace_us = 0;       // what the trace cost
  std::uint64_t served = 0;  // calls that used the trace, its own included
  bool relaxing_avoids = false, signature_avoids = false;  // reduce_retracing, an input signature would have
};
// TensorFlow's warning of frequent tracing: `traced` out of the last `calls` calls, said at `call`.
struct RetraceWarning {
  std::uint64_t call = 0, traced = 0, calls = 0;
};
// A loop of the program that a trace holds as copies of its body.
struct UnrolledLoopRow {
  std::uint32_t trace = 0;  // from 1
  std::string_view op;      // of its first node
  std::uint32_t rounds = 0;
  std::uint32_t nodes = 0;        // of all rounds together
  std::uint32_t trace_nodes = 0;  // that the trace has
  std::string location;           // of its first node
  double trace_us = 0;            // what the trace took
};
struct FunctionRow {
  std::string name;
  bool library = false;  // made by a library: its retraces are not listed, nothing is advised
  std::uint64_t calls = 0, traces = 0;
  double trace_us = 0;
  bool would_warn = false;
  std::vector<RetraceWarning> warnings;  // two at most, then TensorFlow is silent
  std::vector<Retrace> retraces;
  std::vector<UnrolledLoopRow> loops;  // the large ones
  std::uint64_t runs = 0;              // calls whose graph ran to its end
  double run_us = 0;                   // all of them together
  std::uint32_t nodes = 0;             // that the last one ran
  // What the optimizer did to each of its graphs, in the order they first ran.
  std::vector<std::shared_ptr<const GraphAccount>> graphs;
  std::uint64_t dropped_graphs = 0;  // older ones of a function that was traced very often
  // Of the machine code of its loops.
  double compile_us = 0;  // in the background
  std::uint64_t code_bytes = 0;
  std::size_t fused_loops = 0, machine_loops = 0;  // fused loops, and those that run as machine code
};

struct LogRow {
  std::string_view text;
  int severity = 0;  // 0 information, 1 warning, 2 error
  std::string_view location;
  std::uint64_t step = 0;
};

struct TapeRow {
  TapeId tape = 0;
  bool persistent = false;
  bool alive = true;  // its recording has not been given back
  std::string_view location;
  std::uint64_t step = 0;
};

struct StepData;  // the raw records of a step, step_data.h

struct Snapshot {
  std::uint64_t version = 0;  // grows with each one
  int program = 0;
  // What the first step is called: 1 where steps are counted for the program, 0 where it numbers them itself.
  std::uint64_t step_base = 0;
  std::uint64_t step_shown(std::uint64_t step) const { return step + step_base; }
  // The step that runs or ran last, as far as its records go; null before the first one. While the debugger
  // replays a step it grows again from nothing: draw the rest from `complete`.
  std::shared_ptr<const StepView> current;
  // The last step that came to its end; during a replay the former run of the same step. Null before that.
  std::shared_ptr<const StepView> complete;
  // Of a program that marks no steps: what it repeats, one round for each place where an outermost tape is
  // made, the last that ran. Empty where steps are marked.
  std::vector<std::shared_ptr<const StepView>> rounds;
  // Those before the last of a program that ended or stands: with what its loop does ahead of the next tape.
  std::vector<std::shared_ptr<const StepView>> rounds_before;
  // The last complete steps, oldest first, at most 8 and 20,000 ops together: for the timeline and the flame
  // graph.
  std::vector<std::shared_ptr<const StepView>> recent;
  // Raw records of steps still held (64 at most, by budget), oldest first: make_step_view(data) gives their
  // view on any thread.
  std::vector<std::shared_ptr<const StepData>> held;

  std::vector<OpKindRow> op_kinds;     // most time first
  std::vector<GradientRow> gradients;  // of the last step that asked; none and nonfinite first
  std::vector<AlertRow> alerts;        // most important first
  bool judged = false;                 // the framework's hooks recorded findings themselves
  std::vector<AdviceRow> advice;       // theirs
  std::vector<MetricSeries> metrics;
  std::vector<ReplicaSeries> replicas;  // of a process of a job that records them
  Series<StepSummary> steps;  // complete steps in order; of a long live run the first and the latest
  std::vector<FunctionRow> functions;
  std::vector<VariableRow> variables;  // all that this program's steps touched
  Series<LogRow> log;
  std::vector<TapeRow> tapes;     // those alive
  std::uint64_t first_ticks = 0;  // of the first event, from which times count; 0: none came yet
  std::uint64_t events = 0;       // records seen
  std::uint64_t lost_events = 0;
  Thinned thinned;
  bool idle = true;                            // no step was open when it was made
  std::shared_ptr<const SourceFiles> sources;  // of the program, as far as they are at hand; may be null

  // What to show: current when it has ops, else complete; may be null.
  std::shared_ptr<const StepView> shown() const {
    return current && !current->ops.empty() ? current : complete;
  }
};

}  // namespace tapescope
