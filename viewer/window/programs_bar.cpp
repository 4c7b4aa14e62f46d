// The switch between several open programs: each with its state, which one is A, which one is B.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/ui/icons.h"
#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

namespace tapescope::ui {
namespace {

struct Look {
  Icon icon;
  Color color;
  const char* word;
};

Look look_of(const ProgramRow& program) {
  switch (program.status.mode) {
    case RunMode::idle: return {Icon::stop, Color::faint, "not run"};
    case RunMode::running: return {Icon::run, Color::good, program.recording ? "reading" : "running"};
    case RunMode::paused:
      return {Icon::pause, Color::cursor, program.recording ? "recording, in a step" : "paused"};
    case RunMode::finished: break;
  }
  const bool broken = !program.status.error.empty();
  const char* const word = program.recording ? (broken ? "recording, not whole" : "recording")
                           : broken          ? "ended early"
                                             : "ended";
  return {Icon::stop, broken ? Color::broken : Color::dim, word};
}

// Widths of a program's field, at scale 1. Below the first there is room for its name alone; below the
// others, of a program and of a rank ("A rank 255"), not for that, so that some are left to the list.
constexpr float kLeastWithButtons = 190, kLeastWithName = 78, kLeastOfRank = 104;

void draw_cross(PanelContext& c, const Rect& at, Color ink) {
  const ImVec2 o{at.x + at.w / 2, at.y + at.h / 2};
  const float r = c.m().px(3.5f);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine({o.x - r, o.y - r}, {o.x + r, o.y + r}, c.color(ink), c.m().strong_line);
  list->AddLine({o.x - r, o.y + r}, {o.x + r, o.y - r}, c.color(ink), c.m().strong_line);
}

// A word that is clicked; "close" is drawn as a cross.
bool small_button(PanelContext& c, const std::string& id, std::string_view label, std::string_view help,
                  const Rect& at, Color ink) {
  ImGui::SetCursorScreenPos({at.x, at.y});
  const bool clicked = ImGui::InvisibleButton(id.c_str(), {at.w, at.h});
  c.map.item(id, label);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered)
    list->AddRectFilled({at.x, at.y}, {at.right(), at.bottom()}, c.color(Color::hovered), c.m().rounding);
  if (hovered) ink = Color::text;
  if (label == "close") draw_cross(c, at, ink);
  else
    draw_text(list, c.fonts.bold, {at.x + at.w / 2, centred(c.fonts.bold, at.y, at.h)}, c.color(ink), label,
              Align::centre);
  tooltip_words(c, id, help);
  return clicked;
}

float wanted_width(PanelContext& c, const ProgramRow& program) {
  const Metrics& m = c.m();
  return std::round(m.px(56) + text_width(c.fonts.text, program.title) + m.px(10) +
                    text_width(c.fonts.small, look_of(program).word) + m.px(58));
}

void draw_program(PanelContext& c, const ProgramRow& program, std::size_t number, const Rect& at) {
  const Metrics& m = c.m();
  const std::string id = fmt::format("programs/{}", number);
  const Look look = look_of(program);
  const bool buttons = at.w >= m.px(kLeastWithButtons);
  const float end = at.right() - (buttons ? m.px(48) : m.px(6));
  ImGui::SetCursorScreenPos({at.x, at.y});
  const bool clicked = ImGui::InvisibleButton(id.c_str(), {std::max(1.0f, end - at.x), at.h});
  c.map.item(id, program.title);
  const bool hovered = ImGui::IsItemHovered();
  const std::string& of = program.process;
  const std::string& wrong = program.status.error;
  tooltip_words(c, id,
                fmt::format("{}{}{}: {}, step {}. {}{}{}", program.title, of.empty() ? "" : ", ", of,
                            look.word, program.status.step, wrong, wrong.empty() ? "" : ". ",
                            program.in_focus ? "Every panel shows it" : "Click to have every panel show it"));
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 min{at.x, at.y}, max{at.right(), at.bottom()};
  list->AddRectFilled(min, max,
                      c.color(hovered && !program.in_focus ? Color::hovered
                              : program.in_focus           ? Color::selection
                                                           : Color::window),
                      m.rounding);
  const Color edge = program.in_focus ? Color::cursor : program.beside ? Color::value : Color::line;
  list->AddRect(min, max, c.color(edge), m.rounding, 0, edge == Color::line ? m.line : m.strong_line);
  draw_icon(list, look.icon, {std::round(at.x + m.px(15)), std::round(at.y + at.h / 2)}, m.scale * 0.62f,
            c.color(look.color));
  float x = at.x + m.px(28);
  if (program.in_focus || program.beside) {
    const Color letter = program.in_focus ? Color::cursor_text : Color::value_text;
    draw_text(list, c.fonts.bold, {x, centred(c.fonts.bold, at.y, at.h)}, c.color(letter),
              program.in_focus ? "A" : "B");
    x += m.px(18);
  }
  // Names of a job's recordings begin and end alike.
  const std::string name =
      !buttons && program.place.rank ? fmt::format("rank {}", *program.place.rank) : program.title;
  const float title = std::min(text_width(c.fonts.text, name), end - x);
  draw_text(list, c.fonts.text, {x, centred(c.fonts.text, at.y, at.h)}, c.color(Color::text),
            elide_middle(c.fonts.text, name, title + 1));
  x += title + m.px(10);
  if (x + text_width(c.fonts.small, look.word) <= end) {
    draw_text(list, c.fonts.small, {x, centred(c.fonts.small, at.y, at.h)}, c.color(Color::dim), look.word);
  }
  if (clicked) c.commands.post(fmt::format("program {}", number));
  if (!buttons) return;
  const float side = m.hit, y = std::round(at.y + (at.h - side) / 2);
  if (!program.in_focus) {
    const bool on = program.beside;
    if (small_button(
            c, id + "/beside", "B",
            on ? "Shown as program B. Click: A stands alone again" : "Shows it as program B, beside A",
            {end + m.px(2), y, side, side}, on ? Color::value_text : Color::dim)) {
      c.commands.post(on ? "beside off" : fmt::format("beside {}", number));
    }
  }
  if (small_button(c, id + "/close", "close", "Lets go of it; an attached program runs on",
                   {end + m.px(24), y, side, side}, Color::dim)) {
    c.commands.post(fmt::format("close-beside {}", number));
  }
}

// The button behind the fields that have room; its list has all programs.
void draw_more(PanelContext& c, std::size_t hidden, const Rect& at) {
  const Metrics& m = c.m();
  const std::string label = fmt::format("{} more", hidden);
  if (small_button(c, "programs-more", label, "All programs, as a list", at, Color::dim))
    ImGui::OpenPopup("programs-list");
  ImGui::SetNextWindowPos({at.right(), at.bottom() + m.px(2)}, ImGuiCond_Always, {1, 0});
  const float below = ImGui::GetIO().DisplaySize.y - at.bottom() - m.px(12);
  ImGui::SetNextWindowSizeConstraints({0, 0}, {m.px(660), std::max(m.px(120), below)});
  if (!ImGui::BeginPopup("programs-list")) return;
  float titles = 0, words = 0;
  for (const ProgramRow& program : c.programs) {
    titles = std::max(titles, text_width(c.fonts.text, program.title));
    words = std::max(words, text_width(c.fonts.small, look_of(program).word));
  }
  const float high = m.px(22), mark = m.px(22), word_at = mark + titles + m.px(12);
  for (std::size_t i = 0; i < c.programs.size(); ++i) {
    const ProgramRow& program = c.programs[i];
    const Look look = look_of(program);
    const std::string id = fmt::format("programs-more/{}", i + 1);
    const ImVec2 from = ImGui::GetCursorScreenPos();
    if (ImGui::Selectable(("##" + id).c_str(), program.in_focus, 0, {word_at + words + m.px(8), high}))
      c.commands.post(fmt::format("program {}", i + 1));
    c.map.item(id, program.title);
    if (program.in_focus && ImGui::IsWindowAppearing()) ImGui::SetScrollHereY();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_icon(list, look.icon, {std::round(from.x + mark / 2), std::round(from.y + high / 2)},
              m.scale * 0.62f, c.color(look.color));
    draw_text(list, c.fonts.text, {from.x + mark, centred(c.fonts.text, from.y, high)}, c.color(Color::text),
              program.title);
    draw_text(list, c.fonts.small, {from.x + word_at, centred(c.fonts.small, from.y, high)},
              c.color(Color::dim), look.word);
  }
  ImGui::EndPopup();
}

}  // namespace

void draw_programs(Workbench& w, PanelContext& c, const Rect& at) {
  const Metrics& m = c.m();
  const Region region("programs", at, c.color(Color::raised),
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  const float gap = m.px(6), side = m.px(24), y = std::round(at.y + (at.h - side) / 2);
  float right = at.right() - m.px(14);
  for (const char* command : {"run-all", "pause-all"}) {
    const Command& entry = *w.table.find(command);
    if (!w.unavailable(entry).empty()) continue;
    const float width = text_width(c.fonts.bold, entry.title) + m.px(16);
    if (right - width < at.x + at.w / 2) break;
    right -= width;
    if (small_button(c, std::string("programs/") + command, entry.title, entry.help, {right, y, width, side},
                     Color::dim)) {
      c.commands.post(command);
    }
  }
  std::vector<float> widths;
  float wanted = 0;
  for (const ProgramRow& program : w.programs) {
    widths.push_back(wanted_width(c, program));
    wanted += widths.back() + gap;
  }
  // Where they do not fit all have the same room; where that is no room, those about the one in focus have
  // it.
  const std::size_t count = w.programs.size();
  const bool job =
      std::ranges::any_of(w.programs, [](const ProgramRow& p) { return p.place.rank.has_value(); });
  const float begin = at.x + m.px(14), room = right - begin;
  const float least = m.px(job ? kLeastOfRank : kLeastWithName) + gap;
  const float share = room / static_cast<float>(count);
  std::size_t first = 0, shown = count;
  float each = share;
  if (wanted > room && share < least) {
    const float more = text_width(c.fonts.bold, fmt::format("{} more", count)) + m.px(16);
    shown =
        std::clamp<std::size_t>(static_cast<std::size_t>(std::max(0.0f, (room - more) / least)), 1, count);
    const auto focus = static_cast<std::size_t>(std::ranges::find_if(w.programs, &ProgramRow::in_focus) -
                                                w.programs.begin());
    // By whole screens, so that a click moves no field.
    if (focus < count) first = std::min(focus / shown * shown, count - shown);
    each = (room - more) / static_cast<float>(shown);
    draw_more(c, count - shown, {right - more, y, more, side});
  }
  each = std::max(m.px(24), std::floor(each - gap));
  float x = begin;
  for (std::size_t i = first; i < first + shown; ++i) {
    const float width = wanted <= room ? widths[i] : each;
    draw_program(c, w.programs[i], i + 1, {x, y, width, side});
    x += width + gap;
  }
}

}  // namespace tapescope::ui
