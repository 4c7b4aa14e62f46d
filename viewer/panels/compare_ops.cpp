// What A's and B's ops take, by type.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <functional>

#include "viewer/model/units.h"
#include "viewer/panels/compare.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {

std::vector<TypeCosts> type_costs(const Snapshot& a, const Snapshot& b) {
  std::vector<TypeCosts> costs;
  for (const OpKindRow& kind : a.op_kinds)
    costs.push_back({kind.op, kind.forward_us + kind.backward_run_us, 0});
  for (const OpKindRow& kind : b.op_kinds) {
    auto same = std::ranges::find(costs, kind.op, &TypeCosts::op);
    if (same == costs.end()) same = costs.insert(costs.end(), TypeCosts{kind.op, 0, 0});
    same->b_us = kind.forward_us + kind.backward_run_us;
  }
  std::ranges::stable_sort(costs, std::ranges::greater(),
                           [](const TypeCosts& row) { return std::abs(row.b_us - row.a_us); });
  return costs;
}

// A row per type: A's bar above B's on one scale, and the figures.
void ComparePanel::draw_types(PanelContext& c) const {
  const std::vector<TypeCosts> costs = type_costs(*c.a, *c.b);
  double most = 0;
  for (const TypeCosts& row : costs) most = std::max({most, row.a_us, row.b_us});
  if (!(most > 0)) return;
  ImGui::Indent(c.m().px(24));
  subheading(c, "Time of ops by type", "median of a step: A, B, change");
  const float height = c.m().px(24), name_width = c.m().px(200);
  const float figure = text_width(c.fonts.mono, "-000.0 µs") + c.m().px(12);
  const float room = ImGui::GetContentRegionAvail().x - c.m().px(24);
  for (const TypeCosts& row : costs) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const double change = row.b_us - row.a_us;
    const std::string figures[] = {format_us(row.a_us), format_us(row.b_us),
                                   change >= 0.1    ? "+" + format_us(change)
                                   : change <= -0.1 ? format_us(change)
                                                    : format_us(std::abs(change))};
    c.map.rect(fmt::format("compare/op/{}", row.op), fmt::format("{}, {}", figures[0], figures[1]), at,
               {at.x + room, at.y + height});
    ImGui::Dummy({1, height});
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float name = std::min(name_width, room - 3 * figure);
    draw_elided(c, c.fonts.text, {at.x, centred(c.fonts.text, at.y, height)}, name - c.m().px(8),
                c.color(Color::text), std::string(row.op));
    for (int i = 0; i < 3; ++i) {
      const Color color = i < 2 ? Color::text : change > 0 ? Color::cursor_text : Color::value_text;
      draw_text(list, c.fonts.mono,
                {at.x + name + figure * static_cast<float>(i + 1), centred(c.fonts.mono, at.y, height)},
                c.color(color), figures[i], Align::right);
    }
    const float bars = at.x + name + 3 * figure + c.m().px(16), width = at.x + room - bars;
    if (width < c.m().px(40)) continue;
    const auto bar = [&](double us, float y, Color color) {
      if (!(us > 0)) return;
      list->AddRectFilled({bars, y},
                          {bars + std::max(1.0f, width * static_cast<float>(us / most)), y + c.m().px(7)},
                          c.color(color, 0.75f));
    };
    bar(row.a_us, at.y + c.m().px(4), Color::cursor);
    bar(row.b_us, at.y + c.m().px(13), Color::value);
  }
  ImGui::Unindent(c.m().px(24));
}

}  // namespace tapescope::ui
