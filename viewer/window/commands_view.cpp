// Commands that change how things are shown: panels, filter, camera, theme, scale, help.
#include <fmt/format.h>
#include <algorithm>

#include "viewer/store/source_text.h"
#include "viewer/window/editor.h"
#include "viewer/window/workbench.h"

namespace tapescope::ui {
namespace {

using Text = std::string_view;

std::string show_panel(Workbench& w, Text name) {
  Panel* panel = w.panel(name);
  if (panel == nullptr) {
    std::string names;
    for (const auto& other : w.panels) names += (names.empty() ? "" : ", ") + std::string(other->id());
    return fmt::format("there is no panel `{}`; there are {}", name, names);
  }
  w.welcome = false;
  w.state.panel = std::string(name);
  // What stands elsewhere is in sight.
  if (panel->place() == Place::bottom && !w.elsewhere.has(name)) w.state.bottom_tab = w.state.panel;
  if (!w.state.maximized.empty() && w.state.maximized != name) w.state.maximized.clear();
  return {};
}

// A bottom panel, to stand where it has no tab.
std::string find_movable(const Workbench& w, Text name, std::string& to) {
  const Panel* const panel = w.panel(name);
  if (panel == nullptr) return fmt::format("there is no panel `{}`", name);
  if (panel->place() != Place::bottom)
    return fmt::format("`{}` has its place; panels at the bottom move", name);
  to = std::string(name);
  return {};
}

std::string show_beside_graph(Workbench& w, Text name) {
  if (name == kNothingBesideGraph || name == kSourceOfOwn) {
    w.settings.beside_graph = std::string(name);
    return {};
  }
  std::string wrong = find_movable(w, name, w.settings.beside_graph);
  if (wrong.empty() && w.state.second_tab == name) w.state.second_tab.clear();
  return wrong;
}

std::string show_second(Workbench& w, Text name) {
  if (name == kNothingBesideGraph) {
    w.state.second_tab.clear();
    return {};
  }
  if (name == w.state.bottom_tab)
    return fmt::format("`{}` is open; choose another one to stand beside it", name);
  w.state.drawer_closed = false;
  return find_movable(w, name, w.state.second_tab);
}

// Those that stand elsewhere have none.
std::vector<std::string> tabs_of(const Workbench& w) {
  std::vector<std::string> tabs;
  for (const auto& panel : w.panels) {
    if (panel->place() == Place::bottom && !w.elsewhere.has(panel->id())) tabs.emplace_back(panel->id());
  }
  return tabs;
}

// The tab so many places after the one that is open; round the end.
std::string turn_tabs(Workbench& w, int by) {
  const std::vector<std::string> tabs = tabs_of(w);
  const auto count = static_cast<std::ptrdiff_t>(tabs.size());
  const auto open = std::ranges::find(tabs, w.state.bottom_tab) - tabs.begin();
  w.state.drawer_closed = false;
  return show_panel(w, tabs[static_cast<std::size_t>((open + by + count) % count)]);
}

template <std::size_t kPlace>
std::string open_tab(Workbench& w, Text) {
  const std::vector<std::string> tabs = tabs_of(w);
  if (kPlace > tabs.size()) return fmt::format("there are {} panels at the bottom", tabs.size());
  w.state.drawer_closed = false;
  return show_panel(w, tabs[kPlace - 1]);
}

// The camera moves by that share of the graph's width and height; the graph turns it into canvas units.
std::string pan(Workbench& w, float x, float y) {
  const float step = 80;  // pixels at scale 1 a key press
  w.state.camera.x += x * step / std::max(w.state.camera.zoom, 0.01f);
  w.state.camera.y += y * step / std::max(w.state.camera.zoom, 0.01f);
  return {};
}

std::string zoom(Workbench& w, float factor) {
  w.state.camera.zoom = std::clamp(w.state.camera.zoom * factor, 0.02f, 8.0f);
  return {};
}

std::string set_scale(Workbench& w, Text text) {
  double value = 0;
  if (!read_number(text, value) || !(value >= kLeastScale && value <= kMostScale)) {
    return fmt::format("`{}` is no scale; expected {} to {}", text, kLeastScale, kMostScale);
  }
  w.settings.scale = w.state.scale = static_cast<float>(value);
  w.fonts_wanted = true;
  return {};
}

std::string step_scale(Workbench& w, float by) {
  return set_scale(w, fmt::format("{}", std::clamp(w.state.scale + by, kLeastScale, kMostScale)));
}

std::string set_theme(Workbench& w, Text text) {
  ThemeName name{};
  if (!parse_theme(text, name))
    return fmt::format("there is no theme `{}`; there are dark, light and contrast", text);
  w.settings.theme = w.state.theme = name;
  w.theme = Theme::make(name, w.scale());
  return {};
}

std::string set_size(Workbench& w, Text text) {
  const std::size_t x = text.find('x');
  std::int64_t width = 0, height = 0;
  if (x == Text::npos || !read_count(text.substr(0, x), 1, 0, width) ||
      !read_count(text.substr(x + 1), 1, 0, height) || width < 320 || height < 200 || width > 16384 ||
      height > 16384) {
    return fmt::format("`{}` is no size; expected WIDTHxHEIGHT, from 320x200 on", text);
  }
  w.window.resize(static_cast<int>(width), static_cast<int>(height));
  return {};
}

// One level: what lies on top goes first.
std::string close_one(Workbench& w, Text) {
  if (w.palette.open) w.palette.open = false;
  else if (w.key_help) w.key_help = false;
  else if (!w.state.maximized.empty()) w.state.maximized.clear();
  else if (w.state.selection().kind != Selection::Kind::none) w.state.select({});
  else if (!w.state.filter().empty()) w.state.set_filter({});
  else if (w.welcome && w.status.mode != RunMode::idle) w.welcome = false;
  return {};
}

std::string edit_source(Workbench& w, Text text) {
  const SourcePlace place = source_place(text);
  if (place.line == 0) return fmt::format("`{}` is no place; expected FILE:LINE", text);
  if (std::string wrong = open_in_editor(std::string(place.file), place.line); !wrong.empty()) return wrong;
  w.say(fmt::format("Opened {} in your editor", text));
  return {};
}

std::string maximize(Workbench& w, Text name) {
  const Text wanted = name.empty() ? Text(w.state.panel) : name;
  if (w.panel(wanted) == nullptr) return fmt::format("there is no panel `{}`", wanted);
  w.welcome = false;
  if (w.state.maximized == wanted) w.state.maximized.clear();
  else w.state.maximized = std::string(wanted);
  return {};
}

std::string gradients_at(Workbench& w, Text text) {
  if (text == "last") {
    w.state.health_step.reset();
    return {};
  }
  std::int64_t step = 0;
  if (!read_count(text, 0, 0, step)) return fmt::format("`{}` is no step; expected a number or last", text);
  const auto wanted = static_cast<std::uint64_t>(step);
  const bool known =
      w.a && std::any_of(w.a->gradients.begin(), w.a->gradients.end(), [&](const GradientRow& row) {
        return std::any_of(row.health.begin(), row.health.end(),
                           [&](const HealthPoint& point) { return point.step == wanted; });
      });
  if (!known)
    return fmt::format("nothing is known of the gradients of step {}; the last {} are kept", step,
                       kRecentSteps);
  w.state.health_step = wanted;
  return {};
}

constexpr Command kViewCommands[] = {
    {"panel", "Show a panel", "Opens that panel.", "NAME", "", "", nullptr, show_panel},
    {"beside-graph", "Show a panel beside the graph",
     "A panel of the bottom stands between graph and inspector where there is room; `own`: the source of "
     "programs that are no samples; `off`: none.",
     "NAME", "View", "", nullptr, show_beside_graph},
    {"second-panel", "Show a second panel below",
     "A panel stands beside the one that is open at the bottom; `off`: it goes back to its tab.", "NAME",
     "View", "", nullptr, show_second},
    {"next-tab", "Next bottom panel", "Opens the panel after the one that is open at the bottom.", "", "View",
     "Ctrl+Tab", nullptr, [](Workbench& w, Text) { return turn_tabs(w, 1); }},
    {"previous-tab", "Bottom panel before", "Opens the panel before the one that is open at the bottom.", "",
     "View", "Ctrl+Shift+Tab", nullptr, [](Workbench& w, Text) { return turn_tabs(w, -1); }},
    {"tab-1", "First bottom panel", "Opens the first panel at the bottom.", "", "", "Alt+1", nullptr,
     open_tab<1>},
    {"tab-2", "Second bottom panel", "Opens the second one.", "", "", "Alt+2", nullptr, open_tab<2>},
    {"tab-3", "Third bottom panel", "Opens the third one.", "", "", "Alt+3", nullptr, open_tab<3>},
    {"tab-4", "Fourth bottom panel", "Opens the fourth one.", "", "", "Alt+4", nullptr, open_tab<4>},
    {"tab-5", "Fifth bottom panel", "Opens the fifth one.", "", "", "Alt+5", nullptr, open_tab<5>},
    {"tab-6", "Sixth bottom panel", "Opens the sixth one.", "", "", "Alt+6", nullptr, open_tab<6>},
    {"tab-7", "Seventh bottom panel", "Opens the seventh one.", "", "", "Alt+7", nullptr, open_tab<7>},
    {"tab-8", "Eighth bottom panel", "Opens the eighth one.", "", "", "Alt+8", nullptr, open_tab<8>},
    {"tab-9", "Ninth bottom panel", "Opens the ninth one.", "", "", "Alt+9", nullptr, open_tab<9>},
    {"filter", "Filter", "Shows only what matches, as in the filter field; without text shows all.", "[TEXT]",
     "", "", nullptr,
     [](Workbench& w, Text text) -> std::string {
       w.state.set_filter(std::string(text));
       return {};
     }},
    {"gradients-at", "Gradients at a step",
     "Shows an earlier step in the gradients panel; `last` the newest again.", "STEP", "", "", nullptr,
     gradients_at},
    {"undo", "Undo", "Takes back the last change of filter, folds or selection.", "", "View", "Ctrl+Z",
     [](const Workbench& w) -> std::string { return w.state.can_undo() ? "" : "there is nothing to undo"; },
     [](Workbench& w, Text) -> std::string {
       w.state.undo();
       return {};
     }},
    {"fit", "Fit the graph", "Shows the whole graph.", "", "View", "Shift+F Backspace", nullptr,
     [](Workbench& w, Text) -> std::string {
       w.state.camera.wish = Camera::Wish::fit;
       return {};
     }},
    {"focus", "Focus the selection", "Moves the graph to the selected op, or to the cursor.", "", "View", "F",
     nullptr,
     [](Workbench& w, Text) -> std::string {
       // A step that is still being read has no graph yet.
       w.wants_frame = true;
       if (w.debuggee.shown().look_back().reads()) {
         w.post("focus");
         return {};
       }
       w.state.camera.wish = w.state.selection().kind == Selection::Kind::none
                                 ? Camera::Wish::follow_cursor
                                 : Camera::Wish::focus_selection;
       return {};
     }},
    {"zoom-in", "Zoom in", "Shows the graph larger.", "", "View", "+", nullptr,
     [](Workbench& w, Text) { return zoom(w, 1.25f); }},
    {"zoom-out", "Zoom out", "Shows the graph smaller.", "", "View", "-", nullptr,
     [](Workbench& w, Text) { return zoom(w, 0.8f); }},
    {"pan-up", "Pan up", "Moves the graph's view up.", "", "", "W", nullptr,
     [](Workbench& w, Text) { return pan(w, 0, -1); }},
    {"pan-left", "Pan left", "Moves the graph's view to the left.", "", "", "A", nullptr,
     [](Workbench& w, Text) { return pan(w, -1, 0); }},
    {"pan-down", "Pan down", "Moves the graph's view down.", "", "", "S", nullptr,
     [](Workbench& w, Text) { return pan(w, 0, 1); }},
    {"pan-right", "Pan right", "Moves the graph's view to the right.", "", "", "D", nullptr,
     [](Workbench& w, Text) { return pan(w, 1, 0); }},
    {"maximize", "Maximize a panel", "The panel fills the window, or goes back to its place.", "[NAME]",
     "View", "Ctrl+Shift+M", nullptr, maximize},
    {"drawer", "Bottom panels", "Shows or hides the panels at the bottom.", "", "View", "Q", nullptr,
     [](Workbench& w, Text) -> std::string {
       w.state.drawer_closed = !w.state.drawer_closed;
       return {};
     }},
    {"edit-source", "Edit the source",
     "Opens the user's editor at that line: $VISUAL, $EDITOR, or one that is installed.", "FILE:LINE", "", "",
     nullptr, edit_source},
    {"theme", "Theme", "dark, light or contrast.", "NAME", "", "", nullptr, set_theme},
    {"theme-dark", "Dark theme", "The dark colours.", "", "View", "", nullptr,
     [](Workbench& w, Text) { return set_theme(w, "dark"); }},
    {"theme-light", "Light theme", "The light colours.", "", "View", "", nullptr,
     [](Workbench& w, Text) { return set_theme(w, "light"); }},
    {"theme-contrast", "High contrast theme", "The colours of the highest contrast.", "", "View", "", nullptr,
     [](Workbench& w, Text) { return set_theme(w, "contrast"); }},
    {"scale", "Interface scale", "How large everything is, 0.75 to 3.", "X", "", "", nullptr, set_scale},
    {"larger", "Larger interface", "Everything a quarter larger.", "", "View", "Ctrl++", nullptr,
     [](Workbench& w, Text) { return step_scale(w, 0.25f); }},
    {"smaller", "Smaller interface", "Everything a quarter smaller.", "", "View", "Ctrl+-", nullptr,
     [](Workbench& w, Text) { return step_scale(w, -0.25f); }},
    {"reduce-motion", "Reduce motion", "Switches every animation off, or on again.", "", "View", "", nullptr,
     [](Workbench& w, Text) -> std::string {
       w.settings.reduce_motion = w.state.reduce_motion = !w.state.reduce_motion;
       w.say(w.state.reduce_motion ? "Nothing moves by itself any more" : "Motion is on");
       return {};
     }},
    {"size", "Window size", "Makes the window that large, as WIDTHxHEIGHT.", "WxH", "", "", nullptr,
     set_size},
    {"welcome", "Samples", "The first screen: what each sample teaches.", "", "Help", "Ctrl+Shift+H", nullptr,
     [](Workbench& w, Text) -> std::string {
       w.welcome = !w.welcome;
       w.welcome_choice = w.choice.sample;
       return {};
     }},
    {"palette", "Commands",
     "Every command by name; ops and variables too. With text: the beginning of a line to complete.",
     "[TEXT]", "Help", "Ctrl+Shift+P F1", nullptr,
     [](Workbench& w, Text text) -> std::string {
       w.palette = {.open = !text.empty() || !w.palette.open, .just_opened = true, .text = std::string(text)};
       // The palette wants a blank between a command and what follows.
       if (w.table.find(text) != nullptr) w.palette.text += " ";
       return {};
     }},
    {"keys", "Keys", "Every command that has keys.", "", "Help", "?", nullptr,
     [](Workbench& w, Text) -> std::string {
       w.key_help = !w.key_help;
       return {};
     }},
    {"close", "Close", "Closes one level: palette, maximized panel, selection, filter.", "", "", "Esc",
     nullptr, close_one},
};

}  // namespace

std::span<const Command> view_commands() { return kViewCommands; }

}  // namespace tapescope::ui
