// The tabs of the bottom strip.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

namespace tapescope::ui {
namespace {

constexpr int kBarFlags = ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse;

float pill_width(PanelContext& c, const std::string& badge) {
  return badge.empty() ? 0 : text_width(c.fonts.small, badge) + c.m().px(10);
}

float tab_width(PanelContext& c, const Panel& panel, const std::string& badge) {
  const float pill = pill_width(c, badge);
  return std::round(c.m().px(20) + text_width(c.fonts.bold, panel.title()) +
                    (pill > 0 ? pill + c.m().px(8) : 0));
}

// Where a panel may stand.
void draw_tab_menu(PanelContext& c, const std::string& id, bool open) {
  if (!ImGui::BeginPopup(("tab-menu-" + id).c_str())) return;
  const auto entry = [&](const char* label, const char* command) {
    if (ImGui::MenuItem(label)) c.commands.post(fmt::format("{} {}", command, id));
    c.map.item(fmt::format("tab-menu/{}", command), label);
    c.map.has_tooltip(fmt::format("tab-menu/{}", command));
  };
  entry("Beside the graph", "beside-graph");
  if (!open) entry("Beside the open panel", "second-panel");
  entry("Fill the window", "maximize");
  entry("Copy", "copy");
  ImGui::EndPopup();
}

void draw_tab(PanelContext& c, const Panel& panel, const std::string& badge, const Rect& at, bool open) {
  const std::string id(panel.id());
  ImGui::SetCursorScreenPos({at.x, at.y});
  ImGui::PushID(id.c_str());
  const bool clicked = ImGui::InvisibleButton("tab", {at.w, at.h});
  const bool hovered = ImGui::IsItemHovered();
  const bool twice = hovered && ImGui::IsMouseDoubleClicked(0);
  ImGui::PopID();
  c.map.item("tab/" + id, panel.title());
  tooltip_words(c, "tab/" + id,
                std::string(panel.title()) +
                    ". Double-click: fill the window. Right button: where else it may stand");
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (open) {
    list->AddRectFilled({at.x, at.y}, {at.right(), at.bottom()}, c.color(Color::panel));
    list->AddRectFilled({at.x, at.y}, {at.right(), at.y + std::max(2.0f, c.m().px(2))},
                        c.color(Color::cursor));
  }
  const ImFont* font = open ? c.fonts.bold : c.fonts.text;
  draw_text(list, font, {at.x + c.m().px(10), centred(font, at.y, at.h)},
            c.color(open || hovered ? Color::text : Color::dim), panel.title());
  if (const float pill = pill_width(c, badge); pill > 0) {
    const float left = at.right() - c.m().px(10) - pill, height = c.m().px(16);
    const float y = std::round(at.y + (at.h - height) / 2);
    list->AddRectFilled({left, y}, {left + pill, y + height}, c.color(Color::window), height / 2);
    draw_text(list, c.fonts.small, {left + pill / 2, centred(c.fonts.small, y, height)},
              c.color(Color::cursor_text), badge, Align::centre);
  }
  if (clicked) c.commands.post("panel " + id);
  if (twice) c.commands.post("maximize " + id);
  if (hovered && ImGui::IsMouseReleased(1)) ImGui::OpenPopup(("tab-menu-" + id).c_str());
  draw_tab_menu(c, id, open);
}

// A word that copies, whose right end is at `end`. Returns the width it takes.
float draw_copy(PanelContext& c, const Panel& panel, const std::string& prefix, const Rect& end,
                const char* word, const char* command, const char* help) {
  const float width = text_width(c.fonts.text, word) + c.m().px(8), x = end.x - width;
  const std::string id = prefix + command;
  ImGui::SetCursorScreenPos({x, end.y + std::round((end.h - c.m().hit) / 2)});
  const bool clicked = ImGui::InvisibleButton(id.c_str(), {width, c.m().hit});
  c.map.item(id, word);
  draw_text(ImGui::GetWindowDrawList(), c.fonts.text, {x + c.m().px(4), centred(c.fonts.text, end.y, end.h)},
            c.color(ImGui::IsItemHovered() ? Color::text : Color::dim), word);
  tooltip_words(c, id, help, c.commands.keys(command));
  if (clicked) c.commands.post(fmt::format("{} {}", command, panel.id()));
  return width;
}

// The tabs that found no room, as a list.
void draw_overflow(PanelContext& c, const std::vector<Panel*>& hidden, const Rect& at) {
  ImGui::SetCursorScreenPos({at.x, at.y});
  const bool clicked = ImGui::InvisibleButton("more", {at.w, at.h});
  c.map.item("tab-more", "More panels");
  tooltip_words(c, "tab-more", "More panels");
  const ImU32 ink = c.color(ImGui::IsItemHovered() ? Color::text : Color::dim);
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const float shift : {-3.0f, 3.0f}) {
    const ImVec2 o{at.x + at.w / 2 + c.m().px(shift), at.y + at.h / 2};
    const float r = c.m().px(4);
    list->AddLine({o.x - r / 2, o.y - r}, {o.x + r / 2, o.y}, ink, c.m().strong_line);
    list->AddLine({o.x + r / 2, o.y}, {o.x - r / 2, o.y + r}, ink, c.m().strong_line);
  }
  if (clicked) ImGui::OpenPopup("more-panels");
  if (!ImGui::BeginPopup("more-panels")) return;
  for (const Panel* panel : hidden) {
    const std::string id(panel->id());
    if (ImGui::MenuItem((std::string(panel->title()) + "##" + id).c_str())) c.commands.post("panel " + id);
    c.map.item("tab-more/" + id, panel->title());
  }
  ImGui::EndPopup();
}

// Of a comparison these show A; the others show both, or neither.
bool shows_a_alone(std::string_view panel) {
  static constexpr std::string_view kOfA[] = {"ops", "source", "functions", "memory", "advice", "outline"};
  return std::ranges::find(kOfA, panel) != std::end(kOfA);
}

// Which of two programs the open panel is of. Returns the width it takes.
float draw_whose(PanelContext& c, const Rect& rest) {
  const std::string text = c.name_a.empty() ? "of A" : fmt::format("of A, {}", c.name_a);
  const float width = text_width(c.fonts.small, text);
  if (width > rest.w) return 0;
  draw_text(ImGui::GetWindowDrawList(), c.fonts.small, {rest.x, centred(c.fonts.small, rest.y, rest.h)},
            c.color(Color::cursor_text), text);
  c.map.rect("words/whose", text, {rest.x, rest.y}, {rest.x + width, rest.y + rest.h});
  return width + c.m().pad;
}

}  // namespace

float draw_copies(PanelContext& c, const Panel& panel, const std::string& prefix, const Rect& rest) {
  if (rest.w <= c.m().px(60)) return 0;
  float taken = draw_copy(c, panel, prefix, {rest.right(), rest.y, 0, rest.h}, "copy", "copy",
                          "Copies what this panel shows, with tabs between columns");
  if (panel.has_csv())
    taken += draw_copy(c, panel, prefix, {rest.right() - taken, rest.y, 0, rest.h}, "csv", "copy-csv",
                       "Copies its table as CSV");
  return taken + c.m().pad;
}

void draw_tabs(Workbench& w, PanelContext& c, const std::vector<Panel*>& panels, const Rect& at) {
  const Region region("tabs", at, c.color(Color::raised), kBarFlags);
  const float gap = c.m().px(4), more = c.m().px(30);
  std::vector<std::string> badges;
  std::vector<float> widths;
  float total = gap;
  Panel* open = nullptr;
  std::vector<Panel*> with_tab;  // those that stand elsewhere have none
  std::ranges::copy_if(panels, std::back_inserter(with_tab),
                       [&](const Panel* panel) { return !w.elsewhere.has(panel->id()); });
  for (Panel* panel : with_tab) {
    badges.push_back(panel->badge(c));
    widths.push_back(tab_width(c, *panel, badges.back()));
    total += widths.back() + gap;
    if (panel->id() == w.state.bottom_tab && !w.welcome) open = panel;
  }
  // Where they do not all fit the open one has its place before the others.
  const bool crowded = total > at.w;
  float room = at.w - gap - (crowded ? more : 0);
  if (crowded && open != nullptr) {
    for (std::size_t i = 0; i < with_tab.size(); ++i) {
      if (with_tab[i] == open) room -= widths[i] + gap;
    }
  }
  float x = at.x + gap;
  std::vector<Panel*> hidden;
  for (std::size_t i = 0; i < with_tab.size(); ++i) {
    const bool fits = !crowded || with_tab[i] == open || (hidden.empty() && widths[i] + gap <= room);
    if (!fits) {
      hidden.push_back(with_tab[i]);
      continue;
    }
    if (with_tab[i] != open) room -= widths[i] + gap;
    draw_tab(c, *with_tab[i], badges[i], {x, at.y, widths[i], at.h}, with_tab[i] == open);
    x += widths[i] + gap;
  }
  if (!hidden.empty()) draw_overflow(c, hidden, {at.right() - more, at.y, more, at.h});
  // A maximized panel has its own header.
  if (open == nullptr || w.state.drawer_closed || !w.state.maximized.empty()) return;
  Rect rest{x + c.m().pad, at.y, at.right() - x - 2 * c.m().pad - (hidden.empty() ? 0 : more), at.h};
  rest.w -= draw_copies(c, *open, "tab-", rest);
  if (c.comparing() && shows_a_alone(open->id())) {
    const float taken = draw_whose(c, rest);
    rest.x += taken, rest.w -= taken;
  }
  if (rest.w < c.m().px(60)) return;
  const Region extras("tab-extras", rest, 0, kBarFlags);
  ImGui::SetCursorPosY(std::round((at.h - c.fonts.text->FontSize) / 2));
  open->draw_header(c);
}

}  // namespace tapescope::ui
