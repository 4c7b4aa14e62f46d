// Draws functions and log.
#include "viewer/panels/lists.h"

#include <algorithm>
#include <fmt/format.h>

#include "viewer/app/widgets.h"
#include "viewer/panels/op_filter.h"

namespace tapescope::ui {
namespace {

void rule(PanelContext& c) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine({at.x + c.m().pad, at.y}, {at.x + ImGui::GetContentRegionAvail().x - c.m().pad, at.y}, c.color(Color::line), c.m().line);
}

}  // namespace

std::string FunctionsPanel::badge(const PanelContext& c) const {
  std::size_t retraces = 0;
  if (c.a != nullptr) {
    for (const FunctionRow& row : c.a->functions) retraces += row.retraces.size();
  }
  return retraces > 0 ? fmt::format("{}", retraces) : std::string();
}

void FunctionsPanel::draw(PanelContext& c) {
  if (c.a == nullptr || c.a->functions.empty()) {
    const bool ran = c.a != nullptr && !c.a->steps.empty();
    empty_state(c, "Traced functions: their calls, traces, and why each was traced again.", ran ? "This program calls no traced function." : "A run fills it.",
                ran ? "" : "run", "Run the sample");
    return;
  }
  const float pad = c.m().px(20);
  for (std::size_t i = 0; i < c.a->functions.size(); ++i) {
    const FunctionRow& f = c.a->functions[i];
    ImVec2 at = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x - 2 * pad, line = c.m().row_height;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float name = draw_text(list, c.fonts.bold, {at.x + pad, centred(c.fonts.bold, at.y, line)}, c.color(Color::text), f.name);
    std::string figures = fmt::format("{} calls   {} trace{}   {} tracing", f.calls, f.traces, f.traces == 1 ? "" : "s", format_us(f.trace_us));
    if (f.would_warn) figures += "   TensorFlow would warn";
    draw_text(list, c.fonts.mono, {at.x + pad + name + c.m().px(24), centred(c.fonts.mono, at.y, line)}, c.color(f.would_warn ? Color::cursor_text : Color::dim), figures);
    c.map.rect(fmt::format("functions/row/{}", f.name), f.name, at, {at.x + width, at.y + line});
    ImGui::Dummy({1, line});
    for (const Retrace& r : f.retraces) {
      at = ImGui::GetCursorScreenPos();
      const float x = at.x + pad + c.m().px(18);
      const std::string what = fmt::format("call {}   {}   {}: {} → {}", r.call, r.kind, r.argument, r.from, r.to);
      draw_elided(c, c.fonts.mono, {x, centred(c.fonts.mono, at.y, c.m().px(20))}, width * 0.5f, c.color(Color::text), what);
      draw_elided(c, c.fonts.mono, {at.x + pad + width * 0.55f, centred(c.fonts.mono, at.y, c.m().px(20))}, width * 0.14f, c.color(Color::value_text), r.location);
      draw_elided(c, c.fonts.small, {at.x + pad + width * 0.7f, centred(c.fonts.small, at.y, c.m().px(20))}, width * 0.3f, c.color(Color::good_text), r.fix);
      ImGui::Dummy({1, c.m().px(20)});
    }
    ImGui::Dummy({1, c.m().px(4)});
    rule(c);
  }
}

std::string FunctionsPanel::text(const PanelContext& c) const {
  std::string text;
  if (c.a == nullptr) return text;
  for (const FunctionRow& f : c.a->functions) {
    text += fmt::format("{}\t{} calls\t{} traces\t{}\n", f.name, f.calls, f.traces, format_us(f.trace_us));
    for (const Retrace& r : f.retraces) text += fmt::format("  call {}\t{}\t{}\t{} -> {}\t{}\t{}\n", r.call, r.kind, r.argument, r.from, r.to, r.location, r.fix);
  }
  return text;
}

void LogPanel::draw(PanelContext& c) {
  if (c.a == nullptr || c.a->log.empty()) {
    empty_state(c, "What the program and the tool said, by step.", c.a != nullptr && !c.a->steps.empty() ? "Nothing was said so far." : "A run fills it.");
    return;
  }
  if (c.a->version != version_ || filter_ != c.state.filter()) {
    version_ = c.a->version;
    filter_ = c.state.filter();
    const OpFilter filter(filter_);
    shown_.clear();
    for (std::uint32_t i = 0; i < c.a->log.size(); ++i) {
      if (filter.matches_text(c.a->log[i].text)) shown_.push_back(i);
    }
  }
  if (shown_.empty()) {
    empty_state(c, fmt::format("No line matches `{}` in {}.", filter_, c.a->log.size()), {}, "filter", "Clear the filter");
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown_.size()), c.m().row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const LogRow& line = c.a->log[shown_[static_cast<std::size_t>(i)]];
      const Row row = selectable_row(c, fmt::format("log/row/{}", shown_[static_cast<std::size_t>(i)]), line.text, c.m().row_height, false);
      if (!row.visible) continue;
      const float height = c.m().row_height, x = row.min.x + c.m().px(20), width = row.max.x - x - c.m().px(20);
      ImDrawList* list = ImGui::GetWindowDrawList();
      draw_text(list, c.fonts.mono, {x + c.m().px(60), centred(c.fonts.mono, row.min.y, height)}, c.color(Color::dim), fmt::format("step {}", line.step), Align::right);
      const char* sign = line.severity >= 2 ? "✗" : line.severity == 1 ? "!" : "";
      const Color color = line.severity >= 2 ? Color::broken_text : line.severity == 1 ? Color::caution_text : Color::text;
      draw_text(list, c.fonts.bold, {x + c.m().px(72), centred(c.fonts.bold, row.min.y, height)}, c.color(color), sign);
      draw_elided(c, c.fonts.text, {x + c.m().px(90), centred(c.fonts.text, row.min.y, height)}, width - c.m().px(90) - c.m().px(170), c.color(color), line.text);
      draw_elided(c, c.fonts.mono, {x + width, centred(c.fonts.mono, row.min.y, height)}, c.m().px(160), c.color(Color::value_text), line.location, Align::right);
    }
  }
  clipper.End();
  ImGui::PopStyleVar();
}

std::string LogPanel::text(const PanelContext& c) const {
  std::string text;
  if (c.a == nullptr) return text;
  for (std::size_t i = 0; i < c.a->log.size(); ++i) text += fmt::format("{}\t{}\t{}\n", c.a->log[i].step, c.a->log[i].text, c.a->log[i].location);
  return text;
}

}  // namespace tapescope::ui
