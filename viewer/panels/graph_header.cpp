// The graph's surroundings: header with colour scale, headers of a comparison, minimap, tooltip.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "viewer/panels/graph.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {

using layout::Box;
using layout::BoxKind;
using layout::kNone;
using layout::Lane;

namespace {

std::string scale_figure(GraphColour colour, double v) {
  return colour == GraphColour::saved ? format_bytes(v) : format_count(v);
}

// From the scale's left end; returns the width.
float draw_scale(PanelContext& c, ImVec2 right_middle, const GraphScene& scene, GraphColour colour) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = c.m().px(9), width = c.m().px(96), top = std::round(right_middle.y - height / 2);
  const float text_y = centred(c.fonts.small, right_middle.y, 0);
  float right = right_middle.x;
  if (!scene.classes.empty()) {
    for (std::size_t i = scene.classes.size(); i-- > 0;) {
      right -= draw_text(list, c.fonts.small, {right, text_y}, c.color(Color::dim), scene.classes[i],
                         Align::right) +
               c.m().px(4);
      list->AddRectFilled(
          {right - height, top}, {right, top + height},
          c.theme.heat((static_cast<float>(i) + 0.5f) / static_cast<float>(scene.classes.size())));
      right -= height + c.m().px(9);
      if (right_middle.x - right > c.m().px(420)) break;
    }
    return right_middle.x - right;
  }
  right -= draw_text(list, c.fonts.small, {right, text_y}, c.color(Color::dim),
                     scale_figure(colour, scene.high), Align::right) +
           c.m().px(5);
  constexpr int kSteps = 48;
  for (int i = 0; i < kSteps; ++i) {
    const float x = right - width + width * static_cast<float>(i) / kSteps;
    list->AddRectFilled({x, top}, {x + width / kSteps + 0.5f, top + height},
                        c.theme.heat((static_cast<float>(i) + 0.5f) / kSteps));
  }
  right -= width + c.m().px(5);
  right -= draw_text(list, c.fonts.small, {right, text_y}, c.color(Color::dim),
                     scale_figure(colour, scene.low), Align::right);
  return right_middle.x - right;
}

}  // namespace

void GraphPanel::draw_header(PanelContext& c) {
  const ImVec2 min = ImGui::GetWindowPos();
  const ImVec2 max{min.x + ImGui::GetWindowSize().x, min.y + ImGui::GetWindowSize().y};
  const float middle = (min.y + max.y) / 2;
  const ImVec2 start = ImGui::GetCursorScreenPos();
  float right = max.x - c.m().pad;
  const auto colour = static_cast<GraphColour>(c.state.graph_colour % static_cast<int>(GraphColour::count_));
  const GraphColourText& words = text_of(colour);
  const bool roomy = max.x - start.x > c.m().px(330);
  if (picture_ != nullptr && roomy)
    right -= draw_scale(c, {right, middle}, scenes_[0], colour) + c.m().px(10);

  const std::string label = fmt::format("colour: {}{}{}", words.label, words.unit[0] ? ", " : "", words.unit);
  const float width = text_width(c.fonts.small, label) + c.m().px(14);
  ImGui::SetCursorScreenPos({right - width, std::round(middle - c.m().hit / 2)});
  if (ImGui::InvisibleButton("colour", {width, c.m().hit})) ImGui::OpenPopup("colours");
  const bool hovered = ImGui::IsItemHovered();
  c.map.item("graph/colour", label);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImU32 ink = c.color(hovered ? Color::text : Color::dim);
  draw_text(list, c.fonts.small, {right - width, centred(c.fonts.small, middle, 0)}, ink, label);
  list->AddTriangleFilled({right - c.m().px(9), middle - c.m().px(2)},
                          {right - c.m().px(1), middle - c.m().px(2)},
                          {right - c.m().px(5), middle + c.m().px(3)}, ink);
  tooltip_words(c, "graph/colour", "What the bar at the left edge of each op shows");
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(c.m().px(8), c.m().px(8)));
  if (ImGui::BeginPopup("colours")) {
    for (int i = 0; i < static_cast<int>(GraphColour::count_); ++i) {
      const GraphColourText& choice = text_of(static_cast<GraphColour>(i));
      if (ImGui::Selectable(choice.label, i == c.state.graph_colour)) c.state.graph_colour = i;
      c.map.item(fmt::format("graph/colour/{}", choice.id), choice.label);
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();

  // Where one is: the step, and the scope of the op in focus.
  if (picture_ == nullptr) return;
  float room = right - width - start.x - c.m().pad;
  const StepView& first = *picture_->a;
  if (first.step == 0 && first.complete && picture_->medians[0].steps == 1)
    room -= cold_mark(c, "graph/cold", {right - width - c.m().pad, middle}, room / 2);
  const bool drawn = steps_[0].view == picture_->a;
  std::string where =
      fmt::format("step {}", c.step_shown(drawn ? steps_[0].number() : picture_->a->step));
  if (drawn && steps_[0].expanded) {
    where += fmt::format("  ›  {}, run op by op beside the call, {}", name_text(steps_[0].function),
                         format_us(steps_[0].view->step_us));
  }
  const std::uint32_t op = focus_[0].find(steps_[0], c.state.selection());
  if (op != kNoOp && drawn) {
    std::string scope(picture_->a->ops[op].scope);
    for (std::size_t at = scope.find('/'); at != std::string::npos; at = scope.find('/', at + 5))
      scope.replace(at, 1, "  ›  ");
    if (!scope.empty()) where += "  ›  " + scope;
    where += "  ›  " + std::string(picture_->a->ops[op].op);
  }
  if (room <= c.m().px(60)) return;
  draw_elided(c, c.fonts.small, {start.x, centred(c.fonts.small, middle, 0)}, room, c.color(Color::dim),
              where);
  c.map.rect("words/graph", where, {start.x, min.y}, {start.x + room, max.y});
}

void GraphPanel::draw_pane_header(PanelContext& c, int program, ImVec2 min, ImVec2 max) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(min, max, c.color(Color::raised));
  list->PushClipRect(min, max, true);
  const float height = max.y - min.y;
  const std::string title =
      fmt::format("{}  {}", program == 0 ? "A" : "B", program == 0 ? c.name_a : c.name_b);
  float x = min.x + c.m().pad;
  x += draw_text(list, c.fonts.bold, {x, centred(c.fonts.bold, min.y, height)}, c.color(Color::text), title) +
       c.m().px(24);
  const TapeCounts& counts = picture_->view(program).counts;
  const std::string note = fmt::format("{} recorded, {} backward ops", counts.recorded, counts.backward_ops);
  const float room = max.x - c.m().pad - x;
  if (room > c.m().px(40))
    draw_elided(c, c.fonts.small, {x, centred(c.fonts.small, min.y, height)}, room, c.color(Color::dim),
                note);
  list->PopClipRect();
}

void GraphPanel::draw_minimap(PanelContext& c, int program, const CanvasView& view) {
  const layout::Layout& layout = picture_->layout;
  const float scale = c.m().scale, room = view.max.x - view.min.x;
  // In a small graph it would lie on what it helps to find.
  if (room < 700 * scale || view.max.y - view.min.y < 300 * scale) return;
  if (layout.width <= 0 || layout.height <= 0) return;
  // What is seen whole needs none, and it never takes much of a small graph.
  const ImVec2 first = view.to_screen(layout.left, layout.top),
               last = view.to_screen(layout.left + layout.width, layout.top + layout.height);
  if (first.x >= view.min.x && first.y >= view.min.y && last.x <= view.max.x && last.y <= view.max.y) return;
  const float width = std::min(116 * scale, 0.14f * room), most = width * 92 / 116;
  const float pad = 6 * scale;
  const float zoom = std::min((width - 2 * pad) / layout.width, (most - 2 * pad) / layout.height);
  const ImVec2 max{view.max.x - 12 * scale, view.max.y - 12 * scale}, min{max.x - width, max.y - most};
  const ImVec2 origin{(min.x + max.x) / 2 - layout.width * zoom / 2,
                      (min.y + max.y) / 2 - layout.height * zoom / 2};
  const auto place = [&](float x, float y) {
    return ImVec2{origin.x + (x - layout.left) * zoom, origin.y + (y - layout.top) * zoom};
  };
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(min, max, true);
  list->AddRectFilled(min, max, c.color(Color::window, 0.94f), c.m().rounding);
  const GraphScene& scene = scenes_[static_cast<std::size_t>(program)];
  // Some thousand rectangles fill this small picture; of more, every k-th is drawn.
  const std::size_t stride = 1 + layout.boxes.size() / 2000;
  for (std::size_t i = 0; i < layout.boxes.size(); i += stride) {
    const Box& box = layout.boxes[i];
    if (box.kind == BoxKind::Pass || box.kind == BoxKind::Portal || scene.state[i] == BoxState::absent)
      continue;
    Color name = box.lane == Lane::Variables   ? Color::value
                 : box.lane == Lane::Gradients ? Color::gradient
                                               : Color::dim;
    if (scene.state[i] == BoxState::pending) name = Color::faint;
    if (scene.broken[i]) name = Color::broken;
    if (i == scene.now_box) name = Color::cursor;
    ImU32 color = c.color(name);
    if (name == Color::dim && std::isfinite(scene.value[i]) && scene.classes.empty()) {
      color = c.theme.heat(static_cast<float>((scene.value[i] - scene.low) / (scene.high - scene.low)));
    }
    const ImVec2 a = place(box.x, box.y), b = place(box.x + box.w, box.y + box.h);
    list->AddRectFilled(a, {std::max(b.x, a.x + 1.5f * scale), std::max(b.y, a.y + 1.5f * scale)}, color);
  }
  const layout::Point from = view.to_canvas(view.min), to = view.to_canvas(view.max);
  const ImVec2 a = place(from.x, from.y), b = place(to.x, to.y);
  list->AddRect({std::max(a.x, min.x + 2), std::max(a.y, min.y + 2)},
                {std::min(b.x, max.x - 2), std::min(b.y, max.y - 2)}, c.color(Color::text), 2 * scale, 0,
                c.m().line);
  list->AddRect(min, max, c.color(Color::line), c.m().rounding, 0, c.m().line);
  list->PopClipRect();
  c.map.rect(program == 0 ? "graph/minimap" : "graph/b/minimap", "minimap", min, max);

  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool inside = mouse.x >= min.x && mouse.x < max.x && mouse.y >= min.y && mouse.y < max.y &&
                      hovered_program_ == program;
  if (inside && ImGui::IsWindowHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem)) {
    hovered_ = kNone;
    if (ImGui::IsMouseClicked(0)) in_minimap_ = true;
  }
  if (!ImGui::IsMouseDown(0)) in_minimap_ = false;
  if (in_minimap_ && hovered_program_ == program) {
    c.state.camera.x = layout.left + (mouse.x - origin.x) / zoom;
    c.state.camera.y = layout.top + (mouse.y - origin.y) / zoom;
    camera_.taken_over();
  }
}

void GraphPanel::tooltip(PanelContext& c, int program, std::uint32_t index) const {
  const auto p = static_cast<std::size_t>(program);
  const Box& box = picture_->layout.boxes[index];
  const BoxText& text = picture_->texts[p][index];
  const StepView& view = picture_->view(program);
  const std::vector<std::uint32_t> ops = picture_->ops_of(program, index);
  std::string body;
  const auto line = [&](std::string_view key, std::string_view value) {
    if (!value.empty()) body += fmt::format("{}{:<10}{}", body.empty() ? "" : "\n", key, value);
  };
  constexpr std::size_t kMostOps = 6;
  for (std::size_t i = 0; i < std::min(ops.size(), kMostOps); ++i) {
    const OpRow& row = steps_[p].view.get() == &view ? steps_[p].row(ops[i]) : view.ops[ops[i]];
    if (ops.size() > 1) {
      line(text_of_op(view, ops[i]),
           fmt::format("{}  {}  {}", row.op, row.output_type, format_us(row.duration_us)));
      continue;
    }
    const std::int64_t number = number_of_op(view, ops[i]);
    line("op", number > 0 ? fmt::format("{}, {}", number, row.name) : row.name);
    if (!row.output_type.empty())
      line("shape", fmt::format("{} → {} {}", row.types, row.output_type, row.dtype));
    const OpMedians& medians = picture_->medians[p];
    if (medians.steps > 1)
      line("median", fmt::format("{:.2f} µs of {} steps", medians.own_us[ops[i]], medians.steps));
    line(name_of(row.direction), fmt::format("{:.2f} µs", row.duration_us));
    if (view.step_us > 0) line("of step", format_percent(row.duration_us / view.step_us));
    if (row.backward_step != kNoOp && row.direction != Direction::backward) {
      const double back = view.backward_steps[row.backward_step].duration_us;
      line("backward", fmt::format("{:.2f} µs", back));
      if (row.duration_us > 0) line("ratio", fmt::format("{:.2f}", back / row.duration_us));
    }
    if (row.flops > 0) line("FLOP", format_count(row.flops));
    if (row.saved_bytes > 0) line("saved", format_bytes(static_cast<double>(row.saved_bytes)));
    line("recorded",
         row.not_recorded.empty() ? (row.recorded ? "yes" : "") : fmt::format("no, {}", row.not_recorded));
    line("line", row.location);
  }
  if (ops.size() > kMostOps) line("", fmt::format("and {} more", ops.size() - kMostOps));
  if (picture_->comparing()) {
    for (const int q : {0, 1}) {
      const double us = picture_->us_of(q, index);
      if (std::isfinite(us)) line(q == 0 ? "in A" : "in B", format_us(us));
    }
  }
  if (box.kind == BoxKind::Gradient) line("gradient", scenes_[p].gradient_text[index]);
  if (box.kind == BoxKind::Scope || box.kind == BoxKind::Series) line("", "double-click opens it");
  for (const CutMark& cut : scenes_[p].cuts) {
    if (cut.edge_box == index || cut.source_box == index)
      line("cut", fmt::format("{}: {}", cut.source, cut.words));
  }
  const auto colour = static_cast<GraphColour>(c.state.graph_colour % static_cast<int>(GraphColour::count_));
  const std::string scale_value =
      std::isfinite(scenes_[p].value[index]) && scenes_[p].classes.empty()
          ? fmt::format("{:.4g} {}", static_cast<double>(scenes_[p].value[index]), text_of(colour).unit)
          : std::string();
  if (!scale_value.empty() && ops.size() > 1) line(text_of(colour).label, scale_value);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(c.m().px(9), c.m().px(7)));
  ImGui::BeginTooltip();
  ImGui::PushFont(c.fonts.bold);
  ImGui::TextUnformatted(text.title.c_str());
  ImGui::PopFont();
  if (!body.empty()) {
    ImGui::PushFont(c.fonts.mono);
    ImGui::TextUnformatted(body.c_str());
    ImGui::PopFont();
  }
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

}  // namespace tapescope::ui
