// The whole run: a bar for each step, the loss above them, a mark for each alert, and where one is in it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

namespace tapescope::ui {
namespace {

constexpr float kBars = 0.62f;  // of the height, what bars take; the loss takes all of it

struct Strip {
  Workbench& w;
  PanelContext& c;
  const Snapshot& run;
  const RunOverview& all;
  float x, y, width, height;  // of the figure

  float left_of(std::size_t column) const {
    return x + width * static_cast<float>(column) / static_cast<float>(all.columns.size());
  }
  float x_of_step(std::uint64_t step, bool end = false) const {
    const auto index = static_cast<float>(index_of_step(run, step)) + (end ? 1.0f : 0.0f);
    return x + width * index / static_cast<float>(run.steps.size());
  }
  std::uint64_t step_at(float at) const {
    const float t = std::clamp((at - x) / width, 0.0f, 1.0f);
    const auto index = static_cast<std::size_t>(t * static_cast<float>(run.steps.size()));
    return run.steps[std::min(index, run.steps.size() - 1)].step;
  }
};

void draw_figure(const Strip& s) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const PanelContext& c = s.c;
  const float bottom = s.y + s.height, bars = s.height * kBars;
  const double most =
      std::min(s.all.most_us, 4 * s.all.median_us);  // one slow step does not flatten the rest
  const bool has_loss = s.all.loss_low <= s.all.loss_high;
  const float spread = std::max(s.all.loss_high - s.all.loss_low, 1e-30f);
  const auto y_of = [&](float loss) {
    return bottom - c.m().px(2) - (loss - s.all.loss_low) / spread * (s.height - c.m().px(8));
  };
  ImVec2 before{-1, 0};
  for (std::size_t i = 0; i < s.all.columns.size(); ++i) {
    const OverviewColumn& column = s.all.columns[i];
    const float x0 = s.left_of(i),
                x1 = std::max(x0 + 1,
                              s.left_of(i + 1) -
                                  (s.width > 4.0f * static_cast<float>(s.all.columns.size()) ? 1.0f : 0.0f));
    const bool above = column.step_us > most;
    const float share = most > 0 ? static_cast<float>(std::min(1.0, column.step_us / most)) : 0;
    list->AddRectFilled({x0, bottom - std::max(1.0f, bars * share)}, {x1, bottom},
                        c.color(above ? Color::dim : Color::faint, 0.55f));
    if (column.nonfinite)
      list->AddRectFilled({x0, s.y}, {std::max(x1, x0 + c.m().px(2)), bottom}, c.color(Color::broken, 0.35f));
    if (has_loss && column.loss_low <= column.loss_high) {
      const ImVec2 here{(x0 + x1) / 2, y_of((column.loss_low + column.loss_high) / 2)};
      if (before.x >= 0) list->AddLine(before, here, c.color(Color::value), c.m().strong_line);
      else if (s.all.columns.size() == 1) list->AddCircleFilled(here, c.m().px(2), c.color(Color::value));
      before = here;
    }
  }
  for (std::size_t i = 0; i < s.all.columns.size(); ++i) {
    if (!s.all.columns[i].alert) continue;
    const float at = (s.left_of(i) + s.left_of(i + 1)) / 2, half = c.m().px(4);
    list->AddTriangleFilled({at - half, s.y - c.m().px(1)}, {at + half, s.y - c.m().px(1)},
                            {at, s.y + c.m().px(6)}, c.color(Color::broken));
  }
}

void draw_marks(const Strip& s) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const PanelContext& c = s.c;
  const StepRange& chosen = s.w.state.chosen_steps;
  if (!chosen.empty()) {
    const float x0 = s.x_of_step(chosen.first),
                x1 = std::max(x0 + c.m().px(2), s.x_of_step(chosen.last, true));
    list->AddRectFilled({x0, s.y}, {x1, s.y + s.height}, c.color(Color::cursor, 0.2f));
    list->AddRect({x0, s.y}, {x1, s.y + s.height}, c.color(Color::cursor), 0, 0, c.m().line);
  }
  const auto view = s.run.shown();
  if (view == nullptr) return;
  const float here = std::min(s.x + s.width - c.m().px(1), s.x_of_step(view->step, true));
  list->AddLine({here, s.y - c.m().px(2)}, {here, s.y + s.height}, c.color(Color::cursor), c.m().strong_line);
}

std::string words_at(const Strip& s, float at) {
  const std::size_t columns = s.all.columns.size();
  const float t = std::clamp((at - s.x) / s.width, 0.0f, 0.9999f);
  const OverviewColumn& column = s.all.columns[static_cast<std::size_t>(t * static_cast<float>(columns))];
  const std::uint64_t first = s.run.steps[column.first].step, last = s.run.steps[column.last].step;
  std::string words = first == last
                          ? fmt::format("step {}  {}", s.run.step_shown(first), format_us(column.step_us))
                          : fmt::format("steps {} to {}\nslowest  {}", s.run.step_shown(first),
                                        s.run.step_shown(last), format_us(column.step_us));
  if (column.first == 0) words += "\nthe first step begins cold";
  if (column.loss_low <= column.loss_high)
    words +=
        column.loss_low == column.loss_high
            ? fmt::format("\nloss  {}", format_value(column.loss_low))
            : fmt::format("\nloss  {} to {}", format_value(column.loss_low), format_value(column.loss_high));
  if (column.nonfinite) words += "\nloss  not finite";
  for (const AlertRow& alert : s.run.alerts) {
    if (alert.step >= first && alert.step <= last) words += "\n" + alert.message.substr(0, 72);
  }
  return words;
}

void handle_pointer(const Strip& s) {
  Workbench& w = s.w;
  const float at = ImGui::GetIO().MousePos.x;
  if (ImGui::IsItemActivated()) w.run_strip.pressed = static_cast<std::int64_t>(s.step_at(at));
  if (w.run_strip.pressed < 0) return;
  const auto from = static_cast<std::uint64_t>(w.run_strip.pressed), to = s.step_at(at);
  const bool dragged = ImGui::IsMouseDragging(0, 3 * s.c.m().scale) || from != to;
  if (ImGui::IsItemActive()) {
    if (dragged)
      s.c.commands.post(fmt::format("choose-steps {} {}", s.run.step_shown(from), s.run.step_shown(to)));
    return;
  }
  w.run_strip.pressed = -1;
  if (!dragged) s.c.commands.post(fmt::format("go-step {}", s.run.step_shown(to)));
}

}  // namespace

void draw_run_strip(Workbench& w, PanelContext& c, const Rect& at) {
  const Region region("run-strip", at, c.color(Color::panel),
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const Snapshot& run = *w.a;
  const float gutter = c.m().px(92), margin = at.w > c.m().px(900) ? c.m().px(170) : c.m().pad;
  const Strip frame{w,
                    c,
                    run,
                    w.run_strip.overview,
                    at.x + gutter,
                    at.y + c.m().px(6),
                    std::max(1.0f, at.w - gutter - margin),
                    at.h - c.m().px(10)};
  const auto columns = static_cast<std::size_t>(std::max(1.0f, frame.width / std::max(1.0f, c.m().px(2))));
  RunStrip& kept = w.run_strip;
  if (kept.version != run.version || kept.columns != columns) {
    kept.overview = overview_of(run, columns);
    kept.version = run.version, kept.columns = columns;
  }
  if (kept.overview.columns.empty()) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float line = at.h / 2;
  draw_text(list, c.fonts.bold, {at.x + c.m().pad, centred(c.fonts.bold, at.y + c.m().px(2), line)},
            c.color(Color::text), "run");
  draw_text(list, c.fonts.small, {at.x + c.m().pad, centred(c.fonts.small, at.y + line - c.m().px(3), line)},
            c.color(Color::dim), fmt::format("{} steps", run.steps.count()));
  ImGui::SetCursorScreenPos({frame.x, at.y});
  ImGui::InvisibleButton("strip", {frame.width, at.h});
  c.map.item("strip/run", fmt::format("{} steps", run.steps.count()));
  handle_pointer(frame);
  draw_figure(frame);
  draw_marks(frame);
  tooltip_numbers(c, "strip/run",
                  ImGui::IsItemHovered() ? words_at(frame, ImGui::GetIO().MousePos.x) : std::string());
  if (margin < c.m().px(100)) return;
  const StepRange& chosen = w.state.chosen_steps;
  const bool several = !chosen.empty() && chosen.last > chosen.first;
  const std::string upper =
      chosen.empty() ? fmt::format("median {}", format_us(kept.overview.median_us))
      : several ? fmt::format("steps {} to {}", run.step_shown(chosen.first), run.step_shown(chosen.last))
                : fmt::format("step {}", run.step_shown(chosen.first));
  const float right = at.right() - c.m().px(14);
  c.map.rect("words/run", upper, {at.right() - margin, at.y}, {right, at.bottom()});
  draw_text(list, c.fonts.mono, {right, centred(c.fonts.mono, at.y + c.m().px(2), line)},
            c.color(Color::text), upper, Align::right);
  std::string lower = "a step";
  if (!chosen.empty()) {
    double us = 0;
    for (std::size_t i = index_of_step(run, chosen.first); i <= index_of_step(run, chosen.last); ++i)
      us += run.steps[i].step_us;
    lower = format_us(us);
  }
  draw_text(list, c.fonts.small, {right, centred(c.fonts.small, at.y + line - c.m().px(3), line)},
            c.color(Color::dim), lower, Align::right);
}

}  // namespace tapescope::ui
