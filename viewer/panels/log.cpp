// Messages of the program and of the tool, by step.
#include <algorithm>

#include <fmt/format.h>

#include "viewer/panels/op_filter.h"
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

class LogPanel final : public Panel {
 public:
  std::string_view id() const override { return "log"; }
  std::string_view title() const override { return "Log"; }
  Place place() const override { return Place::bottom; }
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;

 private:
  std::vector<std::uint32_t> shown_;  // lines that match the filter
  std::string filter_;
  std::uint64_t version_ = 0;
};

void LogPanel::draw(PanelContext& c) {
  if (c.a == nullptr || c.a->log.empty()) {
    empty_state(c, "What the program and the tool said, by step.",
                c.a != nullptr && !c.a->steps.empty() ? "Nothing was said so far." : "A run fills it.");
    return;
  }
  if (c.a->version != version_ || filter_ != c.state.filter()) {
    version_ = c.a->version;
    filter_ = c.state.filter();
    const OpFilter filter(filter_);
    shown_.clear();
    for (std::uint32_t i = 0; i < c.a->log.size(); ++i) {
      if (filter.matches_text(c.a->log[i].text)) shown_.push_back(i);
    }
  }
  if (shown_.empty()) {
    empty_state(c, fmt::format("No line matches `{}` in {}.", filter_, c.a->log.size()), {}, "filter",
                "Clear the filter");
    return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(shown_.size()), c.m().row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i) {
      const LogRow& line = c.a->log[shown_[static_cast<std::size_t>(i)]];
      const Row row = selectable_row(c, fmt::format("log/row/{}", shown_[static_cast<std::size_t>(i)]),
                                     line.text, c.m().row_height, false);
      if (!row.visible) continue;
      const float height = c.m().row_height, x = row.min.x + c.m().px(20),
                  width = row.max.x - x - c.m().px(20);
      ImDrawList* list = ImGui::GetWindowDrawList();
      draw_text(list, c.fonts.mono, {x + c.m().px(60), centred(c.fonts.mono, row.min.y, height)},
                c.color(Color::dim), fmt::format("step {}", c.step_shown(line.step)), Align::right);
      const char* sign = line.severity >= 2 ? "✗" : line.severity == 1 ? "!" : "";
      const Color color = line.severity >= 2   ? Color::broken_text
                          : line.severity == 1 ? Color::caution_text
                                               : Color::text;
      draw_text(list, c.fonts.bold, {x + c.m().px(72), centred(c.fonts.bold, row.min.y, height)},
                c.color(color), sign);
      draw_elided(c, c.fonts.text, {x + c.m().px(90), centred(c.fonts.text, row.min.y, height)},
                  width - c.m().px(90) - c.m().px(170), c.color(color), line.text);
      draw_elided(c, c.fonts.mono, {x + width, centred(c.fonts.mono, row.min.y, height)}, c.m().px(160),
                  c.color(Color::value_text), line.location, Align::right);
    }
  }
  clipper.End();
  ImGui::PopStyleVar();
}

std::string LogPanel::text(const PanelContext& c) const {
  std::string text;
  if (c.a == nullptr) return text;
  for (std::size_t i = 0; i < c.a->log.size(); ++i)
    text += fmt::format("{}\t{}\t{}\n", c.a->log[i].step, c.a->log[i].text, c.a->log[i].location);
  return text;
}

}  // namespace

std::unique_ptr<Panel> log_panel() { return std::make_unique<LogPanel>(); }

}  // namespace tapescope::ui
