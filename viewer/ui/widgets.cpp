// Text by hand, rows, buttons and tooltips.
#include "viewer/ui/widgets.h"

#include <algorithm>
#include <cmath>

namespace tapescope::ui {
namespace {

constexpr double kWordsAfter = 0.4;  // seconds until a tooltip of words shows; figures show at once
constexpr float kTooltipText = 330, kTooltipPad = 9;  // as wide as its text gets, and beside it

// How many bytes the code point at `i` has.
std::size_t step_of(std::string_view text, std::size_t i) {
  std::size_t n = 1;
  while (i + n < text.size() && (static_cast<unsigned char>(text[i + n]) & 0xc0) == 0x80) ++n;
  return n;
}

// With it on the map, as what is seen: `text` is what it says.
void begin_tooltip(PanelContext& c, std::string_view text) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(c.m().px(kTooltipPad), c.m().px(7)));
  ImGui::BeginTooltip();
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  if (c.map.find("tooltip") == nullptr) c.map.rect("tooltip", text, at, {at.x + size.x, at.y + size.y});
}

// Above or below what it is of, so that it covers none of its neighbours; at the pointer where that is large.
void place_beside_item(PanelContext& c) {
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  if (max.x - min.x > c.m().px(240) || max.y - min.y > c.m().px(60)) return;
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  const bool low = min.y > screen.y / 2, right = min.x > screen.x / 2;
  // In a narrow window the widest still lies within it.
  const float widest = std::min(c.m().px(kTooltipText + 2 * kTooltipPad), screen.x);
  const float x = right ? std::max(max.x, widest) : std::min(min.x, screen.x - widest);
  ImGui::SetNextWindowPos({x, low ? min.y - c.m().gap : max.y + c.m().gap}, ImGuiCond_Always,
                          {right ? 1.0f : 0.0f, low ? 1.0f : 0.0f});
}

void end_tooltip() {
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

void tooltip_text(PanelContext& c, std::string_view text) {
  const float room = ImGui::GetIO().DisplaySize.x - c.m().px(2 * kTooltipPad);
  flowing_text(text, std::max(1.0f, std::min(c.m().px(kTooltipText), room)));
}

// Of text that may have several lines.
float text_height(const ImFont* font, std::string_view lines) {
  return font->CalcTextSizeA(font->FontSize, 1e9f, 0, lines.data(), lines.data() + lines.size()).y;
}

}  // namespace

float text_width(const ImFont* font, std::string_view text) {
  return font->CalcTextSizeA(font->FontSize, 1e9f, 0, text.data(), text.data() + text.size()).x;
}

float draw_text(ImDrawList* list, const ImFont* font, ImVec2 at, ImU32 color, std::string_view text,
                Align align) {
  if (text.empty()) return 0;
  const float width = text_width(font, text);
  if (align == Align::right) at.x -= width;
  if (align == Align::centre) at.x -= width / 2;
  list->AddText(font, font->FontSize, {std::round(at.x), std::round(at.y)}, color, text.data(),
                text.data() + text.size());
  return width;
}

std::string elide(const ImFont* font, std::string_view text, float width) {
  if (text_width(font, text) <= width) return std::string(text);
  const float room = width - text_width(font, "…");
  float used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const std::size_t n = step_of(text, end);
    used += text_width(font, text.substr(end, n));
    if (used > room) break;
    end += n;
  }
  return end == 0 && room <= 0 ? std::string() : std::string(text.substr(0, end)) + "…";
}

std::string elide_middle(const ImFont* font, std::string_view text, float width) {
  if (text_width(font, text) <= width) return std::string(text);
  const std::string head = elide(font, text, width / 2);
  const auto measure = [&](std::string_view part) { return text_width(font, part); };
  return head + std::string(fitting_end(text, width - text_width(font, head), measure));
}

std::string elide_name(const ImFont* font, std::string_view name, float width) {
  if (!is_path(name)) return elide(font, name, width);
  const auto measure = [&](std::string_view part) { return text_width(font, part); };
  const std::string_view end = fitting_end(name, width, measure);
  if (end.size() == name.size()) return std::string(name);
  return "…" + std::string(end_of_path(name, width - text_width(font, "…"), measure));
}

float draw_elided(PanelContext& c, const ImFont* font, ImVec2 at, float width, ImU32 color,
                  std::string_view text, Align align) {
  const std::string shown = elide(font, text, width);
  const float drawn = draw_text(ImGui::GetWindowDrawList(), font, at, color, shown, align);
  if (shown.size() == text.size() && shown == text) return drawn;
  const float left = align == Align::left ? at.x : align == Align::right ? at.x - drawn : at.x - drawn / 2;
  if (ImGui::IsWindowHovered() &&
      ImGui::IsMouseHoveringRect({left, at.y}, {left + drawn, at.y + font->FontSize})) {
    begin_tooltip(c, text);
    tooltip_text(c, text);
    end_tooltip();
  }
  return drawn;
}

std::string in_lines(const ImFont* font, std::string_view text, float width) {
  std::string lines;
  lines.reserve(text.size() + 8);
  while (!text.empty()) {
    const std::size_t paragraph = std::min(text.find('\n'), text.size());
    const char* begin = text.data();
    std::size_t end = static_cast<std::size_t>(
        font->CalcWordWrapPositionA(1, begin, begin + paragraph, std::max(width, 1.0f)) - begin);
    if (end < paragraph) {
      // ImGui breaks after a point or a comma too, which may be a number's.
      if (end == 0) end = step_of(text, 0);
      const std::size_t blank = text[end] == ' ' ? end : text.substr(0, end).rfind(' ');
      if (blank != std::string_view::npos && blank > 0) end = blank;
    }
    lines += text.substr(0, end);
    if (end == text.size()) break;
    lines += '\n';
    if (end == paragraph) ++end;
    else end = std::min(text.find_first_not_of(' ', end), paragraph);
    text.remove_prefix(end);
  }
  return lines;
}

float wrapped_height(const ImFont* font, std::string_view text, float width) {
  if (text.empty()) return 0;
  return text_height(font, in_lines(font, text, width));
}

float draw_wrapped(ImDrawList* list, const ImFont* font, ImVec2 at, float width, ImU32 color,
                   std::string_view text) {
  if (text.empty()) return 0;
  const std::string lines = in_lines(font, text, width);
  list->AddText(font, font->FontSize, {std::round(at.x), std::round(at.y)}, color, lines.data(),
                lines.data() + lines.size());
  return text_height(font, lines);
}

void flowing_text(std::string_view text, float width) {
  const std::string lines = in_lines(ImGui::GetFont(), text, width);
  ImGui::TextUnformatted(lines.data(), lines.data() + lines.size());
}

float centred(const ImFont* font, float y, float height) {
  return std::round(y + (height - font->FontSize) / 2);
}

void subheading(PanelContext& c, std::string_view text, std::string_view note) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = c.m().px(22);
  const float right = at.x + ImGui::GetContentRegionAvail().x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width =
      draw_text(list, c.fonts.bold, {at.x, centred(c.fonts.bold, at.y, height)}, c.color(Color::text), text);
  if (!note.empty()) {
    const float x = at.x + width + c.m().px(10);
    draw_elided(c, c.fonts.mono, {x, centred(c.fonts.mono, at.y, height)}, right - x, c.color(Color::dim),
                note);
  }
  ImGui::Dummy({1, height});
}

void key_value(PanelContext& c, std::string_view key, std::string_view value, Color value_color,
               float right) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = c.m().px(18);
  if (right <= 0) right = at.x + ImGui::GetContentRegionAvail().x;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width =
      draw_text(list, c.fonts.small, {at.x, centred(c.fonts.small, at.y, height)}, c.color(Color::dim), key);
  draw_elided(c, c.fonts.mono, {right, centred(c.fonts.mono, at.y, height)}, right - at.x - width - c.m().gap,
              c.color(value_color), value, Align::right);
  ImGui::Dummy({1, height});
}

void paragraph(PanelContext& c, std::string_view text, Color color) {
  ImGui::PushStyleColor(ImGuiCol_Text, c.color(color));
  flowing_text(text, ImGui::GetContentRegionAvail().x);
  ImGui::PopStyleColor();
}

void empty_state(PanelContext& c, std::string_view what, std::string_view remedy, std::string_view command,
                 std::string_view command_label) {
  const float width = std::min(ImGui::GetContentRegionAvail().x - 2 * c.m().pad, c.m().px(420));
  if (width < c.m().px(40)) return;
  const ImVec2 start = ImGui::GetCursorPos();
  ImGui::SetCursorPos({start.x + c.m().pad, start.y + c.m().pad});
  ImGui::BeginGroup();
  ImGui::PushStyleColor(ImGuiCol_Text, c.color(Color::text));
  flowing_text(what, width);
  ImGui::PopStyleColor();
  if (!remedy.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, c.color(Color::dim));
    flowing_text(remedy, width);
    ImGui::PopStyleColor();
  }
  ImGui::EndGroup();
  if (command.empty()) return;
  ImGui::SetCursorPosX(start.x + c.m().pad);
  const std::string id = std::string(c.panel) + "/empty";
  if (text_button(c, id, command_label, what, command)) c.commands.post(std::string(command));
}

namespace {

// `filler`: "whole step", or "op".
void awaits(PanelContext& c, std::string_view what, std::string_view filler) {
  const std::string fills = fmt::format("The first {} fills it.", filler);
  switch (c.status.mode) {
    case RunMode::idle: return empty_state(c, what, "A run fills it.", "run", "Run the sample");
    case RunMode::running: return empty_state(c, what, fills);
    case RunMode::paused: return empty_state(c, what, fills, "run", "Continue");
    case RunMode::finished:
      return empty_state(c, what, fmt::format("The program ended before its first {}.", filler));
  }
}

}  // namespace

void awaits_step(PanelContext& c, std::string_view what) { awaits(c, what, "whole step"); }

void awaits_op(PanelContext& c, std::string_view what) { awaits(c, what, "op"); }

Row selectable_row(PanelContext& c, std::string_view id, std::string_view label, float height,
                   bool selected) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Row row;
  row.min = at;
  row.max = {at.x + std::max(1.0f, ImGui::GetContentRegionAvail().x), at.y + height};
  ImGui::PushID(id.data(), id.data() + id.size());
  row.clicked = ImGui::InvisibleButton("row", {row.max.x - row.min.x, height});
  row.hovered = ImGui::IsItemHovered();
  row.double_clicked = row.hovered && ImGui::IsMouseDoubleClicked(0);
  row.visible = ImGui::IsItemVisible();
  ImGui::PopID();
  if (!row.visible) return row;
  c.map.item(id, label);
  if (selected || row.hovered) {
    const float inset = c.m().gap;
    ImGui::GetWindowDrawList()->AddRectFilled(
        {row.min.x + inset, row.min.y}, {row.max.x - inset, row.max.y},
        c.color(selected ? Color::selection : Color::hovered, selected ? 1 : 0.6f), c.m().rounding);
  }
  return row;
}

bool text_button(PanelContext& c, std::string_view id, std::string_view label, std::string_view tooltip,
                 std::string_view command, bool enabled, bool active) {
  const float height = c.m().px(26);
  const float width = text_width(c.fonts.text, label) + c.m().px(20);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::PushID(id.data(), id.data() + id.size());
  const bool clicked = ImGui::InvisibleButton("button", {width, height}) && enabled;
  const bool hovered = ImGui::IsItemHovered();
  ImGui::PopID();
  if (ImGui::IsItemVisible()) c.map.item(id, label, enabled);
  const ImVec2 max{at.x + width, at.y + height};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, max, c.color(hovered && enabled ? Color::hovered : Color::raised), c.m().rounding);
  list->AddRect(at, max, c.color(active ? Color::cursor : Color::line), c.m().rounding, 0,
                active ? c.m().strong_line : c.m().line);
  draw_text(list, c.fonts.text, {(at.x + max.x) / 2, centred(c.fonts.text, at.y, height)},
            c.color(enabled ? Color::text : Color::dim), label, Align::centre);
  tooltip_words(c, id, tooltip, command.empty() ? std::string() : c.commands.keys(command));
  return clicked;
}

float cold_mark(PanelContext& c, std::string_view id, ImVec2 right_middle, float room) {
  const std::string_view cold = "first step: cold";
  const float width = text_width(c.fonts.small, cold) + c.m().px(16), half = c.m().hit / 2;
  if (room < width) return 0;
  const ImVec2 from{right_middle.x - width, right_middle.y - half};
  draw_text(ImGui::GetWindowDrawList(), c.fonts.small, {from.x, centred(c.fonts.small, right_middle.y, 0)},
            c.color(Color::caution_text), cold);
  c.map.rect(id, cold, from, {right_middle.x, right_middle.y + half});
  return width;
}

void tooltip_numbers(PanelContext& c, std::string_view id, std::string_view text) {
  c.map.has_tooltip(id);
  if (!ImGui::IsItemHovered()) return;
  begin_tooltip(c, text);
  {
    const FontScope font(c.fonts.mono);
    tooltip_text(c, text);
  }
  end_tooltip();
}

bool pointer_rests(PanelContext& c) {
  if (c.hover_seconds >= kWordsAfter) return true;
  // The window sleeps between inputs: it has to be woken for the words to come.
  if (c.hover_seconds >= 0) c.wants_frame = true;
  return false;
}

void tooltip_words(PanelContext& c, std::string_view id, std::string_view text, std::string_view keys) {
  c.map.has_tooltip(id);
  if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
  if (ImGui::GetCurrentContext() == nullptr || ImGui::GetIO().MouseDown[0]) return;
  if (!pointer_rests(c)) return;
  place_beside_item(c);
  begin_tooltip(c, text);
  tooltip_text(c, text);
  if (!keys.empty()) {
    ImGui::PushStyleColor(ImGuiCol_Text, c.color(Color::dim));
    tooltip_text(c, keys);
    ImGui::PopStyleColor();
  }
  end_tooltip();
}

}  // namespace tapescope::ui
