// Bars, sparklines, signs and dashed lines.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "viewer/ui/widgets.h"

namespace tapescope::ui {

void draw_bar(PanelContext& c, ImVec2 min, ImVec2 max, float share, ImU32 color) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float rounding = c.m().px(2);
  list->AddRectFilled(min, max, c.color(Color::window), rounding);
  if (!(share > 0)) return;
  const float width = std::max(c.m().line, (max.x - min.x) * std::min(share, 1.0f));
  list->AddRectFilled(min, {min.x + width, max.y}, color, std::min(rounding, width / 2));
}

void draw_sparkline(PanelContext& c, ImVec2 min, ImVec2 max, std::span<const float> values, ImU32 color) {
  float low = INFINITY, high = -INFINITY;
  for (const float v : values) {
    if (!std::isfinite(v)) continue;
    low = std::min(low, v);
    high = std::max(high, v);
  }
  if (!(low <= high)) return;
  // A flat series lies in the middle; noise of rounding must not look like a mountain range.
  const float least = std::max(std::abs(high), std::abs(low)) * 1e-3f;
  const float range = std::max(high - low, std::max(least, 1e-30f));
  const float middle = (high + low) / 2;
  const auto point = [&](std::size_t i) {
    const float step = values.size() > 1 ? (max.x - min.x) / static_cast<float>(values.size() - 1) : 0;
    const float t = 0.5f - (values[i] - middle) / range;
    return ImVec2{min.x + step * static_cast<float>(i), min.y + (max.y - min.y) * (0.08f + 0.84f * t)};
  };
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float width = std::max(1.0f, 1.2f * c.m().scale);
  std::vector<ImVec2> run;
  const auto flush = [&] {
    if (run.size() > 1) list->AddPolyline(run.data(), static_cast<int>(run.size()), color, 0, width);
    else if (run.size() == 1) list->AddCircleFilled(run[0], width, color, 8);
    run.clear();
  };
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) run.push_back(point(i));
    else flush();
  }
  flush();
}

void draw_sign(PanelContext& c, ImVec2 min, float side, Sign sign, Color color) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 ink = c.color(color);
  const float line = c.m().px(1.4f);
  list->AddRectFilled(min, {min.x + side, min.y + side}, c.color(Color::window), c.m().rounding);
  list->AddRect(min, {min.x + side, min.y + side}, ink, c.m().rounding, 0, line);
  const ImVec2 o{min.x + side / 2, min.y + side / 2};
  const float r = side * 0.24f;
  const auto at = [&](float x, float y) { return ImVec2{o.x + x * r, o.y + y * r}; };
  switch (sign) {
    case Sign::none_:  // the empty set
      list->AddCircle(o, r, ink, 20, line);
      list->AddLine(at(-1.05f, 1.05f), at(1.05f, -1.05f), ink, line);
      break;
    case Sign::retrace:  // an arrow that comes back
      list->PathArcTo(o, r, -0.6f, 4.2f, 18);
      list->PathStroke(ink, 0, line);
      draw_arrow_head(list, at(1.2f, -0.1f), {0.35f, 1}, r * 0.9f, ink);
      break;
    case Sign::partial:  // a dial that is partly full
      list->AddCircle(o, r, ink, 20, line);
      list->PathLineTo(o);
      list->PathArcTo(o, r, -1.5708f, 0, 8);
      list->PathFillConvex(ink);
      break;
    case Sign::nonfinite:
      list->AddLine(at(-0.8f, -0.8f), at(0.8f, 0.8f), ink, line);
      list->AddLine(at(-0.8f, 0.8f), at(0.8f, -0.8f), ink, line);
      break;
    case Sign::up:
    case Sign::down: {
      const float d = sign == Sign::up ? -1.0f : 1.0f;
      list->AddLine(at(0, -d), at(0, d * 0.6f), ink, line);
      draw_arrow_head(list, at(0, d * 1.1f), {0, d}, r, ink);
      break;
    }
    case Sign::leak:  // a drop
      list->AddCircleFilled(at(0, 0.35f), r * 0.65f, ink, 14);
      list->AddTriangleFilled(at(0, -1.1f), at(0.58f, 0.15f), at(-0.58f, 0.15f), ink);
      break;
    case Sign::info:
      list->AddCircleFilled(at(0, -0.9f), line * 0.8f, ink, 8);
      list->AddLine(at(0, -0.3f), at(0, 1), ink, line);
      break;
    case Sign::scissors:
      list->AddCircle(at(-0.6f, 0.8f), r * 0.35f, ink, 12, line);
      list->AddCircle(at(0.6f, 0.8f), r * 0.35f, ink, 12, line);
      list->AddLine(at(-0.4f, 0.5f), at(0.6f, -1.1f), ink, line);
      list->AddLine(at(0.4f, 0.5f), at(-0.6f, -1.1f), ink, line);
      break;
  }
}

void draw_arrow_head(ImDrawList* list, ImVec2 tip, ImVec2 direction, float size, ImU32 color) {
  const float length = std::hypot(direction.x, direction.y);
  if (length <= 0) return;
  const ImVec2 d{direction.x / length * size, direction.y / length * size};
  const ImVec2 side{-d.y * 0.45f, d.x * 0.45f};
  list->AddTriangleFilled(tip, {tip.x - d.x + side.x, tip.y - d.y + side.y},
                          {tip.x - d.x - side.x, tip.y - d.y - side.y}, color);
}

void draw_dashed_line(ImDrawList* list, ImVec2 a, ImVec2 b, ImU32 color, float thickness, float dash,
                      float gap) {
  const float length = std::hypot(b.x - a.x, b.y - a.y);
  if (!(length > 0) || dash + gap <= 0) return;
  const ImVec2 d{(b.x - a.x) / length, (b.y - a.y) / length};
  // A line much longer than the screen would cost thousands of dashes off the screen.
  const float from = length > 20'000 ? length - 20'000 : 0;
  for (float at = from; at < length; at += dash + gap) {
    const float end = std::min(at + dash, length);
    list->AddLine({a.x + d.x * at, a.y + d.y * at}, {a.x + d.x * end, a.y + d.y * end}, color, thickness);
  }
}

void draw_dashed_rect(ImDrawList* list, ImVec2 min, ImVec2 max, ImU32 color, float rounding, float thickness,
                      float dash, float gap) {
  const float r = std::min(rounding, std::min(max.x - min.x, max.y - min.y) / 2);
  draw_dashed_line(list, {min.x + r, min.y}, {max.x - r, min.y}, color, thickness, dash, gap);
  draw_dashed_line(list, {min.x + r, max.y}, {max.x - r, max.y}, color, thickness, dash, gap);
  draw_dashed_line(list, {min.x, min.y + r}, {min.x, max.y - r}, color, thickness, dash, gap);
  draw_dashed_line(list, {max.x, min.y + r}, {max.x, max.y - r}, color, thickness, dash, gap);
  if (r <= 0) return;
  constexpr float kQuarter = 1.5707963f;
  const std::array<ImVec2, 4> centres = {ImVec2{max.x - r, max.y - r}, ImVec2{min.x + r, max.y - r},
                                         ImVec2{min.x + r, min.y + r}, ImVec2{max.x - r, min.y + r}};
  for (std::size_t i = 0; i < 4; ++i) {
    const float start = kQuarter * static_cast<float>(i);
    list->PathArcTo(centres[i], r, start + 0.25f, start + kQuarter - 0.25f, 6);
    list->PathStroke(color, 0, thickness);
  }
}

}  // namespace tapescope::ui
