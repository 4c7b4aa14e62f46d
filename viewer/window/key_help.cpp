// The help window: every command that has keys, in columns by menu. Made from the command table.
#include <algorithm>
#include <cmath>
#include <vector>

#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

namespace tapescope::ui {

void draw_key_help(Workbench& w, PanelContext& c, ImVec2 window) {
  if (!w.key_help) return;
  const Metrics& m = c.m();
  struct Row {
    std::string keys;
    std::string_view title;
  };
  // A menu's keys stay together.
  struct Group {
    std::string_view heading;
    std::vector<Row> rows;
  };
  std::vector<Group> groups;
  std::size_t lines = 0;
  for (const char* menu : {"Run", "Go", "View", "Help", "File", ""}) {
    Group group{*menu != 0 ? std::string_view(menu) : std::string_view("Graph"), {}};
    for (const Command* command : w.table.all()) {
      if (command->menu != menu) continue;
      std::string keys;
      for (const Chord& chord : w.table.chords(command->id))
        keys += (keys.empty() ? "" : ", ") + text_of(chord);
      if (!keys.empty()) group.rows.push_back({keys, command->title});
    }
    lines += group.rows.size() + 2;
    if (!group.rows.empty()) groups.push_back(std::move(group));
  }
  const float line = m.px(21), column_width = m.px(330);
  const float most_height = window.y - m.px(80);
  const int columns = std::clamp(static_cast<int>((window.x - m.px(60)) / column_width), 1, 3);
  // Columns fill up in order; a group begins the next one when half of it would stick out.
  const auto goal = (lines + static_cast<std::size_t>(columns) - 1) / static_cast<std::size_t>(columns);
  std::vector<std::vector<const Group*>> placed(1);
  std::size_t used = 0, longest = 0;
  for (const Group& group : groups) {
    const std::size_t wanted = group.rows.size() + 2;
    if (used > 0 && used + wanted / 2 > goal && placed.size() < static_cast<std::size_t>(columns)) {
      placed.emplace_back();
      used = 0;
    }
    placed.back().push_back(&group);
    used += wanted;
    longest = std::max(longest, used);
  }
  const float height = std::min(most_height, static_cast<float>(longest) * line + m.px(52));
  const float width =
      std::min(static_cast<float>(placed.size()) * column_width + m.px(32), window.x - m.px(16));
  // Nothing beneath it answers to the pointer: no tooltip covers it, and a click beside it closes it.
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(window);
  ImGui::Begin("beside keys", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
  ImGui::InvisibleButton("close", window);
  // By the press: the window of keys keeps the focus, so that no button beside it comes to its release.
  if (ImGui::IsItemHovered() && ImGui::IsMouseClicked(0)) w.key_help = false;
  ImGui::End();
  ImGui::SetNextWindowFocus();
  ImGui::SetNextWindowPos({std::round((window.x - width) / 2), std::round((window.y - height) / 2)});
  ImGui::SetNextWindowSize({width, height});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(m.px(20), m.px(14)));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, m.line);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, c.color(Color::raised));
  ImGui::Begin("keys", nullptr,
               ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                   ImGuiWindowFlags_NoCollapse | ImGuiWindowFlags_NoSavedSettings);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar(2);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  draw_text(list, c.fonts.title, at, c.color(Color::text), "Keys");
  draw_text(list, c.fonts.small, {at.x + width - m.px(40), at.y + m.px(4)}, c.color(Color::dim),
            w.keys("close") + " closes", Align::right);
  const float top = at.y + m.px(32);
  float x = at.x;
  for (const auto& column : placed) {
    float y = top;
    for (const Group* group : column) {
      draw_text(list, c.fonts.bold, {x, y}, c.color(Color::cursor_text), group->heading);
      y += line;
      for (const Row& row : group->rows) {
        draw_text(list, c.fonts.mono, {x, y}, c.color(Color::text), elide(c.fonts.mono, row.keys, m.px(140)));
        draw_text(list, c.fonts.text, {x + m.px(146), y}, c.color(Color::dim),
                  elide(c.fonts.text, row.title, m.px(176)));
        y += line;
      }
      y += line;
    }
    x += column_width;
  }
  ImGui::SetCursorScreenPos({at.x, top});
  ImGui::Dummy(
      {static_cast<float>(placed.size()) * column_width - m.px(20), static_cast<float>(longest - 1) * line});
  ImGui::End();
}

}  // namespace tapescope::ui
