// Draws the inspection.
#include "viewer/panels/inspector.h"

#include <fmt/format.h>
#include <algorithm>

#include "viewer/model/value_figures.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
void InspectorPanel::refresh(PanelContext& c) {
  const Selection& selection = c.state.selection();
  const int program = selection.kind == Selection::Kind::op ? selection.program : 0;
  const Snapshot* snapshot = program == 1 && c.b != nullptr ? c.b : c.a;
  const RunStatus& status = c.status_of(program);
  const StepAtCursor step = step_at_cursor(snapshot, c.cursor_of(program), status);
  const FrameView* frame =
      status.mode == RunMode::paused && c.cursor_of(program).live ? status.frame.get() : nullptr;
  std::uint32_t walk = kNoOp;
  const std::uint32_t at_cursor = focus_.at_cursor(step, &walk);
  Key key;
  key.view = step.view.get();
  key.step = step.view != nullptr ? step.view->step : 0;
  key.generations = c.generations();
  key.hash = frame != nullptr ? frame->hash ^ frame->cursor : 0;
  key.op = focus_.find(step, selection);
  const bool of_source = selection.kind == Selection::Kind::source;
  const bool of_alert = selection.kind == Selection::Kind::alert;
  const AlertRow* const alert = of_alert && snapshot != nullptr && selection.index < snapshot->alerts.size()
                                    ? &snapshot->alerts[selection.index]
                                    : nullptr;
  // Of a value that is not finite it is the op that made it, wherever the program stands.
  const bool made_there = alert != nullptr && alert->kind == "nonfinite";
  if (alert != nullptr && step.view != nullptr && alert->op_index < step.view->ops.size() &&
      (key.op == kNoOp || made_there))
    key.op = alert->op_index;
  key.selection = selection;
  key.roof = c.roof != nullptr;
  if (key.op != kNoOp && program == 0 && c.kept && status.mode != RunMode::running) {
    const std::uint64_t shown = status.frame != nullptr ? status.frame->step : key.step;
    key.kept = c.kept(shown);
    key.unread = c.why_unread(shown);
    if (status.frame != nullptr && status.frame->foreign && key.unread.empty())
      key.read_from = static_cast<std::int64_t>(status.frame->cursor);
  } else {
    key.unread = program == 1 ? "values are read of program A alone" : "the program runs; pause it first";
  }
  if (of_source || of_alert) key.version = snapshot != nullptr ? snapshot->version : 0;
  if (key == key_) return;
  key_ = std::move(key);
  shown_step_ = status.frame != nullptr ? status.frame->step : key_.step;
  if (program == 0) watch_pinned(c, step, frame, at_cursor, walk);
  inspection_ = {};
  frame_ = nullptr;
  check_.reset();
  if (of_source && snapshot != nullptr) {
    const auto& rows = snapshot->gradients;
    const auto row = std::find_if(rows.begin(), rows.end(),
                                  [&](const GradientRow& r) { return r.source == selection.name; });
    if (row != rows.end()) {
      const bool rests = c.run != nullptr && status.mode != RunMode::running;
      inspection_ = inspect_source(
          *row, source_values(*row, frame, rests ? &c.run->result(program) : nullptr, step.view.get()),
          snapshot->step_base);
      for (InspectedTensor& tensor : inspection_.tensors) picture_again(tensor);
    }
    return;
  }
  if (frame != nullptr && frame->frame.inner > 0 && !step.expanded &&
      selection.kind == Selection::Kind::none) {
    inspection_ = inspect_inside(*frame);
    for (InspectedTensor& tensor : inspection_.tensors) picture_again(tensor);
    inspection_.at_cursor = true;
    frame_ = status.frame;
    return;
  }
  const std::uint32_t op = key_.op;
  if (alert != nullptr && !(made_there && op != kNoOp) && (op == kNoOp || op != at_cursor)) {
    for (const GradientRow& row : snapshot->gradients) {
      if (row.source == alert->subject && row.status != GradientStatus::value) {
        inspection_ = inspect_source(row, {}, snapshot->step_base);  // no values: the alert names it
        return;
      }
    }
  }
  if (op == kNoOp) return;
  // The frame belongs to the op at the cursor, and to the backward ops that its step ran.
  bool here = frame != nullptr && op == at_cursor;
  if (frame != nullptr && !here && walk != kNoOp && step.view->ops[op].backward_step == walk) here = true;
  inspection_ = inspect_op(step, op, here ? frame : nullptr, c.roof,
                           key_.kept == nullptr ? KnownValues{} : known_of(step.view, op));
  if (inspection_.tensors.empty() && !here) explain_unread(*step.view, op);
  if (alert != nullptr) inspection_.message = alert->message, inspection_.fix = alert->fix;
  for (InspectedTensor& tensor : inspection_.tensors) picture_again(tensor);
  if (here) frame_ = status.frame;
  inspection_.at_cursor = here;
}

std::string InspectorPanel::badge(const PanelContext&) const {
  if (inspection_.at_cursor) return "at the cursor";
  return inspection_.number;
}

void InspectorPanel::draw_head(PanelContext& c) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float room = ImGui::GetContentRegionAvail().x;
  const float line = c.m().px(28);
  const float width = draw_elided(c, c.fonts.title, {at.x, centred(c.fonts.title, at.y, line)}, room,
                                  c.color(Color::text), inspection_.title);
  const float x = at.x + width + c.m().px(14), left = at.x + room - x;
  const bool beside = text_width(c.fonts.text, inspection_.subtitle) <= left;
  if (beside)
    draw_text(list, c.fonts.text, {x, centred(c.fonts.text, at.y + c.m().px(3), line)}, c.color(Color::dim),
              inspection_.subtitle);
  ImGui::Dummy({1, line});
  if (!beside) {
    const ImVec2 under = ImGui::GetCursorScreenPos();
    draw_elided(c, c.fonts.text, under, room, c.color(Color::dim), inspection_.subtitle);
    ImGui::Dummy({1, c.m().px(18)});
  }
  if (!inspection_.location.empty()) {
    const ImVec2 where = ImGui::GetCursorScreenPos();
    const float width_of = text_width(c.fonts.mono, inspection_.location);
    if (ImGui::InvisibleButton("location", {std::max(1.0f, std::min(width_of, room)), c.m().hit}))
      c.commands.post("panel source");
    const bool hovered = ImGui::IsItemHovered();
    c.map.item("inspector/location", inspection_.location);
    draw_elided(c, c.fonts.mono, {where.x, centred(c.fonts.mono, where.y, c.m().hit)}, room,
                c.color(Color::value_text), inspection_.location);
    if (hovered)
      list->AddLine({where.x, where.y + c.m().px(18)},
                    {where.x + std::min(width_of, room), where.y + c.m().px(18)}, c.color(Color::value_text),
                    c.m().line);
    tooltip_words(c, "inspector/location",
                  "The line of the program that ran this op; a click shows it in its file");
  }
  ImGui::Dummy({1, c.m().px(2)});
  const std::size_t count = inspection_.chips.size();
  if (count == 0) return;
  const ImVec2 chips = ImGui::GetCursorScreenPos();
  // In a narrow column they stand in two rows.
  const std::size_t columns =
      count > 2 && room < c.m().px(66) * static_cast<float>(count) ? (count + 1) / 2 : count;
  const float gap = c.m().gap,
              each =
                  (room - c.m().line - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns),
              height = c.m().px(42);
  for (std::size_t i = 0; i < count; ++i) {
    const ImVec2 min{std::round(chips.x + (each + gap) * static_cast<float>(i % columns)),
                     chips.y + (height + gap) * static_cast<float>(i / columns)};
    const ImVec2 max{std::round(min.x + each), min.y + height};
    list->AddRectFilled(min, max, c.color(Color::window), c.m().rounding);
    list->AddRect(min, max, c.color(Color::line), c.m().rounding, 0, c.m().line);
    const float inner = max.x - min.x - c.m().px(14);
    draw_elided(c, c.fonts.small, {min.x + c.m().px(8), min.y + c.m().px(4)}, inner, c.color(Color::dim),
                inspection_.chips[i].first);
    draw_elided(c, c.fonts.mono, {min.x + c.m().px(8), min.y + c.m().px(21)}, inner, c.color(Color::text),
                inspection_.chips[i].second);
  }
  const auto rows = static_cast<float>((count + columns - 1) / columns);
  ImGui::Dummy({1, height * rows + gap * (rows - 1) + c.m().px(6)});
}

// The op's gradient against central differences, when the program stands at it.
void InspectorPanel::draw_check(PanelContext& c) {
  if (frame_ == nullptr || frame_->foreign) return;
  ImGui::SameLine();
  if (text_button(
          c, "inspector/check", "Check by differences",
          "Moves elements of the op's inputs a little and compares what its output does with its gradient")) {
    check_ = check_op(frame_->frame);
  }
  if (!check_) return;
  if (!check_->why_not.empty()) {
    paragraph(c, "Not checked: " + check_->why_not, Color::dim);
    return;
  }
  // Differences in float32 are themselves that inexact.
  const double allowed = check_->exact ? 1e-3 : 5e-2;
  const bool agrees = check_->largest <= allowed;
  paragraph(c,
            fmt::format("{} {} elements {}, the largest difference is {:.2g}", agrees ? "✓" : "✗",
                        check_->compared, agrees ? "agree" : "were compared", check_->largest),
            agrees ? Color::good_text : Color::broken_text);
  key_value(c, fmt::format("input {}, element {}", check_->input, check_->element), "");
  key_value(c, "by the op", fmt::format("{:.6g}", check_->analytic));
  key_value(c, "by differences", fmt::format("{:.6g}", check_->numeric));
  ImGui::Dummy({1, c.m().px(6)});
}

void InspectorPanel::draw(PanelContext& c) {
  refresh(c);
  if (inspection_.kind == Inspection::Kind::nothing && !pinned_) {
    empty_state(c, "One op, tensor or gradient in detail.",
                c.a != nullptr && c.a->shown()
                    ? "Click an op in the graph, or pause: then it shows the cotangents at the cursor."
                    : "The first op fills the graph; a click there on an op shows it here.");
    return;
  }
  const float pad = c.m().px(16);
  ImGui::SetCursorPos({pad, c.m().px(12)});
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(c.m().gap, c.m().px(2)));
  // A group has no right margin.
  ImGui::BeginChild("body", {ImGui::GetContentRegionAvail().x - pad, 0}, false,
                    ImGuiWindowFlags_NoBackground);
  draw_head(c);
  if (text_button(c, "inspector/copy", "Copy", "Copies all that is shown here as text"))
    ImGui::SetClipboardText(text(c).c_str());
  draw_check(c);
  if (!inspection_.message.empty()) {
    paragraph(c, inspection_.message);
    if (!inspection_.fix.empty()) paragraph(c, inspection_.fix, Color::good_text);
    ImGui::Dummy({1, c.m().px(6)});
  }
  if (!inspection_.norms.empty()) {
    subheading(c, "norm", fmt::format("last {} steps", inspection_.norms.size()));
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    draw_sparkline(c, at, {at.x + room, at.y + c.m().px(36)}, inspection_.norms, c.color(Color::value));
    ImGui::Dummy({1, c.m().px(42)});
  }
  draw_unread(c);
  draw_tensors(c);
  draw_pinned(c);
  if (!inspection_.inputs.empty()) {
    subheading(c, inspection_.inputs_heading);
    for (const InspectedInput& input : inspection_.inputs) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float room = ImGui::GetContentRegionAvail().x, height = c.m().px(20);
      draw_elided(c, c.fonts.text, {at.x, centred(c.fonts.text, at.y, height)}, room * 0.36f,
                  c.color(Color::text), input.name);
      draw_elided(c, c.fonts.mono, {at.x + room * 0.38f, centred(c.fonts.mono, at.y, height)}, room * 0.24f,
                  c.color(Color::dim), input.shape);
      draw_elided(c, c.fonts.small, {at.x + room, centred(c.fonts.small, at.y, height)}, room * 0.36f,
                  c.color(Color::dim), input.note, Align::right);
      ImGui::Dummy({1, height});
    }
    ImGui::Dummy({1, c.m().px(6)});
  }
  draw_times(c);
  if (!inspection_.facts.empty()) {
    subheading(c, "facts");
    for (const auto& [key, value] : inspection_.facts) key_value(c, key, value);
    ImGui::Dummy({1, c.m().px(8)});
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::EndGroup();
}

std::string InspectorPanel::text(const PanelContext&) const {
  std::string text =
      fmt::format("{}\t{}\n{}\n", inspection_.title, inspection_.subtitle, inspection_.location);
  for (const auto& [key, value] : inspection_.chips) text += fmt::format("{}\t{}\n", key, value);
  if (!inspection_.message.empty()) text += inspection_.message + "\n" + inspection_.fix + "\n";
  for (const InspectedTensor& tensor : inspection_.tensors) {
    const ValueFigures of = figures_of(tensor.picture.stats);
    text += fmt::format("{}\t{}\t{}\tnorm {}\tmean {}\tmin {}\tmax {}\n", tensor.heading, tensor.name,
                        tensor.picture.absent ? "None" : tensor.picture.shape, of.norm, of.mean, of.min,
                        of.max);
    if (tensor.value) text += values_text(tensor.value) + "\n";
  }
  if (!inspection_.unread.empty()) text += fmt::format("values\tnot known: {}\n", inspection_.unread);
  for (const GradientPart& part : inspection_.parts) {
    text += fmt::format("added by\t{}\t{}\t{}\n", part.name, part.location, values_text(part.value));
  }
  for (const InspectedInput& input : inspection_.inputs)
    text += fmt::format("{}\t{}\t{}\n", input.name, input.shape, input.note);
  for (const auto& [key, value] : inspection_.facts) text += fmt::format("{}\t{}\n", key, value);
  return text;
}

}  // namespace tapescope::ui
