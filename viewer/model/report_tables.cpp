// The tables of a report.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viewer/model/held_buffers.h"
#include "viewer/model/report_tables.h"
#include "viewer/model/units.h"

namespace tapescope {
namespace {

constexpr std::size_t kShown = kShownRows;

std::string rest_text(std::size_t all, std::string_view what) {
  return all > kShown ? fmt::format("  … and {} more {}\n", all - kShown, what) : std::string();
}

}  // namespace

TextTable ops_table(const RunReport& report) {
  TextTable table({"op", ">runs", ">forward", ">backward", ">ratio", ">share", ">FLOPs", ">bytes", ">saved"});
  for (std::size_t i = 0; i < std::min(report.ops.size(), kShown); ++i) {
    const OpKindRow& row = report.ops[i];
    table.row({std::string(row.op), fmt::format("{}", row.count),
               row.forward_us > 0 ? format_us(row.forward_us) : "-",
               row.backward_us > 0 ? format_us(row.backward_us) : "-",
               row.forward_us > 0 && row.backward_us > 0
                   ? fmt::format("{:.1f}x", row.backward_us / row.forward_us)
                   : "-",
               fmt::format("{:.1f} %", 100 * row.share), row.flops > 0 ? format_count(row.flops) : "-",
               row.bytes > 0 ? format_bytes(row.bytes) : "-",
               row.saved_bytes > 0 ? format_bytes(static_cast<double>(row.saved_bytes)) : "-"});
  }
  return table;
}

std::string ops_text(const RunReport& report) {
  return ops_table(report).text() + rest_text(report.ops.size(), "op types");
}

TextTable gradients_table(const RunReport& report) {
  TextTable table({"gradient", "is", ">norm", ">zeros", "why", "where"});
  for (std::size_t i = 0; i < std::min(report.gradients.size(), kShown); ++i) {
    const GradientRow& row = report.gradients[i];
    std::string is(name_of(row.status));
    if (row.status == GradientStatus::none) is = "None";
    if (row.status == GradientStatus::unconnected_zero) is = "zero, unconnected";
    table.row({row.source, is, row.has_stats ? fmt::format("{:.4g}", row.norm) : "-",
               row.has_stats ? fmt::format("{:.0f} %", 100 * row.zero_share) : "-", row.reason,
               row.location});
  }
  return table;
}

std::string gradients_text(const RunReport& report) {
  return gradients_table(report).text() + rest_text(report.gradients.size(), "sources");
}

std::string alerts_text(const RunReport& report) {
  std::string out;
  for (std::size_t i = 0; i < std::min(report.alerts.size(), kShown); ++i) {
    const AlertRow& alert = report.alerts[i];
    out += fmt::format("  ! {}: {}", alert.kind, alert.message);
    if (!alert.location.empty() && alert.message.find(alert.location) == std::string::npos) {
      out += fmt::format(" ({})", alert.location);
    }
    out += "\n";
    if (!alert.fix.empty()) out += fmt::format("    {}\n", alert.fix);
  }
  return out + rest_text(report.alerts.size(), "alerts");
}

std::string advice_text(const RunReport& report) {
  std::string out;
  for (std::size_t i = 0; i < std::min(report.advice.size(), kShown); ++i) {
    const AdviceRow& advice = report.advice[i];
    out += fmt::format("  > {}: {}", advice.kind, advice.evidence);
    if (!advice.location.empty()) out += fmt::format(" ({})", advice.location);
    out += fmt::format("\n    {}", advice.fix);
    if (advice.saving_us > 0) {
      out += fmt::format(", saves {} a step ({})", format_us(advice.saving_us),
                         advice.measured ? "measured" : "estimated");
    }
    out += "\n";
  }
  return out + rest_text(report.advice.size(), "remarks");
}

namespace {

std::string change(double before, double after, std::string (*text)(double)) {
  return text(before) == text(after) ? text(after) : fmt::format("{} → {}", text(before), text(after));
}

// The passes that changed a graph, then its rewrites, each rule with how often it was used and where first.
std::string graph_text(const FunctionRow& function, const GraphAccount& graph) {
  const GraphFigures before = graph.before(), after = graph.after();
  std::string out =
      fmt::format("\n  {}, trace {} of {}: {} → {} nodes, {} moved, {} FLOP\n", graph.name, graph.trace,
                  function.name, before.nodes, after.nodes, change(before.bytes, after.bytes, format_bytes),
                  change(before.flops, after.flops, format_count));
  TextTable passes({"pass", ">round", ">nodes", ">bytes", ">FLOP"});
  for (const PassAccount& pass : graph.passes) {
    const bool changed = pass.before.nodes != pass.after.nodes || pass.before.bytes != pass.after.bytes ||
                         pass.before.flops != pass.after.flops;
    if (!changed && !pass.off) continue;
    passes.row({std::string(pass.pass), fmt::format("{}", pass.round),
                pass.off ? "off" : fmt::format("{} → {}", pass.before.nodes, pass.after.nodes),
                pass.off ? "" : change(pass.before.bytes, pass.after.bytes, format_bytes),
                pass.off ? "" : change(pass.before.flops, pass.after.flops, format_count)});
  }
  if (!passes.empty()) out += passes.text(4);
  TextTable rewrites({"rule", "mark", "before", "after", "line"});
  for (std::size_t i = 0; i < std::min(graph.rewrites.size(), kShown); ++i) {
    const RewriteAccount& rewrite = graph.rewrites[i];
    rewrites.row({std::string(rewrite.rule), std::string(name_of(rewrite.kind)), std::string(rewrite.before),
                  std::string(rewrite.after), rewrite.site ? location_text(site_with_id(rewrite.site)) : ""});
  }
  if (!rewrites.empty()) out += rewrites.text(4) + rest_text(graph.rewrites.size(), "rewrites");
  TextTable loops({"fused loop", ">share alone", "runs as", "line"});
  for (std::size_t i = 0; i < std::min(graph.loops.size(), kShown); ++i) {
    const FusedLoopAccount& loop = graph.loops[i];
    const std::string as = loop.code == LoopCode::machine_code
                               ? fmt::format("machine code, {}, made in {}", format_bytes(loop.bytes),
                                             format_us(loop.microseconds))
                               : fmt::format("interpreter: {}", loop.why);
    const auto line = [](SiteId site) { return site ? location_text(site_with_id(site)) : std::string(); };
    loops.row({std::string(loop.op), "", as, line(loop.site)});
    for (const MemberAccount& member : loop.members)
      loops.row({"  " + std::string(member.op), fmt::format("{:.0f} %", member.share * 100), "",
                 line(member.site)});
  }
  if (!loops.empty()) out += loops.text(4) + rest_text(graph.loops.size(), "fused loops");
  for (const RecomputeAccount& hint : graph.hints) {
    out += fmt::format(
        "    {} at {} keeps {} for the backward pass and costs {} FLOP to compute again: see "
        "recompute_grad\n",
        hint.op, hint.site ? location_text(site_with_id(hint.site)) : "?", format_bytes(hint.bytes),
        format_count(hint.flops));
  }
  return out;
}

}  // namespace

TextTable functions_table(const RunReport& report) {
  TextTable table({"function", ">calls", ">traces", ">tracing", ">a run", ">nodes", "traced again because"});
  for (std::size_t i = 0; i < std::min(report.functions.size(), kShown); ++i) {
    const FunctionRow& row = report.functions[i];
    std::string why;
    if (!row.retraces.empty()) {
      const Retrace& last = row.retraces.back();
      why =
          fmt::format("{} of {}: {} → {} ({})", last.kind, last.argument, last.from, last.to, last.location);
    }
    table.row({row.name, fmt::format("{}", row.calls), fmt::format("{}", row.traces), format_us(row.trace_us),
               row.runs ? format_us(row.run_us / static_cast<double>(row.runs)) : "-",
               row.runs ? fmt::format("{}", row.nodes) : "-", why});
  }
  return table;
}

std::string functions_text(const RunReport& report) {
  std::string out = functions_table(report).text() + rest_text(report.functions.size(), "functions");
  for (const FunctionRow& row : report.functions) {
    for (const RetraceWarning& w : row.warnings) {
      out += fmt::format("  TensorFlow would warn at call {} of {}: {} of the last {} calls were traced\n",
                         w.call, row.name, w.traced, w.calls);
    }
    for (const UnrolledLoopRow& loop : row.loops) {
      out += fmt::format(
          "  trace {} of {} unrolled a loop: {} of its {} nodes are {} rounds, from {} at {} on\n",
          loop.trace, row.name, loop.nodes, loop.trace_nodes, loop.rounds, loop.op, loop.location);
    }
  }
  return out;
}

std::string graphs_text(const RunReport& report) {
  std::string out;
  for (const FunctionRow& row : report.functions) {
    for (std::size_t i = 0; i < std::min(row.graphs.size(), kShown); ++i)
      out += graph_text(row, *row.graphs[i]);
    out += rest_text(row.graphs.size(), "graphs");
  }
  return out;
}

std::string memory_figures(const TapeCounts& tape) {
  const std::string peak = fmt::format("peak {}", format_bytes(static_cast<double>(tape.peak_bytes)));
  if (tape.saved_bytes == 0) return peak;
  return fmt::format("{} saved for backward, {}", format_bytes(static_cast<double>(tape.saved_bytes)), peak);
}

std::string memory_text(const RunReport& report, const StepView* view) {
  std::string out = fmt::format("  {}\n", memory_figures(report.tape));
  if (!view || view->peak_op == kNoOp) return out;
  out += fmt::format("  the peak is at {} ({})\n\n", view->ops[view->peak_op].name,
                     view->ops[view->peak_op].location);
  const std::vector<HeldBuffer> at_peak = buffers_at_peak(*view);
  const bool savers = any_saver(at_peak);
  std::vector<std::string> headings = {"buffer", "type", ">size", "saved by", "held until"};
  if (!savers) headings.erase(headings.begin() + 3);
  TextTable table(std::move(headings));
  for (std::size_t i = 0; i < std::min(at_peak.size(), kShown); ++i) {
    const HeldBuffer& held = at_peak[i];
    std::vector<std::string> cells = {held.name, held.type, format_bytes(static_cast<double>(held.bytes))};
    if (savers) cells.emplace_back(held.saved_by == kNoOp ? "-" : view->ops[held.saved_by].name);
    cells.push_back(view->ops[held.to].name);
    table.row(std::move(cells));
  }
  return out + table.text() + rest_text(at_peak.size(), "buffers");
}

std::string steps_text(const Series<StepSummary>& steps) {
  TextTable table({">step", ">time", ">forward", ">backward", ">update", ">recorded", ">backward ops"});
  const std::size_t first = steps.size() > kShown ? steps.size() - kShown : 0;
  for (std::size_t i = first; i < steps.size(); ++i) {
    const StepSummary& step = steps[i];
    table.row({fmt::format("{}", step.step), format_us(step.step_us), format_us(step.forward_us),
               format_us(step.backward_us), format_us(step.update_us),
               fmt::format("{}", step.counts.recorded), fmt::format("{}", step.counts.backward_ops)});
  }
  return (first > 0 ? fmt::format("  the last {} of {} steps\n", kShown, steps.size()) : std::string()) +
         table.text();
}

}  // namespace tapescope
