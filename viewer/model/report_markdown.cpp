// The whole run as Markdown: tables as tables, alerts and advice as lists.
#include <fmt/format.h>
#include <algorithm>

#include "viewer/model/report_tables.h"
#include "viewer/model/units.h"

namespace tapescope {
namespace {

constexpr int kShownElements = 16;  // of an output

void add_rest(std::string& out, std::size_t all, std::string_view what) {
  if (all > kShownRows) out += fmt::format("\n… and {} more {}\n", all - kShownRows, what);
}

void add_table(std::string& out, std::string_view heading, const TextTable& table, std::size_t all,
               std::string_view what) {
  if (all == 0) return;
  out += fmt::format("\n#### {}\n\n{}", heading, table.markdown());
  add_rest(out, all, what);
}

// What is said, with its place and remedy.
void add_item(std::string& out, std::string_view kind, const std::string& text, std::string_view location,
              const std::string& remedy) {
  out += fmt::format("- **{}**: {}", markdown_text(kind), markdown_text(text));
  if (!location.empty() && text.find(location) == std::string::npos)
    out += fmt::format(" ({})", markdown_text(location));
  if (!remedy.empty()) out += "\n  " + markdown_text(remedy);
  out += "\n";
}

TextTable times_of(const RunReport& report) {
  TextTable table({"", ">median", ">p10", ">p90"});
  const auto row = [&](const char* what, const Quantiles& times) {
    table.row({what, format_us(times.median), format_us(times.p10), format_us(times.p90)});
  };
  row("step", report.step);
  if (!report.has_events) return table;
  row("forward", report.forward);
  row("backward", report.backward);
  row("update", report.update);
  return table;
}

}  // namespace

std::string report_markdown(const RunReport& report) {
  std::string out = "### " + markdown_text(report.sample);
  if (!report.variant.empty()) out += " · " + markdown_text(report.variant);
  out += fmt::format("\n\n{} step{}, seed {}, {} thread{}\n", report.steps, report.steps == 1 ? "" : "s",
                     report.seed, report.threads, report.threads == 1 ? "" : "s");
  const auto item = [&](std::string_view label, const std::string& text) {
    out += fmt::format("- {}: {}\n", markdown_text(label), markdown_text(text));
  };
  out += "\n";
  if (!report.failure.empty()) item("ended", report.failure);
  else if (!report.ending.well()) item("ended", sentence_of(report.ending));
  for (const ReportOutput& output : report.outputs)
    item(output.name, output.value ? values_text(output.value, kShownElements) : "None");
  if (!report.loss.empty())
    item("loss", fmt::format("{:.6g} to {:.6g}", report.loss.front(), report.loss.back()));
  for (const auto& [name, value] : report.metrics) item(name, fmt::format("{:.6g}", value));
  for (const RunReport::Error& error : report.errors) item("expected error at " + error.where, error.message);
  if (report.has_events) {
    const TapeCounts& tape = report.tape;
    item("tape", fmt::format("{} of {} ops recorded, {} not, {} ops backward", tape.recorded, tape.executed,
                             tape.not_recorded, tape.backward_ops));
    item("memory", memory_figures(tape));
    if (report.lost_events > 0)
      item("lost", fmt::format("{} events; figures below may be short", report.lost_events));
  }
  add_table(out, "Times", times_of(report), report.steps, "steps");
  add_table(out, "Functions", functions_table(report), report.functions.size(), "functions");
  add_table(out, "Gradients", gradients_table(report), report.gradients.size(), "sources");
  add_table(out, "Ops", ops_table(report), report.ops.size(), "op types");
  if (!report.alerts.empty()) out += "\n#### Alerts\n\n";
  for (std::size_t i = 0; i < std::min(report.alerts.size(), kShownRows); ++i) {
    const AlertRow& alert = report.alerts[i];
    add_item(out, alert.kind, alert.message, alert.location, alert.fix);
  }
  add_rest(out, report.alerts.size(), "alerts");
  if (!report.advice.empty()) out += "\n#### Advice\n\n";
  for (std::size_t i = 0; i < std::min(report.advice.size(), kShownRows); ++i) {
    const AdviceRow& advice = report.advice[i];
    add_item(out, advice.kind, advice.evidence, advice.location, advice.fix);
  }
  add_rest(out, report.advice.size(), "remarks");
  return out;
}

}  // namespace tapescope
