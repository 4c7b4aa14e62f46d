// A run's figures from its events, and its texts.
#include "viewer/model/report.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "viewer/model/advice.h"
#include "viewer/model/report_tables.h"
#include "viewer/model/units.h"

namespace tapescope {
namespace {

// A recording has no variant.
std::string title(const RunReport& report) {
  return report.variant.empty() ? report.sample : fmt::format("{} · {}", report.sample, report.variant);
}

std::string output_text(const ReportOutput& output) {
  if (!output.value) return "None";
  return values_text(output.value, 16);
}

std::string quantiles_text(const Quantiles& q) {
  if (q.min == q.p90) return format_us(q.median);  // a single step has no spread
  return fmt::format("{} (p10 {}, p90 {}, min {})", format_us(q.median), format_us(q.p10), format_us(q.p90),
                     format_us(q.min));
}

std::string loss_text(const std::vector<double>& loss, std::uint64_t left) {
  if (loss.size() == 1) return fmt::format("{:.6g}", loss.front());
  return fmt::format("{:.6g} → {:.6g} over {} steps", loss.front(), loss.back(), loss.size() + left);
}

}  // namespace

void add_step_times(RunReport& report, const std::vector<double>& step_us) {
  if (step_us.empty()) return;
  report.first_step = step_us.front();
  std::vector<double> rest(step_us.begin() + (step_us.size() > 1 ? 1 : 0), step_us.end());
  report.step = quantiles_of(std::move(rest));
}

void add_events(RunReport& report, const Snapshot& snapshot) {
  report.has_events = true;
  report.lost_events = snapshot.lost_events;
  report.thinned = snapshot.thinned;
  std::vector<double> step, forward, backward, update;
  const std::size_t count = snapshot.steps.size();
  for (std::size_t i = count > 1 ? 1 : 0; i < count; ++i) {
    const StepSummary& summary = snapshot.steps[i];
    step.push_back(summary.step_us);
    forward.push_back(summary.forward_us);
    backward.push_back(summary.backward_us);
    update.push_back(summary.update_us);
  }
  if (count > 0) report.first_step = snapshot.steps[0].step_us;
  if (!step.empty()) {
    report.step = quantiles_of(std::move(step));
    report.forward = quantiles_of(std::move(forward));
    report.backward = quantiles_of(std::move(backward));
    report.update = quantiles_of(std::move(update));
  }
  if (snapshot.complete) report.tape = snapshot.complete->counts;
  report.functions = snapshot.functions;
  report.gradients = snapshot.gradients;
  report.ops = snapshot.op_kinds;
  report.alerts = snapshot.alerts;
  report.advice = advise(snapshot);
}

std::string run_text(const RunReport& report) {
  std::string out = title(report);
  out += fmt::format("   {} step{}, seed {}, {} thread{}\n\n", report.steps, report.steps == 1 ? "" : "s",
                     report.seed, report.threads, report.threads == 1 ? "" : "s");
  const auto line = [&](std::string_view label, const std::string& text) {
    out += fmt::format("  {:<10}{}\n", label, text);
  };
  if (!report.failure.empty()) line("ended", report.failure);
  else if (!report.ending.well()) line("ended", sentence_of(report.ending));
  for (const ReportOutput& output : report.outputs) {
    out += fmt::format("  {} = {}\n", output.name, output_text(output));
  }
  if (!report.loss.empty()) line("loss", loss_text(report.loss, report.losses_left));
  for (const auto& [name, value] : report.metrics) out += fmt::format("  {} = {:.6g}\n", name, value);
  for (const RunReport::Error& error : report.errors) {
    out += fmt::format("  expected error at {}: {}\n", error.where, error.message);
  }
  if (report.steps > 0) {
    out += "\n";
    line("step", quantiles_text(report.step));
    if (report.has_events) {
      line("forward", quantiles_text(report.forward));
      line("backward", quantiles_text(report.backward));
      line("update", quantiles_text(report.update));
    }
    if (report.steps > 1) line("first", format_us(report.first_step));
  }
  if (!report.has_events) return out;
  const TapeCounts& tape = report.tape;
  out += "\n";
  line("tape", fmt::format("{} of {} ops recorded, {} not; {} ops backward", tape.recorded, tape.executed,
                           tape.not_recorded, tape.backward_ops));
  line("memory", memory_figures(tape));
  if (report.lost_events)
    line("lost", fmt::format("{} events; figures below may be short", report.lost_events));
  if (report.thinned.steps)
    line("thinned", fmt::format("{} of those, ops of {} steps: the line to the window was narrow",
                                report.thinned.records, report.thinned.steps));
  if (!report.functions.empty()) out += "\n" + functions_text(report);
  if (!report.gradients.empty()) out += "\n" + gradients_text(report);
  if (!report.ops.empty()) out += "\n" + ops_text(report);
  if (!report.alerts.empty()) out += "\n" + alerts_text(report);
  if (!report.advice.empty()) out += "\n" + advice_text(report);
  return out;
}

std::string explain_text(const RunReport& report) {
  std::string out = title(report) + "\n";
  bool any = false;
  for (const GradientRow& row : report.gradients) {
    if (row.status == GradientStatus::value) continue;
    any = true;
    const std::string_view is = row.status == GradientStatus::none   ? "None"
                                : row.status == GradientStatus::zero ? "zero"
                                : row.status == GradientStatus::unconnected_zero
                                    ? "zero because nothing connects it"
                                    : "not finite";
    out += fmt::format("\nThe gradient of {} with respect to {} is {}", row.target, row.source, is);
    if (!row.reason.empty()) out += fmt::format(" ({})", row.reason);
    out += row.asked_at.empty() ? ".\n" : fmt::format(", asked for at {}.\n", row.asked_at);
    if (!row.message.empty()) out += fmt::format("  why    {}\n", row.message);
    if (!row.location.empty()) out += fmt::format("  where  {}\n", row.location);
    if (!row.fix.empty()) out += fmt::format("  fix    {}\n", row.fix);
    if (!row.path.empty() || !row.edge.op.empty()) {
      const auto item = [](const PathItem& p) {
        return p.location.empty() ? p.name : fmt::format("{} ({})", p.name, p.location);
      };
      std::string path;
      for (const PathItem& p : row.path) path += (path.empty() ? "" : " ← ") + item(p);
      // The break may be the last op of the path itself.
      const bool named = !row.path.empty() && row.path.back().output == row.edge.output &&
                         row.path.back().name == row.edge.name;
      if (!named) path += (path.empty() ? "" : " ← ") + item(row.edge);
      out += fmt::format("  path   {} ✕ {}\n", path, row.source);
    }
  }
  for (const AlertRow& alert : report.alerts) {
    if (alert.kind == "none") continue;  // printed above
    any = true;
    out += fmt::format("\n{}: {}", alert.kind, alert.message);
    out += alert.message.ends_with('.') ? "\n" : ".\n";
    if (!alert.op.empty()) out += fmt::format("  op     {}\n", alert.op);
    if (!alert.location.empty()) out += fmt::format("  where  {}\n", alert.location);
    if (!alert.fix.empty()) out += fmt::format("  fix    {}\n", alert.fix);
  }
  for (const AdviceRow& advice : report.advice) {
    any = true;
    out += fmt::format("\nadvice: {} ({})\n  why    {}\n  fix    {}\n", advice.subject, advice.kind,
                       advice.evidence, advice.fix);
    if (!advice.location.empty()) out += fmt::format("  where  {}\n", advice.location);
    if (advice.saving_us > 0) {
      out += fmt::format("  saves  {} a step, {}\n", format_us(advice.saving_us),
                         advice.measured ? "measured" : "estimated");
    }
  }
  const Verdict verdict = verdict_of(report);
  if (verdict == Verdict::cannot_say) {
    out += fmt::format("\nCannot say whether something is wrong, after {} step{}: {}.\n", report.steps,
                       report.steps == 1 ? "" : "s", doubt_of(report));
  } else if (!any) {
    const std::size_t sources = report.gradients.size();
    out += fmt::format("\nNothing is wrong: {} gradient{} with a value, no alert.\n", sources,
                       sources == 1 ? "" : "s");
  }
  return out;
}

}  // namespace tapescope
