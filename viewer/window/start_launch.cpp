// The card of the first screen that launches a program.
#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "viewer/window/start_card.h"

namespace tapescope::ui {
namespace {

// "train-1126-142530.tape" in the folder that the program runs in: none is written over.
std::string new_recording(const LaunchLine& line) {
  const Launch launch = launch_of(line);
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  localtime_r(&now, &local);
  const std::filesystem::path folder =
      launch.folder.empty() ? std::filesystem::current_path() : std::filesystem::absolute(launch.folder);
  return (folder / fmt::format("{}-{:%m%d-%H%M%S}.tape", name_of_program(launch.words), local)).string();
}

std::string folder_here() {
  std::error_code none;
  const std::string here = std::filesystem::current_path(none).string();
  const char* const home = std::getenv("HOME");
  return home != nullptr && *home == '/' && here.starts_with(home)
             ? "~" + here.substr(std::string(home).size())
             : here;
}

bool check_box(PanelContext& c, const std::string& id, const char* label, const char* tooltip, ImVec2 at,
               bool& on) {
  const Metrics& m = c.m();
  const float side = m.px(14), height = m.px(22);
  const float width = side + m.px(8) + text_width(c.fonts.text, label);
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(id.c_str(), {width, height});
  if (clicked) on = !on;
  c.map.item(id, fmt::format("{}: {}", label, on ? "on" : "off"));
  const bool hovered = ImGui::IsItemHovered();
  tooltip_words(c, id, tooltip);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 min{at.x, std::round(at.y + (height - side) / 2)}, max{min.x + side, min.y + side};
  list->AddRectFilled(min, max,
                      c.color(on        ? Color::good
                              : hovered ? Color::hovered
                                        : Color::window),
                      m.px(3));
  if (!on) list->AddRect(min, max, c.color(Color::faint), m.px(3), 0, m.line);
  if (on) {
    const ImVec2 tick[] = {{min.x + side * 0.22f, min.y + side * 0.52f},
                           {min.x + side * 0.43f, min.y + side * 0.74f},
                           {min.x + side * 0.80f, min.y + side * 0.28f}};
    list->AddPolyline(tick, 3, c.theme.text_on(c.color(Color::good)), 0, m.px(2));
  }
  draw_text(list, c.fonts.text, {max.x + m.px(8), centred(c.fonts.text, at.y, height)}, c.color(Color::text),
            label);
  return clicked;
}

// The one button that the screen is for.
bool main_button(PanelContext& c, const std::string& id, const char* label, const std::string& tooltip,
                 ImVec2 at, bool enabled) {
  const Metrics& m = c.m();
  const float height = m.px(26), width = text_width(c.fonts.bold, label) + m.px(48);
  ImGui::SetCursorScreenPos(at);
  const bool clicked = ImGui::InvisibleButton(id.c_str(), {width, height}) && enabled;
  c.map.item(id, label, enabled);
  const bool hovered = ImGui::IsItemHovered();
  tooltip_words(c, id, tooltip, enabled ? "Enter" : "");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 max{at.x + width, at.y + height};
  const ImU32 fill = c.color(enabled ? Color::good : Color::raised);
  list->AddRectFilled(at, max, fill, m.rounding);
  if (!enabled || hovered)
    list->AddRect(at, max, c.color(enabled ? Color::text : Color::line), m.rounding, 0, m.line);
  draw_text(list, c.fonts.bold, {(at.x + max.x) / 2, centred(c.fonts.bold, at.y, height)},
            enabled ? c.theme.text_on(fill) : c.color(Color::dim), label, Align::centre);
  return clicked;
}

void take(Workbench& w, const LaunchLine& line) {
  w.launch_line = line;
  w.launch_records = !line.record.empty();
  w.launch_line.record.clear();
}

void draw_recent(Workbench& w, PanelContext& c, const Rect& at) {
  const Metrics& m = c.m();
  const float row = m.px(20), label = text_width(c.fonts.small, "recent") + m.px(16);
  if (at.h < row || w.settings.launched.empty()) return;
  draw_text(ImGui::GetWindowDrawList(), c.fonts.small, {at.x, centred(c.fonts.small, at.y, row)},
            c.color(Color::dim), "recent");
  const Region rows("recent", {at.x + label, at.y, at.w - label, std::floor(at.h / row) * row}, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  for (std::size_t i = 0; i < w.settings.launched.size(); ++i) {
    const LaunchLine& line = w.settings.launched[i];
    const std::string id = fmt::format("start/launched/{}", i), title = title_of(line);
    const Row found = selectable_row(c, id, title, row, false);
    std::string where = line.folder.empty() ? std::string() : " in " + line.folder;
    if (!line.python.empty()) where += " by " + line.python;
    tooltip_words(c, id,
                  title + where + ". A click puts it above, to be launched again; a second one launches it");
    if (found.double_clicked) c.commands.post("launch " + text_of(line));
    else if (found.clicked) take(w, LaunchLine(line));
    if (!found.visible) continue;
    ImDrawList* list = ImGui::GetWindowDrawList();
    const std::string age = line.when > 0
                                ? format_age(static_cast<double>(std::time(nullptr)) - line.when) + " ago"
                                : std::string();
    const float age_w =
        draw_text(list, c.fonts.small, {found.max.x, centred(c.fonts.small, found.min.y, row)},
                  c.color(Color::dim), age, Align::right);
    draw_text(list, c.fonts.mono_small, {found.min.x, centred(c.fonts.mono_small, found.min.y, row)},
              c.color(Color::value_text),
              elide(c.fonts.mono_small, title, found.max.x - found.min.x - age_w - m.pad));
  }
  ImGui::PopStyleVar();
}

}  // namespace

void draw_launch(Workbench& w, PanelContext& c, const Rect& at) {
  const Metrics& m = c.m();
  StartCard card(c, "start-launch", "Launch", w.keys("launch"), at);
  const Rect in = card.inside();
  LaunchLine& line = w.launch_line;
  const bool focus = w.launch_focus;
  const float field = m.px(44), gap = m.px(10), between = m.px(12);
  float y = in.y;
  bool entered = false;
  const auto fields = [&](float share, auto left, auto right) {
    const float first = std::floor((in.w - between) * share);
    entered |= left(Rect{in.x, y, first, field});
    entered |= right(Rect{in.x + first + between, y, in.w - first - between, field});
    y += field + gap;
  };
  const bool narrow = in.w < m.px(330);
  const auto program = [&](const Rect& place) {
    return card.field("start/launch/program", "program or script", narrow ? "train.py" : "such as train.py",
                      "A program that uses the library, or PROGRAM.py", line.program, place, focus);
  };
  const auto arguments = [&](const Rect& place) {
    return card.field("start/launch/arguments", "arguments", narrow ? "--epochs 3" : "such as --epochs 3",
                      "As a shell takes them", line.arguments, place);
  };
  const auto folder = [&](const Rect& place) {
    return card.field("start/launch/folder", "folder",
                      elide_middle(c.fonts.mono, folder_here(), place.w - m.px(20)),
                      "Where the program runs; paths are from there", line.folder, place);
  };
  const auto python = [&](const Rect& place) {
    return card.field("start/launch/python", "python", python_command(),
                      "The interpreter that runs PROGRAM.py, such as that of a virtual environment",
                      line.python, place);
  };
  if (card.low()) {
    fields(0.5f, program, arguments);
  } else {
    entered |= program({in.x, y, in.w, field});
    y += field + gap;
    entered |= arguments({in.x, y, in.w, field});
    y += field + gap;
  }
  // ImGui gives the field the keyboard a frame later.
  if (focus && card.active()) w.launch_focus = false;
  c.wants_frame |= w.launch_focus;
  fields(0.65f, folder, python);

  bool stops = !line.runs;
  const float second = in.x + std::max(in.w * 0.5f, m.px(150));
  check_box(c, "start/launch/stop", narrow ? "stop first" : "stop before the first op",
            "It stands before its first op, to be stepped", {in.x, y}, stops);
  line.runs = !stops;
  check_box(c, "start/launch/record", narrow ? "record" : "record as it runs",
            "Writes PROGRAM-DATE.tape into its folder", {second, y}, w.launch_records);
  y += m.px(22) + m.px(card.low() ? 6 : 10);

  const bool given = line.program.find_first_not_of(' ') != std::string::npos;
  const bool pressed = main_button(c, "start/launch", "Launch",
                                   given ? "Starts it; what it writes is in the log" : "Give a program above",
                                   {in.x, y}, given);
  ImGui::SetCursorScreenPos({in.x + text_width(c.fonts.bold, "Launch") + m.px(58), y});
  if (text_button(c, "start/launch/browse", "Browse…", "Programs and scripts are offered as you type"))
    w.ask_for("choose-program");
  if (given && (entered || pressed)) {
    LaunchLine now = line;
    now.record = w.launch_records ? new_recording(line) : std::string();
    c.commands.post("launch " + text_of(now));
  }
  y += m.px(26) + gap;
  draw_recent(w, c, {in.x, y, in.w, in.bottom() - y});
  card.end();
}

}  // namespace tapescope::ui
