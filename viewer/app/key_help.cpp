// The help window: every command that has keys, in columns by menu. Made from the command table.
#include <algorithm>
#include <cmath>
#include <vector>

#include "viewer/app/chrome.h"
#include "viewer/app/widgets.h"

namespace tapescope::ui {

void draw_key_help(Workbench& w, PanelContext& c, ImVec2 window) {
  if (!w.key_help) return;
  const Metrics& m = c.m();
  struct Row {
    std::string keys;
    std::string_view title;
    bool heading = false;
  };
  std::vector<Row> rows;
  std::string_view menu = "?";
  for (const char* wanted : {"Run", "Go", "View", "File", "Help", ""}) {
    for (const Command* command : w.table.all()) {
      if (command->menu != wanted) continue;
      std::string keys;
      for (const Chord& chord : w.table.chords(command->id)) keys += (keys.empty() ? "" : ", ") + text_of(chord);
      if (keys.empty()) continue;
      if (menu != wanted) rows.push_back({"", *wanted != 0 ? std::string_view(wanted) : std::string_view("Graph"), true});
      menu = wanted;
      rows.push_back({keys, command->title});
    }
  }
  const float line = m.px(21), column_width = m.px(330);
  const float most_height = window.y - m.px(80);
  const int columns = std::clamp(static_cast<int>((window.x - m.px(60)) / column_width), 1, 3);
  const auto per_column = static_cast<std::size_t>(std::ceil(static_cast<double>(rows.size()) / columns));
  const float height = std::min(most_height, static_cast<float>(per_column) * line + m.px(64));
  const float width = std::min(static_cast<float>(columns) * column_width + m.px(32), window.x - m.px(16));
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
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const float x = at.x + static_cast<float>(i / per_column) * column_width;
    const float y = top + static_cast<float>(i % per_column) * line;
    if (rows[i].heading) {
      draw_text(list, c.fonts.bold, {x, y}, c.color(Color::cursor_text), rows[i].title);
      continue;
    }
    draw_text(list, c.fonts.mono, {x, y}, c.color(Color::text), elide(c.fonts.mono, rows[i].keys, m.px(140)));
    draw_text(list, c.fonts.text, {x + m.px(146), y}, c.color(Color::dim), rows[i].title);
  }
  ImGui::SetCursorScreenPos({at.x, top});
  ImGui::Dummy({static_cast<float>(columns) * column_width - m.px(20), static_cast<float>(per_column) * line});
  if (ImGui::IsMouseClicked(0) && !ImGui::IsWindowHovered(ImGuiHoveredFlags_ChildWindows)) w.key_help = false;
  ImGui::End();
}

}  // namespace tapescope::ui
