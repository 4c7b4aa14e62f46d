// The toolbar: run control, the cursor and its slider, the sample and its variant, the loss.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "viewer/debugger/recording.h"
#include "viewer/ui/icons.h"
#include "viewer/ui/widgets.h"
#include "viewer/window/chrome.h"

namespace tapescope::ui {
namespace {

// One icon, which is a command.
void icon_button(Workbench& w, PanelContext& c, const char* command, Icon icon, Color color, float x,
                 const Rect& at) {
  const Command& entry = *w.table.find(command);
  const std::string reason = w.unavailable(entry);
  const float side = c.m().px(26);
  const float y = std::round(at.y + (at.h - side) / 2);
  ImGui::SetCursorScreenPos({std::round(x - side / 2), y});
  const bool clicked = ImGui::InvisibleButton(command, {side, side});
  const std::string id = std::string("toolbar/") + command;
  c.map.item(id, entry.title, reason.empty());
  const bool hovered = ImGui::IsItemHovered() && reason.empty();
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (hovered) {
    list->AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), c.color(Color::hovered),
                        c.m().rounding);
  }
  draw_icon(list, icon, {std::round(x), std::round(at.y + at.h / 2)}, c.m().scale,
            c.color(reason.empty() ? color : Color::faint));
  tooltip_words(c, id, reason.empty() ? std::string(entry.help) : fmt::format("{}: {}", entry.title, reason),
                w.keys(command));
  if (clicked && reason.empty()) c.commands.post(command);
}

struct Choice {
  std::string text;     // what is shown
  std::string command;  // what choosing it does
  std::string note;     // dim, after it
};

// A box with a label and a value that opens a list.
void choice_box(Workbench&, PanelContext& c, const char* id, std::string_view label, const std::string& value,
                std::string_view tooltip, const std::vector<Choice>& choices, float x, float width,
                const Rect& at) {
  const Metrics& m = c.m();
  const float height = m.px(24), y = std::round(at.y + (at.h - height) / 2);
  ImGui::SetCursorScreenPos({x, y});
  const bool clicked = ImGui::InvisibleButton(id, {width, height});
  const std::string map_id = std::string("toolbar/") + id;
  c.map.item(map_id, value, !choices.empty());
  const bool hovered = ImGui::IsItemHovered();
  tooltip_words(c, map_id, tooltip);
  const std::string popup = std::string(id) + "-list";
  if (clicked && !choices.empty()) ImGui::OpenPopup(popup.c_str());
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 max{x + width, y + height};
  list->AddRectFilled({x, y}, max, c.color(hovered ? Color::hovered : Color::window), m.rounding);
  list->AddRect({x, y}, max, c.color(Color::line), m.rounding, 0, m.line);
  float text_x = x + m.px(10);
  if (!label.empty()) {
    draw_text(list, c.fonts.small, {text_x, centred(c.fonts.small, y, height)}, c.color(Color::dim), label);
    text_x = x + m.px(60);
  }
  draw_text(list, c.fonts.text, {text_x, centred(c.fonts.text, y, height)}, c.color(Color::text),
            elide(c.fonts.text, value, max.x - m.px(24) - text_x));
  const ImVec2 arrow{max.x - m.px(14), y + height / 2};
  list->AddTriangleFilled({arrow.x - m.px(4), arrow.y - m.px(3)}, {arrow.x + m.px(4), arrow.y - m.px(3)},
                          {arrow.x, arrow.y + m.px(3)}, c.color(Color::dim));
  ImGui::SetNextWindowPos({x, max.y + m.px(2)});
  ImGui::SetNextWindowSizeConstraints({width, 0}, {m.px(660), m.px(560)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(m.px(6), m.px(6)));
  if (ImGui::BeginPopup(popup.c_str())) {
    for (const Choice& choice : choices) {
      ImGui::PushID(choice.command.c_str());
      const ImVec2 from = ImGui::GetCursorScreenPos();
      const float note_at = m.px(190);
      const std::string note = elide(c.fonts.small, choice.note, m.px(400));
      const float wide = note.empty()
                             ? std::max(width - 2 * m.px(6), text_width(c.fonts.text, choice.text) + m.pad)
                             : note_at + text_width(c.fonts.small, note) + m.pad;
      if (ImGui::Selectable("##choice", choice.text == value, 0, {wide, m.px(22)}))
        c.commands.post(choice.command);
      c.map.item(map_id + "/" + choice.text, choice.text);
      ImDrawList* popup_list = ImGui::GetWindowDrawList();
      draw_text(popup_list, c.fonts.text, {from.x + m.px(6), centred(c.fonts.text, from.y, m.px(22))},
                c.color(Color::text), choice.text);
      draw_text(popup_list, c.fonts.small, {from.x + note_at, centred(c.fonts.small, from.y, m.px(22))},
                c.color(Color::dim), note);
      ImGui::PopID();
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

// The step as a line: how far the cursor is, a mark for each alert; dragging it moves the cursor.
void cursor_slider(Workbench& w, PanelContext& c, float x, float width, const Rect& at) {
  const Metrics& m = c.m();
  const StepPosition& cursor = w.state.cursor;
  const float y = std::round(at.y + at.h / 2);
  ImGui::SetCursorScreenPos({x - m.px(8), at.y + m.px(6)});
  ImGui::InvisibleButton("slider", {width + 2 * m.px(8), at.h - 2 * m.px(6)});
  const bool enabled = cursor.live && cursor.count > 0;
  c.map.item("toolbar/slider", cursor_text(w), enabled);
  const float share =
      cursor.count > 0 ? static_cast<float>(cursor.position) / static_cast<float>(cursor.count) : 0;
  if (enabled && ImGui::IsItemActive()) {
    const float t = std::clamp((ImGui::GetIO().MousePos.x - x) / std::max(width, 1.0f), 0.0f, 1.0f);
    const auto place = static_cast<std::uint64_t>(std::lround(t * static_cast<float>(cursor.count)));
    // One request at a time: the next follows when the program stands where the last one sent it.
    if (place != cursor.position && w.debuggee.at_rest()) c.commands.post(fmt::format("seek {}", place));
  }
  tooltip_words(c, "toolbar/slider",
                enabled ? "Drag to any op of this step, forward or back"
                        : "Pause the program to move about in the step",
                w.keys("step-forward"));
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float half = m.px(3);
  list->AddRectFilled({x, y - half}, {x + width, y + half}, c.color(Color::line), half);
  if (share > 0)
    list->AddRectFilled({x, y - half}, {x + width * share, y + half}, c.color(Color::cursor), half);
  if (cursor.forward > 0 && cursor.forward < cursor.count) {
    const float turn =
        std::round(x + width * static_cast<float>(cursor.forward) / static_cast<float>(cursor.count));
    list->AddRectFilled({turn, y - m.px(6)}, {turn + m.line, y + m.px(6)}, c.color(Color::faint));
  }
  if (cursor.count > 0)
    list->AddCircleFilled({x + width * share, y}, m.px(7), c.color(enabled ? Color::cursor : Color::dim), 24);
  if (!w.a || cursor.count == 0) return;
  const auto view = w.a->shown();
  for (const AlertRow& alert : w.a->alerts) {
    if (alert.node < 0 || !view || static_cast<std::uint64_t>(alert.node) >= cursor.count) continue;
    const float mark = x + width * static_cast<float>(alert.node + 1) / static_cast<float>(cursor.count);
    list->AddTriangleFilled({mark - m.px(4), y - m.px(14)}, {mark + m.px(4), y - m.px(14)},
                            {mark, y - m.px(9)}, c.color(Color::broken));
  }
}

std::vector<Choice> variant_choices(const Workbench& w) {
  std::vector<Choice> choices;
  if (w.choice.sample.empty()) return choices;
  for (const std::string& name : variants_of(w.choice.sample))
    choices.push_back({name, "variant " + name, {}});
  return choices;
}

// A program that waits for the first move has not.
bool has_begun(const Workbench& w) { return w.a && (w.a->current || !w.a->steps.empty()); }

}  // namespace

bool shows_sample(const Workbench& w) {
  return std::ranges::find(sample_registry(), w.choice.sample, &SampleInfo::name) != sample_registry().end();
}

std::string place_in_step(const Frame& frame, std::uint64_t op, std::uint64_t count) {
  if (op_name_text(frame.op).empty()) return fmt::format("before op {} of {}", op, count);
  return fmt::format("inside op {} of {}, {} there", op, count, frame.inner);
}

std::string cursor_text(const Workbench& w) {
  const StepPosition& cursor = w.state.cursor;
  if (cursor.live) {
    if (const StepAtCursor drawn = w.step_drawn(); drawn.expanded)
      return fmt::format("inside {}, its op {}", name_text(drawn.function), drawn.position);
    if (w.status.frame && w.status.frame->frame.inner > 0) {
      // The op under way is not among those of the tape yet.
      const std::uint64_t op = cursor.position + 1;
      return place_in_step(w.status.frame->frame, op, std::max(op, cursor.count));
    }
    if (!has_begun(w)) return "before its first op";
    if (cursor.count == 0) return "in a step without a tape";
    if (cursor.position == 0) return fmt::format("before op 1 of {}", cursor.count);
    return fmt::format("op {} of {}, {}", cursor.position, cursor.count,
                       cursor.backward() ? "backward" : "forward");
  }
  if (w.comparing()) return "A and B, interleaved";
  // As the slider counts: what a tape recorded, and what of it the backward pass walked. That is more than
  // ran backward where gradients are handed on unchanged.
  if (cursor.count > 0)
    return fmt::format("{} op{} recorded, {} walked back", cursor.forward, cursor.forward == 1 ? "" : "s",
                       cursor.count - std::min(cursor.forward, cursor.count));
  return w.status.mode == RunMode::idle ? "not run yet" : "no ops on a tape";
}

std::string step_text(const Workbench& w) {
  if (w.status.frame && !has_begun(w)) return "step –";
  const std::optional<std::uint64_t> looked = w.looked_at();
  const std::uint64_t step = looked && w.a           ? w.a->step_shown(*looked)
                             : w.status.frame && w.a ? w.a->step_shown(w.status.frame->step)
                                                     : w.status.step;
  if (w.status.steps > 0) return fmt::format("step {} / {}", step, w.status.steps);
  // How many a program elsewhere will take it does not say.
  return step > 0 || w.status.frame ? fmt::format("step {}", step) : "step –";
}

std::string loss_text(const Workbench& w) {
  if (!w.a) return {};
  for (const MetricSeries& series : w.a->metrics) {
    if (series.name != "loss" || series.points.empty()) continue;
    const double loss = series.points.back().value;
    return std::abs(loss) < 1000 && std::abs(loss) >= 0.001 ? fmt::format("loss {:.4f}", loss)
                                                            : "loss " + format_value(loss);
  }
  return {};
}

void draw_toolbar(Workbench& w, PanelContext& c, const Rect& at) {
  const Metrics& m = c.m();
  const Region region("toolbar", at, c.color(Color::raised),
                      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImDrawList* list = ImGui::GetWindowDrawList();
  struct Entry {
    const char* command;
    Icon icon;
    Color color;
    float x;
  };
  const Entry entries[] = {
      {"run", Icon::run, Color::good, 26},         {"pause", Icon::pause, Color::text, 55},
      {"stop", Icon::stop, Color::text, 88},       {"step-first", Icon::first, Color::text, 138},
      {"step-back", Icon::back, Color::text, 167}, {"step-forward", Icon::forward, Color::text, 196},
      {"step-last", Icon::last, Color::text, 225}};
  for (const Entry& e : entries) {
    if (at.x + m.px(e.x + 13) > at.right()) break;  // keys and menus still reach it
    icon_button(w, c, e.command, e.icon, e.color, at.x + m.px(e.x), at);
  }
  list->AddRectFilled({m.px(112), at.y + m.px(8)}, {m.px(112) + m.line, at.bottom() - m.px(8)},
                      c.color(Color::line));

  // From the right: what there is room for, the most useful first.
  float left = at.x + m.px(248), right = at.right() - m.px(14);
  const auto room = [&] { return right - left; };
  const std::string loss = loss_text(w);
  const std::vector<Choice> variants = variant_choices(w);
  const bool can_compare = variants.size() > 1;
  // A program that is no sample has no variants, and another one is chosen from the first screen.
  const bool own = !w.choice.sample.empty() && !shows_sample(w);
  const bool labels = at.w > m.px(1400);
  const float sample_width = m.px(labels ? 196 : 150), variant_width = m.px(labels ? 210 : 150);
  const std::string compare_label = at.w > m.px(1150) ? "Compare A|B" : "A|B";
  const float compare_width = text_width(c.fonts.text, compare_label) + m.px(18);
  // The cursor and the step come first: samples and variants are in the menu, too.
  const std::string where = cursor_text(w), step = step_text(w);
  const float where_width = std::max(m.px(138), text_width(c.fonts.text, where));
  const float step_width = text_width(c.fonts.text, step), step_room = std::max(step_width, m.px(104));
  const auto spare = [&] { return room() - where_width - step_room - m.px(140); };
  const float loss_room = text_width(c.fonts.mono, "loss 00.0000") + m.px(24);
  if (spare() > loss_room) {
    const std::string text = loss.empty() ? "loss –" : loss;
    draw_text(list, c.fonts.mono, {right, centred(c.fonts.mono, at.y, at.h)},
              c.color(loss.empty() ? Color::dim : Color::text), text, Align::right);
    c.map.rect("words/loss", text, {right - loss_room, at.y}, {right, at.bottom()});
    // A width that jumps neither with the digits nor with the first loss, which comes after the first pause.
    right -= loss_room;
  }
  if (spare() > compare_width + m.pad) {
    right -= compare_width;
    ImGui::SetCursorScreenPos({right, std::round(at.y + (at.h - m.px(24)) / 2)});
    const bool clicked = ImGui::InvisibleButton("compare", {compare_width, m.px(24)}) && can_compare;
    c.map.item("toolbar/compare", compare_label, can_compare);
    const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
    list->AddRectFilled(min, max,
                        c.color(ImGui::IsItemHovered() && can_compare ? Color::hovered : Color::window),
                        m.rounding);
    list->AddRect(min, max, c.color(w.comparing() ? Color::cursor : Color::line), m.rounding, 0,
                  w.comparing() ? m.strong_line : m.line);
    draw_text(list, c.fonts.text, {(min.x + max.x) / 2, centred(c.fonts.text, min.y, m.px(24))},
              c.color(can_compare ? Color::text : Color::dim), compare_label, Align::centre);
    tooltip_words(c, "toolbar/compare",
                  own             ? "Open or attach to a second program beside this one to compare them"
                  : !can_compare  ? "This sample has one variant: nothing to compare it with"
                  : w.comparing() ? "Back to one program"
                                  : "Run two variants side by side, step by step");
    if (clicked) c.commands.post(w.comparing() ? "compare off" : "compare");
    right -= m.pad;
  }
  const std::string variant_value =
      w.comparing() ? "A | B of " + std::to_string(variants.size()) : w.choice.options.variant;
  if (!own && spare() > variant_width + m.pad) {
    right -= variant_width;
    choice_box(w, c, "variant", labels ? "variant" : "", variant_value,
               w.comparing()
                   ? fmt::format("A is {}, B is {}", w.choice.options.variant, w.choice.compare_with)
                   : "Which form of the sample runs",
               variants, right, variant_width, at);
    right -= m.pad;
  }
  if (spare() > m.px(108)) {
    const float width = std::min(sample_width, spare() - m.px(18));
    std::vector<Choice> samples;
    for (const SampleInfo& info : sample_registry())
      samples.push_back({info.name, "sample " + info.name, info.promise});
    right -= width;
    choice_box(w, c, "sample",
               !labels ? ""
               : own   ? "program"
                       : "sample",
               w.choice.sample,
               own ? "The program that is shown; choosing a sample shows that instead" : "Which sample runs",
               samples, right, width, at);
    right -= m.px(18);
  }

  // What is left belongs to the cursor.
  const float y = centred(c.fonts.text, at.y, at.h);
  if (room() > where_width) {
    left += m.px(4);
    draw_text(list, c.fonts.text, {left, y}, c.color(Color::text), where);
    c.map.rect("words/where", where, {left, at.y}, {left + where_width, at.bottom()});
    left += where_width + m.px(14);
  }
  if (room() > step_room) {
    right -= step_room;
    draw_text(list, c.fonts.text, {right, y}, c.color(Color::text), step);
    c.map.rect("words/step", step, {right, at.y}, {right + step_width, at.bottom()});
    right -= m.px(22);
  }
  if (room() > m.px(60)) cursor_slider(w, c, left, std::min(room(), m.px(520)), at);
}

}  // namespace tapescope::ui
