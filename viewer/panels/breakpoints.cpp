// Rows of breakpoints.
#include "viewer/panels/breakpoints.h"

#include <fmt/format.h>

#include "viewer/debugger/breakpoint_text.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

// A box with a tick at the left of a row; true when it was clicked.
bool tick_box(PanelContext& c, const std::string& id, ImVec2 at, bool on) {
  const float side = c.m().px(14), hit = c.m().hit;
  ImGui::SetCursorScreenPos({at.x, at.y - (hit - side) / 2});
  ImGui::PushID(id.c_str());
  const bool clicked = ImGui::InvisibleButton("tick", {hit, hit});
  ImGui::PopID();
  c.map.item(id, on ? "on" : "off");
  tooltip_words(c, id, on ? "Stops the program; a click switches it off" : "Is off; a click switches it on");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 min{at.x + (hit - side) / 2, at.y}, max{min.x + side, at.y + side};
  list->AddRectFilled(min, max, c.color(Color::window), c.m().rounding);
  list->AddRect(min, max, c.color(on ? Color::cursor : Color::dim), c.m().rounding, 0, c.m().line);
  if (on) {
    const ImU32 ink = c.color(Color::cursor);
    const ImVec2 low{min.x + side * 0.42f, min.y + side * 0.74f};
    list->AddLine({min.x + side * 0.2f, min.y + side * 0.5f}, low, ink, c.m().strong_line);
    list->AddLine(low, {min.x + side * 0.82f, min.y + side * 0.24f}, ink, c.m().strong_line);
  }
  return clicked;
}

std::string hits_text(const Breakpoint& breakpoint) {
  const std::string hits = fmt::format("{} hit{}", breakpoint.hits, breakpoint.hits == 1 ? "" : "s");
  return breakpoint.from_hit > 1 ? fmt::format("{}, stops from {}", hits, breakpoint.from_hit) : hits;
}

}  // namespace

std::string BreakpointsPanel::badge(const PanelContext& c) const {
  const std::size_t count = c.breakpoints.size();
  return count > 0 ? fmt::format("{}", count) : std::string();
}

void BreakpointsPanel::draw_header(PanelContext& c) {
  const ImVec2 min = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  ImGui::SetCursorScreenPos({min.x, min.y + std::round((size.y - c.m().px(26)) / 2)});
  if (text_button(c, "breakpoints/add", "Add", "Another condition to stop at", "break")) form_.open();
}

void BreakpointsPanel::draw(PanelContext& c) {
  form_.draw(c);
  if (c.breakpoints.empty()) {
    empty_state(c,
                "What the program stops at: an op, a name, a line, a backward pass, NaN, a norm, zeros, "
                "None, a retrace.",
                "F9 stops at the selected op, Shift+F9 at every op of its type. Add, above, chooses any "
                "other condition. Kept "
                "for its next run.",
                "palette break ", "Type one");
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGui::Dummy({1, c.m().px(6)});
  const float line = c.m().px(32), button = c.m().px(64), button_height = c.m().px(26);
  for (const Breakpoint& breakpoint : c.breakpoints) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float left = at.x + c.m().px(14), right = at.x + ImGui::GetContentRegionAvail().x - c.m().px(14);
    const std::string id = fmt::format("breakpoints/{}", breakpoint.id);
    if (tick_box(c, id + "/on", {left, at.y + std::round((line - c.m().px(14)) / 2)}, breakpoint.enabled)) {
      c.commands.post(fmt::format("break-{} {}", breakpoint.enabled ? "off" : "on", breakpoint.id));
    }
    float x = left + c.m().hit + c.m().px(10);
    const float end = right - 2 * button - c.m().px(8), words = (end - x) * 0.5f;
    const Color ink = breakpoint.enabled ? Color::text : Color::dim;
    draw_elided(c, c.fonts.text, {x, centred(c.fonts.text, at.y, line)}, words - c.m().px(10), c.color(ink),
                sentence_of(breakpoint));
    x += words;
    const float figures = (end - x) * 0.5f;
    draw_elided(c, c.fonts.mono, {x, centred(c.fonts.mono, at.y, line)}, figures - c.m().px(10),
                c.color(Color::value_text), text_of(breakpoint));
    draw_elided(c, c.fonts.mono, {end - c.m().px(10), centred(c.fonts.mono, at.y, line)},
                figures - c.m().px(10), c.color(Color::dim), hits_text(breakpoint), Align::right);
    const float button_y = at.y + std::round((line - button_height) / 2);
    ImGui::SetCursorScreenPos({end, button_y});
    if (text_button(c, id + "/edit", "Edit", "Changes the condition")) {
      form_.open(&breakpoint);
    }
    ImGui::SetCursorScreenPos({end + button, button_y});
    if (text_button(c, id + "/delete", "Delete", "Removes this breakpoint"))
      c.commands.post(fmt::format("break-delete {}", breakpoint.id));
    ImGui::SetCursorScreenPos({at.x, at.y + line});
  }
  ImGui::Dummy({1, c.m().px(6)});
  ImGui::PopStyleVar();
}

std::string BreakpointsPanel::text(const PanelContext& c) const {
  std::string text;
  for (const Breakpoint& breakpoint : c.breakpoints) {
    text += fmt::format("{}\t{}\t{}\t{} hits\n", breakpoint.id, text_of(breakpoint),
                        breakpoint.enabled ? "on" : "off", breakpoint.hits);
  }
  return text;
}

}  // namespace tapescope::ui
