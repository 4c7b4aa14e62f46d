// Draws the timeline's rows: ruler, programs, steps, ops.
#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "viewer/panels/step_at_cursor.h"
#include "viewer/panels/timeline.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

constexpr float kLeast = 3;  // pixels below which spans fold

// A round distance between marks, at least `least` apart.
double nice_distance(double least) {
  const double unit = std::pow(10.0, std::floor(std::log10(std::max(least, 1e-6))));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * unit >= least) return step * unit;
  }
  return 10 * unit;
}

// "2.31 s", of times that rows are apart.
std::string distance_text(double us) { return us < 1e6 ? format_us(us) : fmt::format("{:.2f} s", us * 1e-6); }

}  // namespace

void TimelinePanel::draw_ruler(PanelContext& c, ImVec2 min, float width) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const double span = end_ - begin_, distance = nice_distance(span * c.m().px(110) / width);
  const float y = centred(c.fonts.mono_small, min.y, c.m().px(20));
  const int decimals = std::clamp(static_cast<int>(std::ceil(3 - std::log10(distance))), 0, 6);
  for (double t = std::ceil(begin_ / distance) * distance; t <= end_; t += distance) {
    const float x = std::round(min.x + static_cast<float>((t - begin_) / span) * width) + 0.5f;
    list->AddLine({x, min.y + c.m().px(20)}, {x, min.y + ImGui::GetWindowSize().y},
                  c.color(Color::line, 0.6f), c.m().line);
    const std::string label = fmt::format("{:.{}f} ms", t / 1000, decimals);
    if (x + c.m().px(4) + text_width(c.fonts.mono_small, label) > min.x + width) continue;
    draw_text(list, c.fonts.mono_small, {x + c.m().px(4), y}, c.color(Color::dim), label);
  }
}

void TimelinePanel::draw_steps(PanelContext& c, std::size_t index, ImVec2 min, float width) const {
  const TimelineLane& lane = lanes_[index];
  ImDrawList* list = ImGui::GetWindowDrawList();
  const double scale = width / (end_ - begin_);
  const float row = c.m().px(20), mouse_x = ImGui::GetIO().MousePos.x, mouse_y = ImGui::GetIO().MousePos.y;
  const double begin = begin_ - lane.offset;
  for (const auto& view : lane.timeline.steps) {
    struct Phase {
      const char* name;
      double begin, end;
      Color fill;
    };
    const double back = view->forward_us, back_end = std::max(back, view->step_us - view->update_us);
    const Phase phases[] = {{"", 0, view->step_us, Color::raised},
                            {"forward", 0, back, Color::forward},
                            {"backward", back, back_end, Color::cursor},
                            {"update", back_end, view->step_us, Color::gradient}};
    for (std::size_t i = 0; i < std::size(phases); ++i) {
      const Phase& phase = phases[i];
      if (phase.end <= phase.begin || (i > 1 && view->backward_us <= 0)) continue;
      const float y = min.y + (i == 0 ? 0 : row),
                  x0 = min.x + static_cast<float>((view->begin_us + phase.begin - begin) * scale),
                  x1 = min.x + static_cast<float>((view->begin_us + phase.end - begin) * scale);
      if (x1 < min.x || x0 > min.x + width) continue;
      const ImVec2 a{std::max(x0, min.x) + 0.5f, y + 1},
          b{std::max(std::min(x1, min.x + width) - 0.5f, a.x + 1), y + row - 1};
      const ImU32 fill = c.color(phase.fill, i == 0 ? 1 : 0.55f);
      list->AddRectFilled(a, b, fill, c.m().px(2));
      const std::string label =
          i == 0 ? fmt::format("step {}  {}", c.step_shown(view->step), format_us(view->step_us))
                 : fmt::format("{}  {}", phase.name, format_us(phase.end - phase.begin));
      const float room = b.x - a.x - c.m().px(10);
      list->PushClipRect(a, b, true);
      if (room > c.m().px(24)) {
        draw_text(list, c.fonts.small, {a.x + c.m().px(6), centred(c.fonts.small, y, row)},
                  c.color(Color::text), elide(c.fonts.small, label, room));
        if (i == 0) c.map.rect(fmt::format("timeline/step/{}/{}", index, view->step), label, a, b);
      }
      list->PopClipRect();
      if (ImGui::IsItemHovered() && mouse_x >= a.x && mouse_x < b.x && mouse_y >= a.y && mouse_y < b.y) {
        ImGui::BeginTooltip();
        ImGui::TextUnformatted(fmt::format("step {}{}{}\n{:.2f} µs", c.step_shown(view->step), i ? ", " : "",
                                           phase.name, phase.end - phase.begin)
                                   .c_str());
        ImGui::EndTooltip();
      }
    }
  }
}

void TimelinePanel::draw_band(PanelContext& c, const TimelineLane& lane, const TimelineBand& band, ImVec2 min,
                              float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = c.m().px(20);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = ImGui::IsItemHovered() && mouse.y >= min.y && mouse.y < min.y + height;
  for (const TimelineBlock& block :
       fold_spans(band.spans, begin_ - lane.offset, end_ - lane.offset, width, kLeast * c.m().scale)) {
    const TimelineSpan& span = band.spans[block.first];
    const OpRow& row = lane.timeline.steps[span.step]->ops[span.op];
    const ImVec2 a{std::max(min.x, min.x + block.x0) + 0.5f, min.y + 1},
        b{std::max(std::min(min.x + width, min.x + block.x1) - 0.5f, a.x + 1), min.y + height - 1};
    const Color fill = row.direction == Direction::backward ? Color::cursor
                       : row.direction == Direction::update ? Color::gradient
                                                            : Color::forward;
    list->AddRectFilled(a, b, c.color(fill, block.folded() ? 0.25f : 0.4f), c.m().px(2));
    const std::string label = block.folded() ? fmt::format("{}", block.last - block.first + 1)
                                             : band_label(lane.timeline, band, span);
    const float room = b.x - a.x - c.m().px(10);
    if (room > c.m().px(block.folded() ? 12 : 24)) {
      list->PushClipRect(a, b, true);
      draw_text(list, c.fonts.small, {a.x + c.m().px(6), centred(c.fonts.small, min.y, height)},
                c.color(Color::text), elide(c.fonts.small, label, room));
      list->PopClipRect();
    }
    if (!over || mouse.x < a.x || mouse.x >= std::max(b.x, a.x + 2)) continue;
    const double us = band.spans[block.last].end - span.begin;
    ImGui::SetTooltip("%s", block.folded() ? fmt::format("{} of these; zoom in to see each", label).c_str()
                                           : fmt::format("{} {}\n{:.2f} µs", band.name, label, us).c_str());
  }
}

// Where the program stands in the step that is shown.
void TimelinePanel::draw_cursor(PanelContext& c, ImVec2 min, float width, float height) const {
  const StepAtCursor step = step_at_cursor(c.a, c.state.cursor, c.status);
  if (!step.paused || step.view == nullptr) return;
  double at = step.view->begin_us;
  for (std::uint32_t i = 0; i < std::min<std::size_t>(step.done, step.view->ops.size()); ++i) {
    const OpRow& row = step.view->ops[i];
    at = std::max(at, step.view->begin_us + row.start_us + row.duration_us);
  }
  const float x = min.x + static_cast<float>((lanes_[focus_].offset + at - begin_) / (end_ - begin_)) * width;
  if (x < min.x || x > min.x + width) return;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float dash = c.m().px(5);
  for (float y = min.y; y < min.y + height; y += 2 * dash)
    list->AddLine({x, y}, {x, std::min(y + dash, min.y + height)}, c.color(Color::cursor), c.m().strong_line);
  c.map.rect("timeline/cursor", "cursor", {x - c.m().px(2), min.y}, {x + c.m().px(2), min.y + height});
}

void TimelinePanel::draw_track(PanelContext& c, std::size_t index, const TimelineTrack& track, ImVec2 min,
                               float width) {
  const TimelineLane& lane = lanes_[index];
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = c.m().px(26);
  const Selection& selection = c.state.selection();
  const ProgramRow* const program = c.programs.empty() ? nullptr : &c.programs[index];
  const std::shared_ptr<const StepView> shown =
      program != nullptr ? program->snapshot->shown() : c.a->shown();
  const bool selectable =
      selection.kind == Selection::Kind::op &&
      (program == nullptr || (selection.program == 0 ? program->in_focus : program->beside));
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = ImGui::IsItemHovered() && mouse.y >= min.y && mouse.y < min.y + height;
  // What has not run yet where the program stands.
  const StepAtCursor stand =
      program == nullptr ? step_at_cursor(c.a, c.state.cursor, c.status) : StepAtCursor{};
  for (const TimelineBlock& block :
       fold_spans(track.spans, begin_ - lane.offset, end_ - lane.offset, width, kLeast * c.m().scale)) {
    const TimelineSpan& span = track.spans[block.first];
    const StepView& view = *lane.timeline.steps[span.step];
    const OpRow& row = view.ops[span.op];
    const ImVec2 a{std::max(min.x, min.x + block.x0), min.y + 1},
        b{std::min(min.x + width, std::max(min.x + block.x1, a.x + 1)), min.y + height - 1};
    const Color name = row.direction == Direction::backward ? Color::cursor
                       : row.direction == Direction::update ? Color::gradient
                       : row.direction == Direction::other  ? Color::faint
                                                            : Color::forward;
    const bool pending = stand.paused && &view == stand.view.get() && !stand.has_run(span.op);
    const float strength = pending ? 0.35f : 1;
    const bool selected = !block.folded() && selectable && &view == shown.get() && selection.index == span.op;
    if (block.folded()) {
      // Folded: a lower block, so that it is not taken for one op.
      list->AddRectFilled({a.x, a.y + height * 0.3f}, {b.x, b.y - height * 0.1f},
                          c.color(name, 0.5f * strength));
      const std::string count = fmt::format("{}", block.last - block.first + 1);
      if (text_width(c.fonts.mono_small, count) + c.m().px(4) < b.x - a.x) {
        draw_text(list, c.fonts.mono_small,
                  {(a.x + b.x) / 2, centred(c.fonts.mono_small, a.y + height * 0.2f, height * 0.7f)},
                  c.color(Color::text), count, Align::centre);
      }
    } else {
      list->AddRectFilled(a, {std::max(b.x - 0.5f, a.x + 1), b.y}, c.color(name, 0.85f * strength),
                          c.m().px(2));
      if (selected) list->AddRect(a, b, c.color(Color::text), c.m().px(2), 0, c.m().strong_line);
      const float room = b.x - a.x - c.m().px(8);
      const ImU32 fill = c.color(name);
      if (room > c.m().px(20)) {
        list->PushClipRect(a, b, true);
        draw_text(list, c.fonts.small, {a.x + c.m().px(4), centred(c.fonts.small, min.y, height)},
                  pending ? c.color(Color::dim) : c.theme.text_on(fill), elide(c.fonts.small, row.op, room));
        list->PopClipRect();
      }
    }
    if (!over || mouse.x < a.x || mouse.x >= std::max(b.x, a.x + 2)) continue;
    ImGui::BeginTooltip();
    ImGui::PushFont(c.fonts.mono);
    if (block.folded()) {
      double total = 0;
      for (std::uint32_t i = block.first; i <= block.last; ++i)
        total += track.spans[i].end - track.spans[i].begin;
      ImGui::TextUnformatted(
          fmt::format("{} ops, {:.2f} µs together\nzoom in to see each", block.last - block.first + 1, total)
              .c_str());
    } else {
      ImGui::TextUnformatted(fmt::format("{}  {}\n{:.3f} µs from {:.3f} µs of step {}\n{} → {}\n{}", row.op,
                                         row.name, row.duration_us, row.start_us, c.step_shown(view.step),
                                         row.types, row.output_type, row.location)
                                 .c_str());
    }
    ImGui::PopFont();
    ImGui::EndTooltip();
    if (ImGui::IsMouseReleased(0) && !dragged_ && !block.folded() && shown != nullptr &&
        span.op < shown->ops.size()) {
      if (program != nullptr && !program->in_focus) {
        c.commands.post(fmt::format("program {}", index + 1));
        follow_ = false;
      }
      c.commands.post(fmt::format("select op {}", span.op));
    }
  }
}

// Which program the rows below are of, on which clock, and where its steps are when none is in sight.
void TimelinePanel::draw_heading(PanelContext& c, std::size_t index, ImVec2 min, float width) {
  const TimelineLane& lane = lanes_[index];
  const ProgramRow& program = c.programs[index];
  const float left = min.x - c.m().px(70), height = c.m().px(20), y = min.y + c.m().px(3);
  const ImVec2 from{left, y}, to{min.x + width, y + height};
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = ImGui::IsItemHovered() && mouse.y >= from.y && mouse.y < to.y;
  if (over && ImGui::IsMouseDoubleClicked(0))
    follow_ = false;  // two clicks that follow each other fast, each with its own meaning
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(from, to, c.color(over ? Color::hovered : Color::raised), c.m().rounding);
  if (program.in_focus || program.beside) {
    list->AddRectFilled(from, {from.x + c.m().px(3), to.y},
                        c.color(program.in_focus ? Color::cursor : Color::value));
  }
  c.map.rect(fmt::format("timeline/program/{}", index + 1), program.title, from, to);
  c.map.has_tooltip(fmt::format("timeline/program/{}", index + 1));
  const auto text = [&](const ImFont* font, float x, Color color, std::string_view words) {
    return draw_text(list, font, {x, centred(font, y, height)}, c.color(color), words);
  };
  float x = left + c.m().pad;
  if (program.in_focus || program.beside) {
    x += text(c.fonts.bold, x, program.in_focus ? Color::cursor_text : Color::value_text,
              program.in_focus ? "A" : "B") +
         c.m().px(8);
  }
  x += text(c.fonts.bold, x, Color::text, program.title) + c.m().px(10);
  if (!program.process.empty()) x += text(c.fonts.small, x, Color::dim, program.process) + c.m().px(10);
  if (program.on_clock.exchanges > 0) {
    x += text(c.fonts.small, x, Color::dim,
              fmt::format("another clock, aligned within ± {} by {} exchanges",
                          format_us(program.on_clock.error_us), program.on_clock.exchanges)) +
         c.m().px(10);
  }
  if (!program.on_clock.offset_us && program.snapshot->first_ticks != 0) {
    x += text(c.fonts.small, x, Color::caution_text,
              "on another clock: times count from its own first event") +
         c.m().px(10);
  }
  if (lane.timeline.steps.empty()) {
    text(c.fonts.small, x, Color::dim, "no step yet");
    return;
  }
  const Series<StepSummary>& steps = program.snapshot->steps;
  const double begin =
      lane.offset + (steps.empty() ? lane.timeline.begin : std::min(steps[0].begin_us, lane.timeline.begin));
  const double end = lane.offset + lane.timeline.end;
  const bool earlier = end<begin_, later = begin> end_;
  if (earlier || later) {
    text(c.fonts.small, x, Color::text,
         earlier ? fmt::format("its steps are {} earlier: click to go there", distance_text(begin_ - end))
                 : fmt::format("its steps are {} later: click to go there", distance_text(begin - end_)));
  }
  if (!over || !ImGui::IsMouseReleased(0) || dragged_) return;
  follow_ = false;
  if (earlier || later) show_last_steps(lane);
  else if (!program.in_focus) c.commands.post(fmt::format("program {}", index + 1));
}

// Steps before and after those whose ops are held: bars alone, as many as can be seen.
void TimelinePanel::draw_other_steps(PanelContext& c, std::size_t index, ImVec2 min, float width) const {
  const TimelineLane& lane = lanes_[index];
  const Series<StepSummary>& steps = snapshot_of(c, index).steps;
  const double begin = begin_ - lane.offset, end = end_ - lane.offset, scale = width / (end_ - begin_);
  const auto& held = lane.timeline.steps;
  // The first step that ends after `t`.
  const auto first_after = [&](double t) {
    std::size_t low = 0, high = steps.size();
    while (low < high) {
      const std::size_t middle = (low + high) / 2;
      if (steps[middle].begin_us + steps[middle].step_us < t) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float row = c.m().px(20), least = kLeast * c.m().scale;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const auto bar = [&](float x0, float x1, Color color, float alpha, const std::string& label, float top) {
    const ImVec2 from{std::max(x0, min.x) + 0.5f, min.y + top + 1},
        to{std::max(std::min(x1, min.x + width) - 0.5f, from.x + 1), min.y + top + row - 1};
    list->AddRectFilled(from, to, c.color(color, alpha), c.m().px(2));
    const float room = to.x - from.x - c.m().px(10);
    if (!label.empty() && room > c.m().px(24)) {
      draw_text(list, c.fonts.small, {from.x + c.m().px(6), centred(c.fonts.small, from.y - 1, row)},
                c.color(Color::text), elide(c.fonts.small, label, room));
    }
    return ImGui::IsItemHovered() && mouse.x >= from.x && mouse.x < to.x && mouse.y >= from.y &&
           mouse.y < to.y;
  };
  std::size_t i = first_after(begin);
  while (i < steps.size() && steps[i].begin_us < end) {
    const StepSummary& step = steps[i];
    if (!held.empty() && step.step >= held.front()->step && step.step <= held.back()->step) {
      ++i;
      continue;
    }
    const double stop = !held.empty() && step.step < held.front()->step
                            ? std::min(end, held.front()->begin_us)
                            : end;
    const float x0 = min.x + static_cast<float>((step.begin_us - begin) * scale),
                x1 = x0 + static_cast<float>(step.step_us * scale);
    std::string words;
    if (x1 - x0 >= least) {
      if (bar(x0, x1, Color::raised, 1,
              fmt::format("step {}  {}", c.step_shown(step.step), format_us(step.step_us)), 0)) {
        words = fmt::format("step {}\n{:.2f} µs, {:.2f} forward, {:.2f} backward", c.step_shown(step.step),
                            step.step_us, step.forward_us, step.backward_us);
      }
      float x = x0;
      for (const auto& [us, color] : {std::pair{step.forward_us, Color::forward},
                                      {step.backward_us, Color::cursor},
                                      {step.update_us, Color::gradient}}) {
        const float next = std::min(x1, x + static_cast<float>(us * scale));
        if (next > x) bar(x, next, color, 0.4f, {}, row);
        x = next;
      }
      ++i;
    } else {
      // All that end within the next few pixels are one block.
      const std::size_t next =
          std::max(i + 1, std::min(first_after(step.begin_us + least / scale), first_after(stop)));
      const double last = steps[next - 1].begin_us + steps[next - 1].step_us;
      if (bar(x0, min.x + static_cast<float>((last - begin) * scale), Color::faint, 0.6f, {}, 0))
        words = fmt::format("{} steps; zoom in to see each", next - i);
      i = next;
    }
    if (!words.empty()) ImGui::SetTooltip("%s", words.c_str());
  }
}

}  // namespace tapescope::ui
