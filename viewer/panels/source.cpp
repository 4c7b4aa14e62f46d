// Draws the lines of a file: gutter, text, bars of what each costs.
#include "viewer/panels/source.h"

#include <fmt/format.h>
#include <algorithm>
#include <filesystem>

#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

// Of a line, in pixels: what stands left of its text, and at the right two columns of bars with their
// figures.
struct LineRoom {
  float gutter = 0, number = 0;
  float cost = 0;                 // a column; 0 where there is no room for two
  float bar = 0, number_end = 0;  // from a column's left edge
  float ink = 1;                  // of a bar
};

// In a narrow panel the figures stand on the bars.
LineRoom line_room(const PanelContext& c, float width) {
  const Metrics& m = c.m();
  if (width >= m.px(420)) return {m.px(24), m.px(44), m.px(104), m.px(44), m.px(92), 1};
  LineRoom narrow{m.px(18), m.px(38), 0, 0, 0, 0.5f};
  if (width >= m.px(230)) narrow.cost = m.px(46), narrow.bar = narrow.number_end = m.px(42);
  return narrow;
}

std::string figure(double us) {
  return us < 0.95     ? "<1"
         : us < 99.5   ? fmt::format("{:.3g}", us)
         : us < 99'999 ? fmt::format("{:.0f}", us)
                       : fmt::format("{:.0f}k", us / 1000);
}

const Breakpoint* breakpoint_at(const PanelContext& c, const std::string& place) {
  const auto found = std::ranges::find_if(c.breakpoints, [&](const Breakpoint& breakpoint) {
    return breakpoint.kind == Breakpoint::Kind::line && breakpoint.text == place;
  });
  return found == c.breakpoints.end() ? nullptr : &*found;
}

}  // namespace

std::map<std::uint32_t, LineMark> line_marks(const Snapshot& snapshot, std::string_view file) {
  std::map<std::uint32_t, LineMark> marks;
  const auto mark = [&](std::string_view location, const std::string& text, bool grave) {
    const SourcePlace place = source_place(location);
    if (place.line == 0 || place.file != file || text.empty()) return;
    LineMark& at = marks[place.line];
    if (at.text.find(text) != std::string::npos) return;
    at.text += (at.text.empty() ? "" : "\n") + text;
    at.grave = at.grave || grave;
  };
  for (const AlertRow& alert : snapshot.alerts)
    mark(alert.location, alert.message, alert.kind == "none" || alert.kind == "nonfinite");
  for (const GradientRow& row : snapshot.gradients)
    mark(row.location, row.message, row.status == GradientStatus::none);
  return marks;
}

std::string place_looked_at(const Snapshot* snapshot, const StepAtCursor& step, const Selection& selection,
                            std::uint32_t op_in_focus) {
  if (selection.kind == Selection::Kind::line) return selection.name;
  if (snapshot == nullptr) return {};
  const auto row_with_place = [](const auto& rows, std::uint64_t index) -> std::string {
    return index < rows.size() ? rows[index].location : std::string();
  };
  std::string place;
  if (selection.kind == Selection::Kind::alert) place = row_with_place(snapshot->alerts, selection.index);
  if (selection.kind == Selection::Kind::source) {
    for (const GradientRow& row : snapshot->gradients)
      if (row.source == selection.name) place = row.location;
    for (const VariableRow& variable : snapshot->variables)
      if (place.empty() && variable.name == selection.name) place = variable.location;
  }
  if (place.empty() && step.inside != 0 && selection.kind != Selection::Kind::op)
    place = location_text(site_with_id(step.inside));
  if (place.empty() && step.view && op_in_focus < step.view->ops.size())
    place = step.view->ops[op_in_focus].location;
  for (const AlertRow& alert : snapshot->alerts)
    if (place.empty()) place = alert.location;
  for (const GradientRow& row : snapshot->gradients)
    if (place.empty() && row.status != GradientStatus::value) place = row.location;
  if (!place.empty() || !step.view) return place;
  double most = -1;
  for (const OpRow& op : step.view->ops) {
    if (op.location.empty() || op.duration_us <= most) continue;
    most = op.duration_us;
    place = op.location;
  }
  return place;
}

void SourcePanel::refresh(PanelContext& c) {
  const StepAtCursor step = step_at_cursor(c.a, c.state.cursor, c.status);
  const bool other_program = generations_ != c.generations();
  const Selection& selection = c.state.selection();
  Looked looked{step.view.get(), c.a != nullptr ? c.a->version : 0, c.generations(), selection,
                focus_.find(step, selection), step.inside};
  if (looked != looked_) {
    looked_ = std::move(looked);
    looked_at_ = place_looked_at(c.a, step, selection, looked_.op_in_focus);
  }
  std::string place = looked_at_;
  // Breakpoints can be set before anything ran.
  if (place.empty() && !c.script.empty())
    place = std::filesystem::path(c.script).filename().string() + ":1";
  const std::uint32_t op = step.view ? cursor_.at_cursor(step) : kNoOp;
  const std::string inside = step.inside ? location_text(site_with_id(step.inside)) : std::string();
  const SourcePlace cursor = !inside.empty()               ? source_place(inside)
                             : op == kNoOp || !step.paused ? SourcePlace{}
                                                           : source_place(step.view->ops[op].location);
  bool other_file = other_program;
  if (!place.empty() && (place != place_ || other_program)) {
    const SourcePlace at = source_place(place);
    place_ = place;
    line_ = at.line;
    scroll_ = true;
    other_file = other_file || at.file != name_;
    name_ = at.file;
  }
  at_cursor_ = cursor.file == name_ ? cursor.line : 0;
  generations_ = c.generations();
  if (place.empty() && other_program) name_.clear(), place_.clear();
  // What a program says of its files comes after its first records.
  const bool again = !file_.missing.empty() && c.a != nullptr && c.a->version != version_;
  if (other_file || again) {
    file_ = {};
    std::vector<std::string> paths;
    if (!name_.empty() && c.source_paths) paths = c.source_paths(name_);
    if (!name_.empty() && std::filesystem::path(c.script).filename() == name_)
      paths.insert(paths.begin(), c.script);
    if (!paths.empty()) file_ = read_source(paths);
  }
  const std::uint64_t version = c.a != nullptr ? c.a->version : 0;
  if (!other_file && view_.lock() == step.view && version == version_) return;
  view_ = step.view;
  version_ = version;
  costs_.clear();
  marks_.clear();
  if (step.view) costs_ = line_costs(*step.view, op_medians(*step.view, c.a->recent), name_);
  if (c.a != nullptr) marks_ = line_marks(*c.a, name_);
  most_us_ = 0;
  for (const auto& [line, cost] : costs_) most_us_ = std::max({most_us_, cost.forward_us, cost.backward_us});
}

void SourcePanel::draw_header(PanelContext& c) {
  if (file_.path.empty()) return;
  const ImVec2 min = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float button = c.m().px(64), height = c.m().px(26), pad = c.m().pad;
  const float right = min.x + size.x - pad - button;
  if (size.x < 2 * button) return;
  ImGui::SetCursorScreenPos({right, min.y + std::round((size.y - height) / 2)});
  if (text_button(c, "source/edit", "Edit",
                  "Opens the file at this line: $VISUAL, $EDITOR or Visual Studio Code", "edit-source"))
    c.commands.post(fmt::format("edit-source {}:{}", file_.path, std::max(1u, line_)));
  const float room = right - min.x - 2 * pad;
  draw_text(ImGui::GetWindowDrawList(), c.fonts.mono, {right - pad, centred(c.fonts.mono, min.y, size.y)},
            c.color(Color::dim), elide_name(c.fonts.mono, file_.path, room), Align::right);
}

void SourcePanel::draw_line(PanelContext& c, std::uint32_t line) {
  const std::string number = std::to_string(line), place = name_ + ":" + number, id = "source/line/" + number;
  const float height = c.m().px(22);
  const auto cost = costs_.find(line);
  const auto mark = marks_.find(line);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const LineRoom room = line_room(c, ImGui::GetContentRegionAvail().x);
  const float gutter = room.gutter, left = at.x + gutter + room.number;
  const Breakpoint* const stop = breakpoint_at(c, place);
  ImGui::PushID(number.c_str());
  if (ImGui::InvisibleButton("gutter", {left - at.x - c.m().px(10), height}))
    c.commands.post(stop != nullptr ? fmt::format("break-delete {}", stop->id)
                                    : fmt::format("break line {}", place));
  ImGui::PopID();
  const bool in_gutter = ImGui::IsItemHovered();
  if (ImGui::IsItemVisible()) {
    c.map.item("source/gutter/" + number, stop != nullptr ? "breakpoint" : "");
    tooltip_words(
        c, "source/gutter/" + number,
        stop != nullptr ? "A click removes the breakpoint" : "A click stops the program at this line");
  }
  ImGui::SetCursorScreenPos({left - c.m().px(10), at.y});
  const Row row = selectable_row(c, id, file_.lines[line - 1], height, line == line_);
  if (!row.visible) return;
  if (row.clicked && cost == costs_.end()) c.commands.post(fmt::format("source {}", place));
  if (row.clicked && cost != costs_.end()) {
    // A click again goes to the line's next op.
    const auto& ops = cost->second.ops;
    const Selection& selection = c.state.selection();
    const auto now = selection.kind == Selection::Kind::op
                         ? std::ranges::find(ops, static_cast<std::uint32_t>(selection.index))
                         : ops.end();
    const std::size_t next =
        now == ops.end() ? 0 : static_cast<std::size_t>(now - ops.begin() + 1) % ops.size();
    c.commands.post(fmt::format("select op {}", ops[next]));
  }
  ImDrawList* const list = ImGui::GetWindowDrawList();
  const float middle = row.min.y + height / 2, mono = centred(c.fonts.mono, row.min.y, height);
  if (stop != nullptr || in_gutter) {
    const ImU32 ink = c.color(stop != nullptr && stop->enabled ? Color::broken : Color::faint);
    list->AddCircleFilled({at.x + gutter * 0.4f, middle}, c.m().px(4.5f), ink);
  }
  if (line == at_cursor_)
    draw_arrow_head(list, {at.x + gutter - c.m().px(1), middle}, {1, 0}, c.m().px(9), c.color(Color::cursor));
  draw_text(list, c.fonts.mono, {left - c.m().px(14), mono}, c.color(Color::dim), number, Align::right);
  // A line that costs nothing has the columns' room.
  const float costs = cost != costs_.end() ? 2 * room.cost : 0;
  const float right = row.max.x - costs - c.m().px(costs > 0 ? 8 : 4);
  if (mark != marks_.end()) {
    const Color color = mark->second.grave ? Color::broken : Color::caution;
    list->AddRectFilled({left - c.m().px(8), row.min.y + c.m().px(2)},
                        {left - c.m().px(5), row.max.y - c.m().px(2)}, c.color(color));
  }
  const Color ink = mark == marks_.end() ? Color::text
                    : mark->second.grave ? Color::broken_text
                                         : Color::caution_text;
  const std::string& text = file_.lines[line - 1];
  const std::string shown = elide(c.fonts.mono, text, right - left);
  draw_text(list, c.fonts.mono, {left, mono}, c.color(ink), shown);
  if (cost != costs_.end() && room.cost > 0) {
    for (const bool backward : {false, true}) {
      const double us = backward ? cost->second.backward_us : cost->second.forward_us;
      if (us <= 0) continue;
      const float from = row.max.x - (backward ? 1.0f : 2.0f) * room.cost, number_at = from + room.number_end;
      draw_bar(c, {from, row.min.y + height * 0.25f}, {from + room.bar, row.max.y - height * 0.25f},
               static_cast<float>(most_us_ > 0 ? us / most_us_ : 0),
               c.color(backward ? Color::cursor : Color::forward, room.ink));
      draw_text(list, c.fonts.mono, {number_at, mono}, c.color(Color::text), figure(us), Align::right);
    }
  }
  if (!row.hovered) return;
  std::string tip = mark == marks_.end() ? std::string() : mark->second.text;
  if (shown != text) tip = text + (tip.empty() ? "" : "\n") + tip;
  if (cost != costs_.end()) {
    const std::size_t ops = cost->second.ops.size();
    tip += fmt::format("{}forward   {:.3f} µs\nbackward  {:.3f} µs\n{} op{}; a click selects {}",
                       tip.empty() ? "" : "\n", cost->second.forward_us, cost->second.backward_us, ops,
                       ops == 1 ? "" : "s", ops == 1 ? "it" : "the costliest, then the next");
  }
  if (!tip.empty()) tooltip_numbers(c, id, tip);
}

void SourcePanel::draw(PanelContext& c) {
  refresh(c);
  if (name_.empty()) {
    return awaits_op(c, "The program's file at the line of what is selected, with what each line costs.");
  }
  if (!file_.missing.empty()) {
    empty_state(
        c, file_.missing + ".",
        "A recording finds its files where the program was built, in its folder, and in the folder that "
        "the window was started in.");
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  const float height = c.m().px(22), head = c.m().px(22);
  const ImVec2 at = ImGui::GetCursorScreenPos(), body = ImGui::GetContentRegionAvail();
  const float right = at.x + body.x - ImGui::GetStyle().ScrollbarSize;
  if (const LineRoom room = line_room(c, right - at.x); room.cost > 0) {
    for (const bool backward : {false, true}) {
      draw_text(ImGui::GetWindowDrawList(), c.fonts.small,
                {right - (backward ? 1.0f : 2.0f) * room.cost + room.number_end,
                 centred(c.fonts.small, at.y, head)},
                c.color(Color::dim), backward ? "bwd µs" : "fwd µs", Align::right);
    }
  }
  ImGui::SetCursorScreenPos({at.x, at.y + head});
  ImGui::BeginChild("lines", {0, body.y - head}, false,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_AlwaysVerticalScrollbar);
  if (std::exchange(scroll_, false)) {
    const float middle = (static_cast<float>(line_) - 0.5f) * height;
    ImGui::SetScrollY(std::max(0.0f, middle - ImGui::GetWindowHeight() / 2));
  }
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(file_.lines.size()), height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_line(c, static_cast<std::uint32_t>(i) + 1);
  }
  clipper.End();
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

std::string SourcePanel::text(const PanelContext&) const {
  std::string text;
  for (std::uint32_t line = 1; line <= file_.lines.size(); ++line) {
    const auto cost = costs_.find(line);
    text += cost == costs_.end() ? fmt::format("{}\t\t\t{}\n", line, file_.lines[line - 1])
                                 : fmt::format("{}\t{:.3f}\t{:.3f}\t{}\n", line, cost->second.forward_us,
                                               cost->second.backward_us, file_.lines[line - 1]);
  }
  return text;
}

}  // namespace tapescope::ui
