// Words, rows and the card of the gradients panel.
#include "viewer/panels/gradients.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "engine/events/stats.h"
#include "viewer/panels/step_at_cursor.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

constexpr std::size_t kMostPath = 8;  // ops of a path that are named; of more the middle is counted

std::string spaced(std::string text) {
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

std::uint32_t edge_op(const GradientRow& row, const StepView* view) {
  return view != nullptr && row.edge.output != 0 ? view->op_of_tensor(row.edge.output) : kNoOp;
}

bool is_none(const GradientRow& row) {
  return row.status == GradientStatus::none || row.status == GradientStatus::unconnected_zero;
}

}  // namespace

GradientText describe_gradient(const GradientRow& row, const FrameView* frame, const StepView* view) {
  GradientText text;
  if (row.status == GradientStatus::none) {
    const std::uint32_t op = edge_op(row, view);
    return {GradientLook::none, "∅ None",
            op != kNoOp ? "cut at " + text_of_op(*view, op) : spaced(row.reason)};
  }
  if (frame != nullptr && frame->cursor < frame->cursor_count) {
    const Arrived* const arrived = arrived_at(frame->arrived, frame->frame, row, view);
    if (!arrived || arrived->parts.empty()) return {GradientLook::pending, "pending", {}};
    return {GradientLook::value, format_value(arrived->sum.norm), {}};
  }
  switch (row.status) {
    case GradientStatus::zero: return {GradientLook::zero, "0 zero", spaced(row.reason)};
    case GradientStatus::unconnected_zero: return {GradientLook::zero, "0 unconnected", spaced(row.reason)};
    case GradientStatus::nonfinite: return {GradientLook::nonfinite, "✗ not finite", {}};
    default: return {GradientLook::value, row.has_stats ? format_value(row.norm) : "value", {}};
  }
}

GradientText describe_health(const HealthPoint& point) {
  if (point.nans + point.infinities > 0) {
    return {GradientLook::nonfinite, "✗ not finite",
            fmt::format("{} elements", point.nans + point.infinities)};
  }
  if (point.zero_share >= 1) return {GradientLook::zero, "0 zero", {}};
  return {GradientLook::value, format_value(point.norm), {}};
}

std::vector<HealthCell> health_of(const std::vector<GradientRow>& rows, double dead_share) {
  using State = HealthCell::State;
  std::map<std::uint64_t, HealthCell> cells;
  for (const GradientRow& row : rows) {
    for (const HealthPoint& point : row.health) {
      HealthCell& cell = cells[point.step];
      cell.step = point.step;
      const State state = point.nans + point.infinities > 0 ? State::nonfinite
                          : point.zero_share >= 1           ? State::zero
                          : point.zero_share >= dead_share  ? State::zeros
                                                            : State::good;
      if (state > cell.state) {
        cell.state = state;
        cell.source = state == State::good ? std::string() : row.source;
      }
      if (std::isfinite(point.norm)) cell.largest = std::max(cell.largest, static_cast<double>(point.norm));
    }
  }
  std::vector<HealthCell> list;
  for (auto& [step, cell] : cells) list.push_back(std::move(cell));
  if (list.size() > kRecentSteps) list.erase(list.begin(), list.end() - kRecentSteps);
  return list;
}

const HealthPoint* health_at(const GradientRow& row, std::uint64_t step) {
  for (const HealthPoint& point : row.health) {
    if (point.step == step) return &point;
  }
  return nullptr;
}

WhyCard why_card(const GradientRow& row, const StepView* view) {
  WhyCard card;
  card.question = row.status == GradientStatus::none ? fmt::format("Why is {} None?", row.source)
                                                     : fmt::format("Why is {} zero?", row.source);
  std::vector<std::string> names{row.target.empty() ? std::string("target") : row.target};
  for (const PathItem& item : row.path) {
    if (!item.op.empty() && !(names.size() == 1 && item.name == row.target)) names.push_back(item.op);
  }
  // The op where the way ends stands below it, with the mark of the cut.
  if (names.size() > 1 && names.back() == row.edge.op) names.pop_back();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names.size() > kMostPath && i == kMostPath / 2) {
      card.path += fmt::format(" ← {} more", names.size() - kMostPath);
      i = names.size() - kMostPath / 2;
    }
    card.path += (i == 0 ? "" : " ← ") + names[i];
  }
  if (!row.edge.op.empty() || !row.edge.name.empty()) {
    const std::uint32_t op = edge_op(row, view);
    card.cut = "✂ " + (row.edge.op.empty() ? row.edge.name : row.edge.op);
    // Off the tape it has no number, and is called by its name alone.
    const std::string number = op != kNoOp ? text_of_op(*view, op) : std::string();
    if (!number.empty() && number != row.edge.op) card.cut += ", " + number;
  }
  const VariableRow* variable = view != nullptr ? view->variable(row.source_id) : nullptr;
  card.source = row.source;
  if (variable != nullptr) card.source += variable->trainable ? " (trainable)" : " (not trainable)";
  card.message = row.message;
  card.fix = row.fix;
  card.location = row.location;
  return card;
}

std::string GradientsPanel::badge(const PanelContext& c) const {
  if (c.a == nullptr || c.a->gradients.empty()) return {};
  return fmt::format("{} source{}", c.a->gradients.size(), c.a->gradients.size() == 1 ? "" : "s");
}

// The row whose question the card answers: the selected one; with nothing selected the first None.
std::size_t GradientsPanel::explained_row(const PanelContext& c) const {
  const auto& rows = c.a->gradients;
  const Selection& selection = c.state.selection();
  std::string name = selection.kind == Selection::Kind::source ? selection.name : std::string();
  if (selection.kind == Selection::Kind::alert && selection.index < c.a->alerts.size())
    name = c.a->alerts[selection.index].subject;
  if (selection.kind == Selection::Kind::op) {
    const auto view = c.a->shown();
    if (view != nullptr && selection.index < view->ops.size()) name = view->ops[selection.index].tensor_name;
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const bool asks =
        is_none(rows[i]) || (rows[i].status == GradientStatus::zero && !rows[i].message.empty());
    if (asks && rows[i].source == name) return i;
  }
  if (selection.kind == Selection::Kind::source) return rows.size();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_none(rows[i])) return i;
  }
  return rows.size();
}

// A cell a step: colour and mark say the worst gradient of it. Pressing or dragging looks at that step.
void GradientsPanel::draw_health(PanelContext& c) const {
  using State = HealthCell::State;
  const std::vector<HealthCell> cells = health_of(c.a->gradients, c.thresholds.dead_share);
  if (cells.size() < 2) return;
  const float pad = c.m().px(14), height = c.m().px(14);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 min{at.x + pad, at.y + c.m().px(8)};
  const float width = ImGui::GetContentRegionAvail().x - 2 * pad;
  if (width < c.m().px(60)) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton("health", {width, height});
  c.map.item("gradients/health", "health");
  const float each = width / static_cast<float>(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const HealthCell& cell = cells[i];
    const Color color = cell.state == State::good        ? Color::good
                        : cell.state == State::nonfinite ? Color::broken
                                                         : Color::caution;
    const float x = min.x + each * static_cast<float>(i), right = std::max(x + 1, x + each - c.m().line);
    // Larger rows mark what is wrong.
    const float top = cell.state == State::good        ? min.y + height * 0.45f
                      : cell.state == State::nonfinite ? min.y
                                                       : min.y + height * 0.2f;
    list->AddRectFilled({x, top}, {right, min.y + height},
                        c.color(color, cell.state == State::good ? 0.55f : 1));
    if (c.state.health_step && *c.state.health_step == cell.step) {
      list->AddRect({x - c.m().line, min.y - c.m().px(2)}, {right + c.m().line, min.y + height + c.m().px(2)},
                    c.color(Color::text), 0, 0, c.m().line);
    }
  }
  const auto under = static_cast<std::size_t>(
      std::clamp((ImGui::GetIO().MousePos.x - min.x) / each, 0.0f, static_cast<float>(cells.size() - 1)));
  if (ImGui::IsItemActive()) {
    const std::optional<std::uint64_t> chosen =
        under + 1 == cells.size() ? std::nullopt : std::optional(cells[under].step);
    if (chosen != c.state.health_step)
      c.commands.post(chosen ? fmt::format("gradients-at {}", *chosen) : "gradients-at last");
  }
  const HealthCell& cell = cells[under];
  const char* const words = cell.state == State::nonfinite ? "not finite"
                            : cell.state == State::zero    ? "all zero"
                                                           : "mostly zeros";
  tooltip_numbers(
      c, "gradients/health",
      !ImGui::IsItemHovered()
          ? std::string()
          : fmt::format("step {}\nlargest norm  {:.6g}{}\ndrag to look at another step",
                        c.step_shown(cell.step), cell.largest,
                        cell.source.empty() ? std::string() : fmt::format("\n{}  {}", cell.source, words)));
  ImGui::SetCursorScreenPos({at.x, min.y + height + c.m().px(2)});
}

void GradientsPanel::draw_row(PanelContext& c, std::size_t index, const FrameView* frame,
                              const StepView* view) {
  const GradientRow& g = c.a->gradients[index];
  const Selection& selection = c.state.selection();
  const bool selected = selection.kind == Selection::Kind::source && selection.name == g.source;
  std::string id = "gradients/row/" + g.source;
  if (c.map.find(id) != nullptr) id += fmt::format("#{}", index);  // asked twice in a step
  const Row row = selectable_row(c, id, g.source, c.m().list_row_height - c.m().px(2), selected);
  ImGui::Dummy({1, c.m().px(2)});
  if (row.clicked) c.commands.post("select source " + g.source);
  if (!row.visible) return;
  const HealthPoint* const then = c.state.health_step ? health_at(g, *c.state.health_step) : nullptr;
  const bool earlier = c.state.health_step && !g.health.empty();
  const GradientText text = then != nullptr ? describe_health(*then)
                            : earlier       ? GradientText{GradientLook::pending, "–", {}}
                                            : describe_gradient(g, frame, view);
  const float width = row.max.x - row.min.x, height = row.max.y - row.min.y;
  const float figure_at = row.min.x + width * 0.63f, right = row.max.x - c.m().pad,
              left = row.min.x + c.m().px(14);
  const Color ink = text.look == GradientLook::none || text.look == GradientLook::nonfinite
                        ? Color::broken_text
                    : text.look == GradientLook::pending ? Color::dim
                    : text.look == GradientLook::zero    ? Color::caution_text
                                                         : Color::text;
  const float figure = text_width(c.fonts.mono, text.figure);
  draw_text(ImGui::GetWindowDrawList(), c.fonts.mono, {figure_at, centred(c.fonts.mono, row.min.y, height)},
            c.color(ink), text.figure, Align::right);
  draw_text(ImGui::GetWindowDrawList(), c.fonts.text, {left, centred(c.fonts.text, row.min.y, height)},
            c.color(text.look == GradientLook::none      ? Color::broken_text
                    : text.look == GradientLook::pending ? Color::dim
                                                         : Color::text),
            elide_name(c.fonts.text, g.source, figure_at - figure - c.m().px(8) - left));
  const float from = figure_at + c.m().px(14);
  if (!text.note.empty() || text.look == GradientLook::none) {
    draw_elided(c, c.fonts.small, {right, centred(c.fonts.small, row.min.y, height)}, right - from,
                c.color(ink), text.note, Align::right);
  } else if (!g.norms.empty()) {
    draw_sparkline(c, {from, row.min.y + height * 0.22f}, {right, row.max.y - height * 0.22f}, g.norms,
                   c.color(Color::value, text.look == GradientLook::pending ? 0.45f : 1));
  }
  c.map.has_tooltip(id);
  if (!row.hovered) return;
  std::string numbers = fmt::format("{}\nstatus  {}", g.source, name_of(g.status));
  if (g.has_stats) {
    numbers += fmt::format(
        "\nnorm    {:.6g}\nmean    {:.6g}\nmin     {:.6g}\nmax     {:.6g}\nzeros   {}\nnot finite {}", g.norm,
        g.none_finite() ? NAN : g.mean, g.none_finite() ? NAN : g.min, g.none_finite() ? NAN : g.max,
        format_percent(g.zero_share), g.nonfinite);
  }
  if (!g.reason.empty()) numbers += "\nreason  " + g.reason;
  numbers += fmt::format("\nstep    {}", c.step_shown(g.step));
  if (then != nullptr) {
    numbers +=
        fmt::format("\n\nat step {}\nnorm    {:.6g}\nzeros   {}\nnot finite {}", c.step_shown(then->step),
                    then->norm, format_percent(then->zero_share), then->nans + then->infinities);
  }
  ImGui::BeginTooltip();
  ImGui::PushFont(c.fonts.mono);
  ImGui::TextUnformatted(numbers.c_str());
  ImGui::PopFont();
  ImGui::EndTooltip();
}

void GradientsPanel::draw_card(PanelContext& c, const GradientRow& row, const StepView* view) const {
  const WhyCard card = why_card(row, view);
  ImGui::Dummy({1, c.m().px(8)});
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float margin = c.m().px(12), pad = c.m().px(12), room = ImGui::GetContentRegionAvail().x - 2 * margin;
  if (room < c.m().px(60)) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  // The card's height follows from its words: they are drawn first, on the channel above.
  list->ChannelsSplit(2);
  list->ChannelsSetCurrent(1);
  ImGui::SetCursorScreenPos({at.x + margin + pad, at.y + pad * 0.8f});
  ImGui::BeginGroup();
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, c.m().px(4)));
  const auto line = [&](ImFont* font, Color color, const std::string& text) {
    if (text.empty()) return;
    ImGui::PushFont(font);
    ImGui::PushStyleColor(ImGuiCol_Text, c.color(color));
    flowing_text(text, room - 2 * pad);
    ImGui::PopStyleColor();
    ImGui::PopFont();
  };
  line(c.fonts.bold, Color::text, card.question);
  line(c.fonts.mono, Color::good_text, card.path);
  line(c.fonts.mono, Color::broken_text, card.cut);
  line(c.fonts.mono, Color::dim, card.source);
  line(c.fonts.small, Color::text, card.message);
  line(c.fonts.small, Color::good_text, card.fix);
  line(c.fonts.mono, Color::value_text, card.location);
  ImGui::PopStyleVar();
  ImGui::EndGroup();
  const float bottom = ImGui::GetItemRectMax().y + pad * 0.8f;
  list->ChannelsSetCurrent(0);
  list->AddRectFilled({at.x + margin, at.y}, {at.x + margin + room, bottom}, c.color(Color::window),
                      c.m().node_rounding);
  list->AddRect({at.x + margin, at.y}, {at.x + margin + room, bottom}, c.color(Color::line),
                c.m().node_rounding, 0, c.m().line);
  list->ChannelsMerge();
  c.map.rect("gradients/why", card.question, {at.x + margin, at.y}, {at.x + margin + room, bottom});
  ImGui::SetCursorScreenPos({at.x, bottom});
  ImGui::Dummy({1, c.m().px(10)});
}

void GradientsPanel::draw(PanelContext& c) {
  if (c.a == nullptr || c.a->gradients.empty()) {
    empty_state(c, "Each source's gradient: value, zero or None, and its norm over steps.",
                c.a != nullptr && !c.a->steps.empty() ? "The program has asked for no gradient."
                                                      : "The first backward pass fills it.");
    return;
  }
  const StepAtCursor step = step_at_cursor(c.a, c.state.cursor, c.status);
  const FrameView* frame = c.status.mode == RunMode::paused ? c.status.frame.get() : nullptr;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(0, 0));
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x, head = c.m().px(30);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float y = centred(c.fonts.small, at.y, head);
  draw_text(list, c.fonts.small, {at.x + c.m().px(14), y}, c.color(Color::dim), "source");
  const std::string norm =
      c.state.health_step ? fmt::format("norm at step {}", c.step_shown(*c.state.health_step)) : "norm";
  draw_text(list, c.fonts.small, {at.x + width * 0.63f, y},
            c.color(c.state.health_step ? Color::cursor_text : Color::dim), norm, Align::right);
  if (c.state.health_step) {
    const float words = text_width(c.fonts.small, norm), side = c.m().hit;
    ImGui::SetCursorScreenPos({at.x + width * 0.63f - words - side, at.y + (head - side) / 2});
    if (ImGui::InvisibleButton("last", {side + words, side})) c.commands.post("gradients-at last");
    c.map.item("gradients/last", norm);
    tooltip_words(c, "gradients/last", "Back to the last step");
    const ImVec2 o{at.x + width * 0.63f - words - side / 2, at.y + head / 2};
    const float r = c.m().px(3.5f);
    list->AddLine({o.x - r, o.y - r}, {o.x + r, o.y + r}, c.color(Color::cursor_text), c.m().strong_line);
    list->AddLine({o.x - r, o.y + r}, {o.x + r, o.y - r}, c.color(Color::cursor_text), c.m().strong_line);
    ImGui::SetCursorScreenPos(at);
  }
  draw_text(list, c.fonts.small, {at.x + width - c.m().pad, y}, c.color(Color::dim), "64 steps",
            Align::right);
  ImGui::Dummy({1, head});
  draw_health(c);
  ImGuiListClipper clipper;
  clipper.Begin(static_cast<int>(c.a->gradients.size()), c.m().list_row_height);
  while (clipper.Step()) {
    for (int i = clipper.DisplayStart; i < clipper.DisplayEnd; ++i)
      draw_row(c, static_cast<std::size_t>(i), frame, step.view.get());
  }
  const std::size_t explained = explained_row(c);
  if (explained < c.a->gradients.size()) draw_card(c, c.a->gradients[explained], step.view.get());
  ImGui::PopStyleVar();
}

std::string GradientsPanel::text(const PanelContext& c) const {
  std::string text;
  if (c.a == nullptr) return text;
  for (const GradientRow& row : c.a->gradients) {
    text += fmt::format("{}\t{}\t{}\t{}\t{}\t{}\n", row.source, name_of(row.status),
                        row.has_stats ? format_value(row.norm) : "", row.reason, row.message, row.location);
  }
  return text;
}

}  // namespace tapescope::ui
