// The whole window: regions, splitters, panel headers, tabs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/ui/imgui_compat.h"
#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

namespace tapescope::ui {
namespace {

ImVec2 corner(const Rect& r) { return {r.x, r.y}; }
ImVec2 end_of(const Rect& r) { return {r.right(), r.bottom()}; }

// ImGui's own widgets, where panels use them, in the theme's colours.
void apply_style(const Theme& theme) {
  ImGuiStyle& style = ImGui::GetStyle();
  const Metrics& m = theme.metrics;
  style.WindowPadding = {m.pad, m.pad};
  style.FramePadding = {m.px(8), m.px(4)};
  style.ItemSpacing = {m.px(8), m.px(4)};
  style.CellPadding = {m.px(6), m.px(3)};
  style.ScrollbarSize = std::round(m.px(10));
  style.GrabMinSize = m.hit;
  style.WindowRounding = style.PopupRounding = m.node_rounding;
  style.FrameRounding = style.ScrollbarRounding = style.GrabRounding = m.rounding;
  style.ChildRounding = style.TabRounding = 0;
  style.WindowBorderSize = style.ChildBorderSize = style.FrameBorderSize = 0;
  style.PopupBorderSize = m.line;
  style.AntiAliasedLinesUseTex = true;
  ImVec4* colors = style.Colors;
  const auto set = [&](int slot, Color color, float alpha = 1) { colors[slot] = theme.vec(color, alpha); };
  set(ImGuiCol_Text, Color::text);
  set(ImGuiCol_TextDisabled, Color::dim);
  set(ImGuiCol_WindowBg, Color::window);
  set(ImGuiCol_ChildBg, Color::panel, 0);
  set(ImGuiCol_PopupBg, Color::raised);
  set(ImGuiCol_Border, Color::line);
  set(ImGuiCol_FrameBg, Color::window);
  set(ImGuiCol_FrameBgHovered, Color::hovered);
  set(ImGuiCol_FrameBgActive, Color::hovered);
  set(ImGuiCol_MenuBarBg, Color::panel);
  set(ImGuiCol_ScrollbarBg, Color::panel, 0);
  set(ImGuiCol_ScrollbarGrab, Color::faint, 0.6f);
  set(ImGuiCol_ScrollbarGrabHovered, Color::faint);
  set(ImGuiCol_ScrollbarGrabActive, Color::dim);
  set(ImGuiCol_CheckMark, Color::cursor);
  set(ImGuiCol_SliderGrab, Color::cursor);
  set(ImGuiCol_SliderGrabActive, Color::cursor);
  set(ImGuiCol_Button, Color::raised);
  set(ImGuiCol_ButtonHovered, Color::hovered);
  set(ImGuiCol_ButtonActive, Color::selection);
  set(ImGuiCol_Header, Color::selection);
  set(ImGuiCol_HeaderHovered, Color::hovered);
  set(ImGuiCol_HeaderActive, Color::selection);
  set(ImGuiCol_Separator, Color::line);
  set(ImGuiCol_TableHeaderBg, Color::panel);
  set(ImGuiCol_TableBorderStrong, Color::line);
  set(ImGuiCol_TableBorderLight, Color::line);
  set(ImGuiCol_TextSelectedBg, Color::selection);
  set(ImGuiCol_NavHighlight, Color::cursor);
}

// A cross at the right end of a header. Returns the width it takes.
float draw_close(PanelContext& c, const std::string& id, const Rect& header, const char* command) {
  const float side = c.m().hit;
  const Rect at{header.right() - side - c.m().px(4), header.y + std::round((header.h - side) / 2), side,
                side};
  ImGui::SetCursorScreenPos(corner(at));
  ImGui::PushID(id.c_str());
  const bool clicked = ImGui::InvisibleButton("close", {at.w, at.h});
  ImGui::PopID();
  c.map.item("header/" + id + "/close", "close");
  const ImU32 ink = c.color(ImGui::IsItemHovered() ? Color::text : Color::dim);
  const ImVec2 middle{at.x + at.w / 2, at.y + at.h / 2};
  const float r = c.m().px(4);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine({middle.x - r, middle.y - r}, {middle.x + r, middle.y + r}, ink, c.m().strong_line);
  list->AddLine({middle.x - r, middle.y + r}, {middle.x + r, middle.y - r}, ink, c.m().strong_line);
  tooltip_words(c, "header/" + id + "/close", "Back to its tab", c.commands.keys(command));
  if (clicked) c.commands.post(fmt::format("{} off", command));
  return at.w + c.m().px(4);
}

// The header of a panel in a column: title, what the panel adds, badge. A double click fills the window with
// it. `leaves_by`: the command that takes it from a place where it is a guest; null elsewhere.
void draw_header(Workbench& w, PanelContext& c, Panel& panel, const Rect& at, const char* leaves_by) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(corner(at), end_of(at), c.color(Color::raised));
  const std::string id(panel.id());
  const float y = centred(c.fonts.bold, at.y, at.h);
  const float title =
      draw_text(list, c.fonts.bold, {at.x + c.m().pad, y}, c.color(Color::text), panel.title());
  float right = at.right() - c.m().pad;
  if (leaves_by != nullptr) right -= draw_close(c, id, at, leaves_by);
  const std::string badge = panel.badge(c);
  if (!badge.empty()) {
    right -= draw_text(list, c.fonts.small, {right, centred(c.fonts.small, at.y, at.h)}, c.color(Color::dim),
                       badge, Align::right);
    right -= c.m().pad;
  }
  ImGui::SetCursorScreenPos(corner(at));
  ImGui::PushID(id.c_str());
  ImGui::InvisibleButton("header", {std::max(1.0f, title + 2 * c.m().pad), at.h});
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) c.commands.post("maximize " + id);
  if (ImGui::IsItemClicked()) c.state.panel = id;
  c.map.item("header/" + id, panel.title());
  tooltip_words(
      c, "header/" + id,
      w.state.maximized == id ? "Double-click: back to its place" : "Double-click: fill the window");
  ImGui::PopID();
  Rect rest{at.x + title + 2 * c.m().pad, at.y, right - at.x - title - 2 * c.m().pad, at.h};
  if (panel.place() == Place::bottom)
    rest.w -= draw_copies(c, panel, fmt::format("header/{}/", panel.id()), rest);
  if (rest.w < c.m().px(40)) return;
  const Region region((id + "-header").c_str(), rest, 0,
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::SetCursorPosY(std::round((at.h - c.fonts.text->FontSize) / 2));
  panel.draw_header(c);
}

void draw_panel(Workbench& w, PanelContext& c, Panel& panel, Rect at, const char* leaves_by = nullptr) {
  if (at.empty()) return;
  c.panel = panel.id();
  const bool headless = panel.place() == Place::bottom && leaves_by == nullptr &&
                        w.state.maximized != panel.id();  // its tab is its header
  if (!panel.draws_own_header(c) && !headless) {
    draw_header(w, c, panel, {at.x, at.y, at.w, c.m().header_height}, leaves_by);
    at.y += c.m().header_height;
    at.h -= c.m().header_height;
  }
  if (at.empty()) return;
  const Region region(std::string(panel.id()).c_str(), at, c.color(Color::panel));
  if (ImGui::IsWindowHovered() && ImGui::IsMouseClicked(0)) c.state.panel = std::string(panel.id());
  panel.draw(c);
}

// The panels of a column, one above the other.
void draw_column(Workbench& w, PanelContext& c, const std::vector<Panel*>& panels, const Rect& at) {
  if (panels.empty() || at.empty()) return;
  const float gap = c.m().gap;
  std::vector<float> heights;
  float taken = gap * static_cast<float>(panels.size() - 1);
  std::size_t greedy = 0;
  for (Panel* panel : panels) {
    heights.push_back(panel->wanted_height(c));
    taken += heights.back();
    if (heights.back() <= 0) ++greedy;
  }
  // Those that take what is left get at least half of it all; the rest shares the other half.
  const float room = at.h;
  if (greedy > 0) {
    const float least = room * 0.5f;
    if (room - taken < least) {
      const float factor = std::max(0.0f, (room - least)) / std::max(1.0f, taken);
      for (float& height : heights) height *= std::min(1.0f, factor);
      taken = 0;
      for (const float height : heights) taken += height;
      taken += gap * static_cast<float>(panels.size() - 1);
    }
    const float share = std::max(0.0f, room - taken) / static_cast<float>(greedy);
    for (float& height : heights) {
      if (height <= 0) height = share;
    }
  } else if (!heights.empty()) {
    heights.back() += std::max(0.0f, room - taken);
  }
  float y = at.y;
  for (std::size_t i = 0; i < panels.size(); ++i) {
    const float height = std::round(std::min(heights[i], at.bottom() - y));
    draw_panel(w, c, *panels[i], {at.x, y, at.w, height});
    y += height + gap;
  }
}

std::vector<Panel*> shown_at(Workbench& w, PanelContext& c, Place place) {
  std::vector<Panel*> found;
  for (const auto& panel : w.panels) {
    if (panel->place() == place && panel->shown(c)) found.push_back(panel.get());
  }
  return found;
}

// A splitter changes `size` (at scale 1) by the pointer's way; `sign` says which way grows it.
void draw_splitter(PanelContext& c, const char* id, const Rect& at, bool across, float sign, float& size,
                   float standard) {
  if (at.empty()) return;
  ImGui::SetCursorScreenPos(corner(at));
  ImGui::InvisibleButton(id, {at.w, at.h});
  const std::string map_id = std::string("splitter/") + id;
  c.map.item(map_id, "splitter");
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(across ? ImGuiMouseCursor_ResizeEW : ImGuiMouseCursor_ResizeNS);
    ImGui::GetWindowDrawList()->AddRectFilled(corner(at), end_of(at), c.color(Color::faint));
  }
  if (ImGui::IsItemActive()) {
    const ImVec2 moved = ImGui::GetIO().MouseDelta;
    size = std::clamp(size + sign * (across ? moved.x : moved.y) / c.m().scale, 60.0f, 2000.0f);
  }
  if (ImGui::IsItemHovered() && ImGui::IsMouseDoubleClicked(0)) size = standard;
  tooltip_words(c, map_id, "Drag to resize; double-click for the usual size");
}

// The splitter of the bottom strip changes the share of its second panel.
void draw_share(PanelContext& c, const Regions& r, float& share) {
  const float both = r.bottom.w + r.second.w;
  float width = r.second.w / c.m().scale;
  draw_splitter(c, "second", r.second_splitter, true, -1, width, both / 2 / c.m().scale);
  if (both > 0 && !r.second.empty()) share = std::clamp(width * c.m().scale / both, 0.1f, 0.9f);
}

}  // namespace

Region::Region(const char* id, const Rect& at, ImU32 background, int flags) {
  ImGui::SetCursorScreenPos(corner(at));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleColor(ImGuiCol_ChildBg, background);
  // Without any size ImGui would take all that is left.
  ImGui::BeginChild(id, {std::max(1.0f, at.w), std::max(1.0f, at.h)}, false, flags);
  ImGui::PopStyleColor();
  ImGui::PopStyleVar();
}

Region::~Region() { ImGui::EndChild(); }

void draw_window(Workbench& w, ImVec2 size) {
  apply_style(w.theme);
  PanelContext c = w.context();
  ImGui::SetNextWindowPos({0, 0});
  ImGui::SetNextWindowSize(size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowMinSize, ImVec2(1, 1));
  ImGui::Begin("tapescope", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse |
                   ImGuiWindowFlags_MenuBar);
  ImGui::PopStyleVar(3);

  const std::vector<Panel*> left = shown_at(w, c, Place::left), centre = shown_at(w, c, Place::centre),
                            right = shown_at(w, c, Place::right), bottom = shown_at(w, c, Place::bottom);
  Panel* maximized = w.state.maximized.empty() ? nullptr : w.panel(w.state.maximized);
  Panel* const column = wanted_beside_graph(w);
  Panel* const second = wanted_beside_tab(w);
  const RegionWishes wishes{!left.empty() && !w.welcome,
                            !right.empty() && !w.welcome,
                            w.state.drawer_closed || w.welcome || maximized != nullptr,
                            !w.programs.empty(),
                            !w.welcome && w.a != nullptr && w.a->steps.size() > 1,
                            column != nullptr,
                            second != nullptr};
  const Regions r = place_regions(size.x, size.y, c.m(), w.settings, wishes);
  w.elsewhere = {.beside_graph = r.column.empty() ? std::string() : std::string(column->id()),
                 .beside_tab = r.second.empty() ? std::string() : std::string(second->id())};
  draw_menu_bar(w, c, r.menu);
  draw_toolbar(w, c, r.toolbar);
  if (!r.programs.empty()) draw_programs(w, c, r.programs);
  if (!r.strip.empty()) draw_run_strip(w, c, r.strip);
  const Rect body{0, r.centre.y, size.x, r.centre.h};
  if (!w.welcome && !w.palette.open) w.live.rest();
  if (w.welcome) {
    draw_welcome(w, c, {0, body.y, body.w, body.h});
  } else if (maximized != nullptr) {
    draw_panel(w, c, *maximized, body);
  } else {
    // A panel asked for by name whose place does not fit takes the centre.
    Panel* asked = w.panel(w.state.panel);
    const bool no_room =
        asked != nullptr && ((asked->place() == Place::left && r.left.empty()) ||
                             (asked->place() == Place::right && r.right.empty()) ||
                             (asked->place() == Place::bottom && r.bottom.empty() &&
                              !w.state.drawer_closed && !w.elsewhere.has(asked->id())));
    draw_column(w, c, left, r.left);
    if (no_room && asked->shown(c)) draw_column(w, c, {asked}, r.centre);
    else draw_column(w, c, centre, r.centre);
    if (!r.column.empty()) draw_panel(w, c, *column, r.column, "beside-graph");
    draw_column(w, c, right, r.right);
    draw_splitter(c, "column", r.column_splitter, true, -1, w.settings.column, Settings{}.column);
    draw_splitter(c, "left", r.left_splitter, true, 1, w.settings.left, Settings{}.left);
    draw_splitter(c, "right", r.right_splitter, true, -1, w.settings.right, Settings{}.right);
    if (!w.state.drawer_closed && !r.bottom.empty()) {
      draw_splitter(c, "bottom", r.bottom_splitter, false, -1, w.settings.bottom, Settings{}.bottom);
      if (Panel* open = w.panel(w.state.bottom_tab)) draw_panel(w, c, *open, r.bottom);
      if (!r.second.empty()) draw_panel(w, c, *second, r.second, "second-panel");
      draw_share(c, r, w.settings.second_share);
    }
  }
  draw_tabs(w, c, bottom, r.tabs);
  draw_status_bar(w, c, r.status);
  ImGui::End();
  draw_palette(w, c, size);
  draw_key_help(w, c, size);
}

}  // namespace tapescope::ui
