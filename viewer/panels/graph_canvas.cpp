// The canvas: what is visible, in which order, and the wires.
#include "viewer/panels/graph_canvas.h"

#include <algorithm>
#include <cmath>

#include "viewer/ui/widgets.h"

namespace tapescope::ui {

using layout::Box;
using layout::BoxKind;
using layout::kNone;
using layout::Lane;
using layout::Wire;
using layout::WireKind;

namespace {
constexpr float kTextFrom =
    0.5f;  // of the mock's size: names are 6.5 pixels high there, the least one can read
constexpr float kPlainFrom = 0.14f;  // below, a box is a speck of 6 pixels' height
}  // namespace

GraphCanvas::GraphCanvas(PanelContext& context, const GraphPicture& picture, const GraphScene& scene,
                         int program, const CanvasView& view)
    : c_(context),
      p_(picture),
      scene_(scene),
      program_(program),
      view_(view),
      unit_(view.zoom / kFullZoom),
      list_(ImGui::GetWindowDrawList()) {
  const float size = unit_ / std::max(0.1f, context.m().scale);
  detail_ = size >= kTextFrom ? Detail::text : size >= kPlainFrom ? Detail::plain : Detail::speck;
}

ImVec2 GraphCanvas::box_min(std::uint32_t box) const {
  const Box& b = p_.layout.boxes[box];
  const ImVec2 at = view_.to_screen(b.x, b.y);
  return {std::round(at.x), std::round(at.y)};
}
ImVec2 GraphCanvas::box_max(std::uint32_t box) const {
  const Box& b = p_.layout.boxes[box];
  const ImVec2 at = view_.to_screen(b.x + b.w, b.y + b.h);
  return {std::round(at.x), std::round(at.y)};
}

bool GraphCanvas::visible(float left, float top, float right, float bottom) const {
  const ImVec2 a = view_.to_screen(left, top), b = view_.to_screen(right, bottom);
  const float margin = 24 * c_.m().scale;
  return b.x >= view_.min.x - margin && a.x <= view_.max.x + margin && b.y >= view_.min.y - margin &&
         a.y <= view_.max.y + margin;
}

void GraphCanvas::draw(std::uint32_t selected_box, std::uint32_t hovered_box) {
  list_->PushClipRect(view_.min, view_.max, true);
  draw_columns();
  if (detail_ != Detail::speck) {
    draw_links();
    draw_wires();
  }
  // Only the boxes between the canvas's edges, found by their order from top to bottom.
  const auto& boxes = p_.layout.boxes;
  const float top = view_.to_canvas(view_.min).y - p_.tallest - 20,
              bottom = view_.to_canvas(view_.max).y + 20;
  const auto above = [&](std::uint32_t box, float y) { return boxes[box].y < y; };
  const auto first = std::lower_bound(p_.by_top.begin(), p_.by_top.end(), top, above);
  for (auto at = first; at != p_.by_top.end() && boxes[*at].y <= bottom; ++at) {
    const Box& b = boxes[*at];
    if (visible(b.x, b.y, b.x + b.w, b.y + b.h)) draw_box(*at, *at == selected_box, *at == hovered_box);
  }
  const Selection& selection = c_.state.selection();
  int chosen = -1;
  for (const CutMark& cut : scene_.cuts) {
    if (!selection.name.empty() && cut.source == selection.name) chosen = static_cast<int>(cut.row);
  }
  draw_cuts(chosen);
  draw_cursor();
  list_->PopClipRect();
}

void GraphCanvas::draw_columns() const {
  if (detail_ == Detail::speck) return;
  const float left = layout::kLeafWidth + layout::kLeafGap * 0.4f;
  for (const float x : {left, layout::kAxis, 2 * layout::kAxis - left}) {
    const float at = std::round(view_.to_screen(x, 0).x) + 0.5f;
    if (p_.comparing() && x != layout::kAxis) continue;
    if (at < view_.min.x || at > view_.max.x) continue;
    draw_dashed_line(list_, {at, view_.min.y}, {at, view_.max.y}, c_.color(Color::line), c_.m().line,
                     2 * c_.m().scale, 5 * c_.m().scale);
  }
}

// A forward op and its backward op stand on one row; a dotted line joins them.
void GraphCanvas::draw_links() const {
  if (detail_ != Detail::text) return;
  for (std::uint32_t i = 0; i < p_.layout.boxes.size(); ++i) {
    const Box& b = p_.layout.boxes[i];
    if (b.lane != Lane::Forward || b.mirror == kNone) continue;
    const Box& m = p_.layout.boxes[b.mirror];
    if (m.lane != Lane::Backward || !visible(b.x + b.w, b.y, m.x, b.y + b.h)) continue;
    const ImVec2 from = view_.to_screen(b.x + b.w, b.y + b.h / 2), to = view_.to_screen(m.x, b.y + b.h / 2);
    draw_dashed_line(list_, {std::max(from.x, view_.min.x), std::round(from.y) + 0.5f},
                     {std::min(to.x, view_.max.x), std::round(from.y) + 0.5f}, c_.color(Color::line),
                     c_.m().line, 2 * c_.m().scale, 4 * c_.m().scale);
  }
}

void GraphCanvas::draw_wires() const {
  const auto& wires = p_.layout.wires;
  const float width = std::max(1.0f, px(1.5f));
  for (std::uint32_t i = 0; i < wires.size(); ++i) {
    const Wire& wire = wires[i];
    if (scene_.cut_wire[i] || !visible(wire.left, wire.top, wire.right, wire.bottom)) continue;
    const BoxState from = scene_.state[wire.from_box], to = scene_.state[wire.to_box];
    const bool absent = from == BoxState::absent || to == BoxState::absent;
    const bool pending = absent || from == BoxState::pending || to == BoxState::pending;
    const bool none =
        scene_.gradient_state[wire.to_box] == static_cast<std::uint8_t>(GradientStatus::none) + 1;
    Color color = Color::dim;
    float alpha = 1;
    switch (wire.kind) {
      case WireKind::Forward: color = Color::dim; break;
      case WireKind::Backward: color = Color::cursor; break;
      case WireKind::Variable:
        color = Color::value;
        alpha = 0.85f;
        break;
      case WireKind::Gradient:
        color = Color::gradient;
        alpha = 0.9f;
        break;
    }
    if (pending || none) color = Color::faint;
    if (absent) alpha = 0.5f;
    if (wire.track) alpha *= 0.75f;
    if (scene_.dimmed[wire.from_box] && scene_.dimmed[wire.to_box]) alpha *= 0.3f;
    const bool hot = wire.to_box == scene_.now_box && wire.kind == WireKind::Backward;
    draw_wire(i, c_.color(color, alpha), hot ? width * 1.4f : width, pending || none,
              detail_ == Detail::text);
  }
}

void GraphCanvas::draw_wire(std::uint32_t index, ImU32 color, float width, bool dashed, bool arrow) const {
  const auto points = p_.layout.points_of(p_.layout.wires[index]);
  if (points.size() < 2) return;
  // Corners are cut by some pixels: it reads as one line.
  const float corner = px(7);
  std::vector<ImVec2> line;
  line.reserve(points.size() * 2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    const ImVec2 at = view_.to_screen(points[i].x, points[i].y);
    if (i == 0 || i + 1 == points.size()) {
      line.push_back(at);
      continue;
    }
    const ImVec2 before = view_.to_screen(points[i - 1].x, points[i - 1].y);
    const ImVec2 after = view_.to_screen(points[i + 1].x, points[i + 1].y);
    const auto towards = [&](ImVec2 other) {
      const float length = std::hypot(other.x - at.x, other.y - at.y);
      const float t = length > 0 ? std::min(0.5f, corner / length) : 0;
      return ImVec2{at.x + (other.x - at.x) * t, at.y + (other.y - at.y) * t};
    };
    const ImVec2 in = towards(before), out = towards(after);
    line.push_back(in);
    line.push_back({(in.x + out.x + 2 * at.x) / 4, (in.y + out.y + 2 * at.y) / 4});
    line.push_back(out);
  }
  const ImVec2 tip = line.back(), last = line[line.size() - 2];
  const float head = px(8);
  const float length = std::hypot(tip.x - last.x, tip.y - last.y);
  if (arrow && length > 0) {
    const float keep = std::max(0.0f, length - head * 0.7f) / length;
    line.back() = {last.x + (tip.x - last.x) * keep, last.y + (tip.y - last.y) * keep};
  }
  if (dashed) {
    for (std::size_t i = 0; i + 1 < line.size(); ++i) {
      draw_dashed_line(list_, line[i], line[i + 1], color, width, px(4), px(4));
    }
  } else {
    list_->AddPolyline(line.data(), static_cast<int>(line.size()), color, 0, width);
  }
  if (arrow) draw_arrow_head(list_, tip, {tip.x - last.x, tip.y - last.y}, head, color);
}

void GraphCanvas::draw_headings(float height) const {
  struct Heading {
    const char* text;
    float x;
    Lane lane;
  };
  const float mirrored = 2 * layout::kAxis;
  const Heading headings[] = {
      {"variables", layout::kLeafWidth / 2, Lane::Variables},
      {"forward ↓", layout::kForwardX + layout::kBoxWidth / 2, Lane::Forward},
      {"↑ backward", mirrored - layout::kForwardX - layout::kBoxWidth / 2, Lane::Backward},
      {"gradients", mirrored - layout::kLeafWidth / 2, Lane::Gradients}};
  list_->AddRectFilled(view_.min, {view_.max.x, view_.min.y + height}, c_.color(Color::panel));
  float end = view_.min.x;
  for (const Heading& heading : headings) {
    const bool used = std::any_of(p_.layout.boxes.begin(), p_.layout.boxes.end(),
                                  [&](const Box& box) { return box.lane == heading.lane; });
    if (!used) continue;
    const float at = view_.to_screen(heading.x, 0).x, width = text_width(c_.fonts.small, heading.text);
    if (at - width / 2 < end || at + width / 2 > view_.max.x) continue;
    draw_text(list_, c_.fonts.small, {at, centred(c_.fonts.small, view_.min.y, height)}, c_.color(Color::dim),
              heading.text, Align::centre);
    end = at + width / 2 + c_.m().gap;
  }
}

}  // namespace tapescope::ui
