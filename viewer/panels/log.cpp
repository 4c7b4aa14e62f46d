// Messages of the program and of the tool, by step.
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "viewer/panels/op_filter.h"
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

// A line of the log: of the records, or what a launched program wrote.
struct Line {
  std::uint64_t step = 0;  // as people count
  int severity = 0;
  bool output = false;
  std::string_view text, location;
};

class LogPanel final : public Panel {
 public:
  std::string_view id() const override { return "log"; }
  std::string_view title() const override { return "Log"; }
  Place place() const override { return Place::bottom; }
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;

 private:
  void gather(PanelContext& c);

  std::vector<Line> shown_;          // that match the filter
  std::size_t all_ = 0, drawn_ = 0;  // before the filter; rows of the last frame
  std::string filter_;
  std::uint64_t version_ = 0, output_version_ = 0, generation_ = 0;
  std::shared_ptr<const Snapshot> of_;  // keeps the texts
};

// By step; of one step what was written stands before what the tool said.
std::vector<Line> lines_of(const PanelContext& c) {
  std::vector<Line> lines;
  for (const OutputLine& line : c.output.lines)
    lines.push_back({.step = line.step, .output = true, .text = line.text});
  if (const OutputLine& open = c.output.open; !open.text.empty())
    lines.push_back({.step = open.step, .output = true, .text = open.text});
  const auto middle = static_cast<std::ptrdiff_t>(lines.size());
  if (c.a != nullptr) {
    for (std::size_t i = 0; i < c.a->log.size(); ++i) {
      const LogRow& row = c.a->log[i];
      lines.push_back({c.step_shown(row.step), row.severity, false, row.text, row.location});
    }
  }
  const auto earlier = [](const Line& x, const Line& y) { return x.step < y.step; };
  std::stable_sort(lines.begin() + middle, lines.end(), earlier);
  std::inplace_merge(lines.begin(), lines.begin() + middle, lines.end(), earlier);
  return lines;
}

void LogPanel::gather(PanelContext& c) {
  const std::uint64_t version = c.a != nullptr ? c.a->version : 0;
  if (version == version_ && filter_ == c.state.filter() && output_version_ == c.output.version &&
      generation_ == c.status.generation && of_ == c.shared_a)
    return;
  version_ = version;
  filter_ = c.state.filter();
  output_version_ = c.output.version;
  generation_ = c.status.generation;
  of_ = c.shared_a;
  shown_ = lines_of(c);
  all_ = shown_.size();
  const OpFilter filter(filter_);
  std::erase_if(shown_, [&](const Line& line) { return !filter.matches_text(line.text); });
}

void LogPanel::draw(PanelContext& c) {
  gather(c);
  if (all_ == 0) {
    empty_state(c, "What the program and the tool said, by step; what a launched program writes, too.",
                c.status.mode != RunMode::idle ? "Nothing was said so far." : "A run fills it.");
    return;
  }
  if (shown_.empty()) {
    empty_state(c, fmt::format("No line matches `{}` in {}.", filter_, all_), {}, "filter",
                "Clear the filter");
    return;
  }
  // What is written is followed while the end is in sight.
  const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown_.size()), c.m().row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const Line& line = shown_[static_cast<std::size_t>(i)];
      const std::string id = fmt::format("log/row/{}", i);
      const Row row = selectable_row(c, id, line.text, c.m().row_height, false);
      if (!row.visible) continue;
      const float height = c.m().row_height, x = row.min.x + c.m().px(20),
                  width = row.max.x - x - c.m().px(20);
      const float place = line.location.empty() ? 0 : c.m().px(170);
      const float mouse = ImGui::GetIO().MousePos.x;
      // Further right the whole text is shown where it was cut.
      if (line.step > 0 && mouse < x + c.m().px(64))
        tooltip_words(c, id, fmt::format("A click goes to step {}", line.step));
      const bool at_place = place > 0 && mouse >= x + width - place;
      if (row.clicked && at_place) c.commands.post(fmt::format("source {}", line.location));
      else if (row.clicked && line.step > 0) c.commands.post(fmt::format("go-step {}", line.step));
      ImDrawList* list = ImGui::GetWindowDrawList();
      draw_text(list, c.fonts.mono, {x + c.m().px(60), centred(c.fonts.mono, row.min.y, height)},
                c.color(Color::dim),
                line.step == 0 && line.output ? "start" : fmt::format("step {}", line.step), Align::right);
      const char* sign = line.severity >= 2 ? "✗" : line.severity == 1 ? "!" : "";
      const Color color = line.severity >= 2   ? Color::broken_text
                          : line.severity == 1 ? Color::caution_text
                                               : Color::text;
      draw_text(list, c.fonts.bold, {x + c.m().px(72), centred(c.fonts.bold, row.min.y, height)},
                c.color(color), sign);
      const ImFont* font = line.output ? c.fonts.mono : c.fonts.text;
      draw_elided(c, font, {x + c.m().px(90), centred(font, row.min.y, height)}, width - c.m().px(90) - place,
                  c.color(color), line.text);
      if (line.location.empty()) continue;
      draw_elided(c, c.fonts.mono, {x + width, centred(c.fonts.mono, row.min.y, height)}, c.m().px(160),
                  c.color(Color::value_text), line.location, Align::right);
    }
  }
  clipper.End();
  ImGui::PopStyleVar();
  if (at_end && std::exchange(drawn_, shown_.size()) != shown_.size()) {
    ImGui::SetScrollHereY(1);
    c.wants_frame = true;
  }
}

std::string LogPanel::text(const PanelContext& c) const {
  std::string text;
  for (const Line& line : lines_of(c))
    text += fmt::format("{}\t{}\t{}\n", line.step, line.text, line.location);
  return text;
}

}  // namespace

std::unique_ptr<Panel> log_panel() { return std::make_unique<LogPanel>(); }

}  // namespace tapescope::ui
