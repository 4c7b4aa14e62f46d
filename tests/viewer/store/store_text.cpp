// Writes every field that a panel or a report may read.
#include "tests/viewer/store/store_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace tapescope::test {
namespace {

std::string text_of(const Type* type) { return type ? type->text() : "-"; }

std::string text_of(const std::vector<PathItem>& path) {
  std::string text;
  for (const PathItem& item : path)
    text += fmt::format(" <{} {} {} {}>", item.op, item.name, item.location, item.output);
  return text;
}

std::string text_of(const ValueMasks& masks) {
  return fmt::format("{:x}/{:x}/{:x}/{:x}", masks.none, masks.zero, masks.nan, masks.infinity);
}

std::string counts_text(const TapeCounts& counts) {
  return fmt::format("{} {} {} {} {} {}", counts.executed, counts.recorded, counts.not_recorded,
                     counts.backward_ops, counts.saved_bytes, counts.peak_bytes);
}

std::string ops_of(const StepView& view) {
  std::string text;
  for (const OpRow& op : view.ops) {
    text += fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|", op.op, op.name, op.tensor_name, op.scope,
                        op.location, op.types, op.output_type, op.dtype, op.not_recorded,
                        name_of(op.direction), static_cast<int>(op.answer), op.flags);
    text += fmt::format("{:d}{:d}{:d}|{}|{}+{}|{}|{}|{}|{}|{}|{}|", op.recorded, op.in_graph, op.elementwise,
                        op.thread, op.output, op.outputs, text_of(op.type), op.start_us, op.duration_us,
                        op.inside_us, op.flops, op.bytes);
    text += fmt::format("{}|{}|{}|{}|{}|{}|{}|{}|{}|{}\n", op.output_bytes, op.saved_bytes, op.shared_bytes,
                        op.partner, op.backward_step, op.call, op.node, fmt::join(view.inputs_of(op), ","),
                        fmt::join(view.producers_of(op), ","), view.way_to(op).size());
  }
  return text;
}

std::string walks_of(const StepView& view) {
  std::string text;
  for (const BackwardStep& step : view.backward_steps) {
    text += fmt::format("walk {} {}+{} {} {} {} {} {}\n", step.forward_op, step.first_op, step.ops, step.tape,
                        step.call, step.start_us, step.duration_us, step.node);
  }
  for (const GradientCall& call : view.calls) {
    text +=
        fmt::format("call {} {} made at {}: {} of {}, {} {} {:d}{:d}{:d}{:d}\n", call.tape, call.location,
                    call.tape_made, fmt::join(call.targets, ","), fmt::join(call.sources, ","), call.start_us,
                    call.duration_us, call.raised, call.persistent, call.inside, call.traced);
  }
  for (const GradientAnswer& answer : view.answers) {
    text += fmt::format("answer {} {} {} {} {} {} {} {:d}\n", answer.call, answer.index,
                        name_text(answer.name), name_text(answer.given), answer.source, answer.gradient,
                        static_cast<int>(answer.kind), answer.answered);
  }
  return text;
}

std::string rest_of(const StepView& view) {
  std::string text =
      fmt::format("step {} {:d}{:d}{:d} nodes {} {} times {} {} {} {} {} counts {} lost {} peak at {}\n",
                  view.step, view.inside, view.complete, view.unmarked, view.forward_nodes, view.nodes,
                  view.begin_us, view.step_us, view.forward_us, view.backward_us, view.update_us,
                  counts_text(view.counts), view.lost_events, view.peak_op);
  text += fmt::format("watched {}\nlasting {}\nlive {}\n", fmt::join(view.watched, ","),
                      fmt::join(view.lasting, ","), fmt::join(view.live_bytes, ","));
  for (const AssignRow& row : view.assigns)
    text += fmt::format("assign {} {} {} {}\n", row.variable, row.value, row.location, row.after_op);
  for (const HostTensor& made : view.host_made)
    text += fmt::format("host made {} {} {}\n", made.tensor, made.site != 0, made.mark);
  for (const HostRead& read : view.host_reads)
    text += fmt::format("host read {} {} {} {}\n", read.tensor, read.stamp, read.site != 0, read.mark);
  for (const StepStart& start : view.starts)
    text += fmt::format("start {} {} {}\n", start.step, start.op, start.call);
  for (const SeenValues& seen : view.seen) {
    text += fmt::format("seen {:d} {} {} {} {} {}\n", seen.forward, seen.index, seen.values,
                        seen.zero_operands, text_of(seen.results), text_of(seen.cotangents));
  }
  for (const VariableRow& row : view.variables) {
    text += fmt::format("variable {} {} {} {} {:d}\n", row.id, row.name, row.location, text_of(row.type),
                        row.trainable);
  }
  for (const BufferLife& life : view.buffers) {
    text += fmt::format("buffer {} {} {}..{} {} {:d} {} {}\n", life.tensor, life.bytes, life.from, life.to,
                        life.saved_by, life.outside, text_of(life.type), name_text(life.name));
  }
  for (std::uint32_t op = 0; op < view.ops.size(); ++op) text += text_of_op(view, op) + "\n";
  for (const Expansion& inner : view.expansions) {
    text += fmt::format("inside {} {:d} {} {}\n", name_text(inner.name), inner.ended, name_text(inner.why),
                        inner.call);
    if (inner.view) text += ops_of(*inner.view);
  }
  return text;
}

std::string gradients_of(const Snapshot& snapshot) {
  std::string text;
  for (const GradientRow& row : snapshot.gradients) {
    text += fmt::format("{}|{}|{}|{}|{}|{:d}|{}|{}|{}|{}|{}/{}|{}|{}|{}|{}|{}|{}|", row.source, row.name,
                        row.source_id, row.target, row.target_id, row.op_as_source, row.op_as_target,
                        row.tensor, row.tape, row.call, row.index, row.sources, row.asked_at,
                        name_of(row.status), row.reason, row.message, row.location, row.fix);
    text += fmt::format("{}|{}|{:d}{:d}|{}|{}|{}|{}|{}|{}|{}|{}", text_of(row.path), text_of({row.edge}),
                        row.guess, row.has_stats, row.norm, row.zero_share, row.nonfinite, row.min, row.max,
                        row.mean, row.step, fmt::join(row.norms, ","));
    for (const HealthPoint& point : row.health)
      text += fmt::format(" {}:{}:{}:{}:{}", point.step, point.norm, point.zero_share, point.nans,
                          point.infinities);
    text += "\n";
  }
  return text;
}

std::string findings_of(const Snapshot& snapshot) {
  std::string text;
  for (const AlertRow& row : snapshot.alerts) {
    text += fmt::format("alert {}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}\n", row.kind, row.subject, row.op,
                        row.op_type, row.message, row.location, row.fix, text_of(row.path),
                        text_of({row.edge}), row.direction, row.value, row.step, row.op_index, row.node);
  }
  for (const AdviceRow& row : snapshot.advice) {
    text += fmt::format("advice {}|{}|{}|{}|{}|{}|{:d}|{}\n", row.kind, row.subject, row.evidence, row.fix,
                        row.location, row.saving_us, row.measured, row.helper ? row.helper->location : "-");
  }
  return text;
}

std::string kinds_of(const Snapshot& snapshot) {
  std::string text;
  for (const OpKindRow& row : snapshot.op_kinds) {
    text += fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} [{}] [{}]\n", row.op, row.count,
                        row.backward_runs, row.forward_us, row.backward_us, row.backward_run_us, row.share,
                        row.flops, row.bytes, row.saved_bytes, row.call_p10, row.call_median, row.call_p90,
                        fmt::join(row.forward_series, ","), fmt::join(row.backward_series, ","));
  }
  return text;
}

std::string functions_of(const Snapshot& snapshot) {
  std::string text;
  for (const FunctionRow& row : snapshot.functions) {
    text += fmt::format("{} {:d} {} {} {} {:d} runs {} {} nodes {} graphs {} dropped {} code {} {} {} {}\n",
                        row.name, row.library, row.calls, row.traces, row.trace_us, row.would_warn, row.runs,
                        row.run_us, row.nodes, row.graphs.size(), row.dropped_graphs, row.compile_us,
                        row.code_bytes, row.fused_loops, row.machine_loops);
    for (const RetraceWarning& warning : row.warnings)
      text += fmt::format("  warns {} {} {}\n", warning.call, warning.traced, warning.calls);
    for (const Retrace& one : row.retraces) {
      text += fmt::format("  retrace {}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{:d}{:d}\n", one.call, one.kind,
                          one.argument, one.from, one.to, one.location, one.fix, one.dimension, one.trace_us,
                          one.served, one.relaxing_avoids, one.signature_avoids);
    }
    for (const UnrolledLoopRow& loop : row.loops) {
      text += fmt::format("  loop {} {} {} {} {} {} {}\n", loop.trace, loop.op, loop.rounds, loop.nodes,
                          loop.trace_nodes, loop.location, loop.trace_us);
    }
  }
  return text;
}

std::string steps_of(const Snapshot& snapshot) {
  std::string text = fmt::format(
      "{} steps, first called {}, {} held, {} recent, {} rounds, {} before, {} events, {} lost, thinned {} "
      "{} {}, {:d}{:d}\n",
      snapshot.steps.count(), snapshot.step_base, snapshot.held.size(), snapshot.recent.size(),
      snapshot.rounds.size(), snapshot.rounds_before.size(), snapshot.events, snapshot.lost_events,
      snapshot.thinned.steps, snapshot.thinned.records, snapshot.thinned.every, snapshot.idle,
      snapshot.judged);
  for (std::size_t i = 0; i < snapshot.steps.size(); ++i) {
    const StepSummary& step = snapshot.steps[i];
    text += fmt::format("{} {} {} {} {} {} | {} | {} {} {} {:d}{:d} {} {}\n", step.step, step.step_us,
                        step.forward_us, step.backward_us, step.update_us, step.begin_us,
                        counts_text(step.counts), step.asks, step.nones, step.lost, step.exchanges_in_graph,
                        step.exchange_unknown, step.exchange_us, op_name_text(step.exchange_op));
  }
  return text;
}

std::string others_of(const Snapshot& snapshot) {
  std::string text;
  for (const MetricSeries& metric : snapshot.metrics) {
    text += fmt::format("metric {}", metric.name);
    for (std::size_t i = 0; i < metric.points.size(); ++i)
      text += fmt::format(" {}:{}", metric.points[i].step, metric.points[i].value);
    if (metric.nonfinite) text += fmt::format(" not finite at {}", metric.nonfinite->step);
    text += "\n";
  }
  for (const ReplicaSeries& replica : snapshot.replicas) {
    text += fmt::format("replica {} {}", replica.name, replica.index);
    for (std::size_t i = 0; i < replica.points.size(); ++i) {
      const ReplicaPoint& point = replica.points[i];
      text += fmt::format(" {}:{:x}:{:x}", point.step, point.value, point.gradient);
    }
    text += "\n";
  }
  for (const VariableRow& row : snapshot.variables) {
    text += fmt::format("variable {} {} {} {} {:d}{:d}\n", row.id, row.name, row.location, text_of(row.type),
                        row.trainable, row.asked);
  }
  for (std::size_t i = 0; i < snapshot.log.size(); ++i) {
    const LogRow& row = snapshot.log[i];
    text += fmt::format("log {} {} {} {}\n", row.severity, row.step, row.location, row.text);
  }
  for (const TapeRow& row : snapshot.tapes)
    text +=
        fmt::format("tape {} {:d}{:d} {} {}\n", row.tape, row.persistent, row.alive, row.location, row.step);
  return text;
}

}  // namespace

std::vector<std::pair<std::string, std::string>> texts_of(const Snapshot& snapshot) {
  std::vector<std::pair<std::string, std::string>> parts = {
      {"steps", steps_of(snapshot)},         {"gradients", gradients_of(snapshot)},
      {"findings", findings_of(snapshot)},   {"op kinds", kinds_of(snapshot)},
      {"functions", functions_of(snapshot)}, {"others", others_of(snapshot)}};
  std::vector<std::shared_ptr<const StepView>> views = snapshot.recent;
  views.insert(views.begin(), {snapshot.complete, snapshot.current});
  for (const auto* rounds : {&snapshot.rounds_before, &snapshot.rounds})
    views.insert(views.end(), rounds->begin(), rounds->end());
  std::string ops, walks, rest;
  std::vector<const StepView*> seen;
  for (const auto& view : views) {
    if (!view || std::find(seen.begin(), seen.end(), view.get()) != seen.end()) continue;
    seen.push_back(view.get());
    ops += ops_of(*view);
    walks += walks_of(*view);
    rest += rest_of(*view);
  }
  parts.insert(parts.end(),
               {{"ops", std::move(ops)}, {"walks", std::move(walks)}, {"views", std::move(rest)}});
  return parts;
}

std::string rounded(const std::string& text) {
  const auto is_digit = [](char letter) { return std::isdigit(static_cast<unsigned char>(letter)) != 0; };
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at, digits = 0;
    bool point = false;
    for (; end < text.size() && (is_digit(text[end]) || (!point && text[end] == '.')); ++end) {
      if (text[end] == '.') point = true;
      else ++digits;
    }
    if (end == at) {
      out += text[at++];
      continue;
    }
    const bool power = end + 2 < text.size() && text[end] == 'e' &&
                       (text[end + 1] == '-' || text[end + 1] == '+') && is_digit(text[end + 2]);
    if (power) {
      point = true;
      for (end += 2; end < text.size() && is_digit(text[end]); ++end) {
      }
    }
    double value = 0;
    std::from_chars(text.data() + at, text.data() + end, value);
    out += point && (digits > 5 || power) ? fmt::format("{:.5g}", value) : text.substr(at, end - at);
    at = end;
  }
  return out;
}

std::string digest_of(const std::string& text) {
  std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
  for (const char letter : text) hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return fmt::format("{} lines, {:016x}", std::count(text.begin(), text.end(), '\n'), hash);
}

}  // namespace tapescope::test
