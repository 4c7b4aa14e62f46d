// Prepares and draws the timeline.
#include "viewer/panels/timeline.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>

#include "viewer/app/widgets.h"

namespace tapescope::ui {
namespace {

constexpr float kLeast = 3;           // pixels below which spans fold
constexpr float kZoom = 1.25f;        // per notch of the wheel
constexpr double kShortest = 0.05;    // µs across the window at the deepest zoom
constexpr std::size_t kStepsAtFirst = 2;

// A round distance between marks, at least `least` apart.
double nice_distance(double least) {
  const double unit = std::pow(10.0, std::floor(std::log10(std::max(least, 1e-6))));
  for (const double step : {1.0, 2.0, 5.0}) {
    if (step * unit >= least) return step * unit;
  }
  return 10 * unit;
}

}  // namespace

std::vector<TimelineBlock> fold_spans(const std::vector<TimelineSpan>& spans, double begin, double end, float width, float least) {
  std::vector<TimelineBlock> blocks;
  if (!(end > begin) || !(width > 0)) return blocks;
  const double scale = width / (end - begin);
  const auto ends_before = [](const TimelineSpan& span, double t) { return span.end < t; };
  auto at = std::lower_bound(spans.begin(), spans.end(), begin, ends_before);
  while (at != spans.end() && at->begin <= end) {
    TimelineBlock block;
    block.first = block.last = static_cast<std::uint32_t>(at - spans.begin());
    block.x0 = static_cast<float>((at->begin - begin) * scale);
    block.x1 = static_cast<float>((at->end - begin) * scale);
    if (block.x1 - block.x0 >= least) {
      blocks.push_back(block);
      ++at;
      continue;
    }
    // All that end within the next few pixels belong to one block; a long span after a short one stays itself.
    const double limit = at->begin + least / scale;
    auto next = std::lower_bound(at, spans.end(), limit, ends_before);
    if (next == at) ++next;
    block.last = static_cast<std::uint32_t>(next - spans.begin()) - 1;
    block.x1 = std::max(block.x0 + 1, static_cast<float>((spans[block.last].end - begin) * scale));
    // Neighbours that are folded too grow into one, up to a width at which its count can be read.
    if (!blocks.empty() && blocks.back().last + 1 == block.first && block.x0 - blocks.back().x1 < least &&
        blocks.back().x1 - blocks.back().x0 < 12 * least && spans[blocks.back().last].end - spans[blocks.back().last].begin < least / scale) {
      blocks.back().last = block.last;
      blocks.back().x1 = block.x1;
    } else {
      blocks.push_back(block);
    }
    at = next;
  }
  return blocks;
}

Timeline make_timeline(const Snapshot& snapshot) {
  Timeline timeline;
  timeline.steps = snapshot.recent;
  if (snapshot.current && !snapshot.current->ops.empty() &&
      (timeline.steps.empty() || timeline.steps.back()->step != snapshot.current->step)) {
    timeline.steps.push_back(snapshot.current);
  }
  std::map<std::uint32_t, std::vector<TimelineSpan>> by_thread;
  for (std::uint32_t s = 0; s < timeline.steps.size(); ++s) {
    const StepView& view = *timeline.steps[s];
    for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
      const OpRow& row = view.ops[i];
      by_thread[row.thread].push_back({view.begin_us + row.start_us, view.begin_us + row.start_us + row.duration_us, s, i});
    }
  }
  for (auto& [thread, spans] : by_thread) {
    std::stable_sort(spans.begin(), spans.end(), [](const TimelineSpan& x, const TimelineSpan& y) { return x.begin < y.begin; });
    timeline.tracks.push_back({thread, std::move(spans)});
  }
  if (!timeline.steps.empty()) {
    timeline.begin = timeline.steps.front()->begin_us;
    // A step that has just begun has no length yet; the time across the window must have one.
    for (const auto& view : timeline.steps) timeline.end = std::max(timeline.end, view->begin_us + std::max(view->step_us, kShortest));
  }
  return timeline;
}

void TimelinePanel::handle_input(PanelContext& c, ImVec2 min, float width) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool over = ImGui::IsItemHovered();
  const double span = end_ - begin_;
  if (over && io.MouseWheel != 0) {
    const double factor = std::pow(static_cast<double>(kZoom), -static_cast<double>(io.MouseWheel) * (io.KeyCtrl ? 0.3 : 1.0));
    if (io.KeyShift) {
      begin_ -= io.MouseWheel * span * 0.1, end_ = begin_ + span;
    } else {
      const double at = begin_ + span * (io.MousePos.x - min.x) / width;
      const double wider = std::clamp(span * factor, kShortest, 2 * (timeline_.end - timeline_.begin) + 1);
      begin_ = at - (at - begin_) * wider / span;
      end_ = begin_ + wider;
    }
    follow_ = false;
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, 3 * c.m().scale)) {
    const double by = io.MouseDelta.x / width * span;
    begin_ -= by, end_ -= by;
    follow_ = false;
    dragged_ = true;
  }
  if (over && ImGui::IsMouseDoubleClicked(0)) follow_ = true;
}

void TimelinePanel::draw_ruler(PanelContext& c, ImVec2 min, float width) const {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const double span = end_ - begin_, distance = nice_distance(span * c.m().px(110) / width);
  const float y = centred(c.fonts.mono_small, min.y, c.m().px(20));
  const int decimals = std::clamp(static_cast<int>(std::ceil(3 - std::log10(distance))), 0, 6);
  for (double t = std::ceil(begin_ / distance) * distance; t <= end_; t += distance) {
    const float x = std::round(min.x + static_cast<float>((t - begin_) / span) * width) + 0.5f;
    list->AddLine({x, min.y + c.m().px(20)}, {x, min.y + ImGui::GetWindowSize().y}, c.color(Color::line, 0.6f), c.m().line);
    const std::string label = fmt::format("{:.{}f} ms", t / 1000, decimals);
    if (x + c.m().px(4) + text_width(c.fonts.mono_small, label) > min.x + width) continue;
    draw_text(list, c.fonts.mono_small, {x + c.m().px(4), y}, c.color(Color::dim), label);
  }
}

void TimelinePanel::draw_steps(PanelContext& c, ImVec2 min, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const double scale = width / (end_ - begin_);
  const float row = c.m().px(20), mouse_x = ImGui::GetIO().MousePos.x, mouse_y = ImGui::GetIO().MousePos.y;
  for (const auto& view : timeline_.steps) {
    struct Phase {
      const char* name;
      double begin, end;
      Color fill;
    };
    double back = view->forward_us, back_end = view->forward_us + view->backward_us;
    for (const GradientCall& call : view->calls) {
      if (call.duration_us > 0) back = std::min(back, call.start_us), back_end = std::max(back_end, call.start_us + call.duration_us);
    }
    const Phase phases[] = {{"", 0, view->step_us, Color::raised},
                            {"forward", 0, std::min(back, view->step_us), Color::forward},
                            {"backward", back, back_end, Color::cursor},
                            {"update", back_end, view->step_us, Color::gradient}};
    for (std::size_t i = 0; i < std::size(phases); ++i) {
      const Phase& phase = phases[i];
      if (phase.end <= phase.begin || (i > 1 && view->backward_us <= 0)) continue;
      const float y = min.y + (i == 0 ? 0 : row), x0 = min.x + static_cast<float>((view->begin_us + phase.begin - begin_) * scale),
                  x1 = min.x + static_cast<float>((view->begin_us + phase.end - begin_) * scale);
      if (x1 < min.x || x0 > min.x + width) continue;
      const ImVec2 a{std::max(x0, min.x) + 0.5f, y + 1}, b{std::max(std::min(x1, min.x + width) - 0.5f, a.x + 1), y + row - 1};
      const ImU32 fill = c.color(phase.fill, i == 0 ? 1 : 0.55f);
      list->AddRectFilled(a, b, fill, c.m().px(2));
      const std::string label = i == 0 ? fmt::format("step {}  {}", view->step, format_us(view->step_us)) : fmt::format("{}  {}", phase.name, format_us(phase.end - phase.begin));
      const float room = b.x - a.x - c.m().px(10);
      list->PushClipRect(a, b, true);
      if (room > c.m().px(24)) draw_text(list, c.fonts.small, {a.x + c.m().px(6), centred(c.fonts.small, y, row)}, c.color(Color::text), elide(c.fonts.small, label, room));
      list->PopClipRect();
      if (ImGui::IsItemHovered() && mouse_x >= a.x && mouse_x < b.x && mouse_y >= a.y && mouse_y < b.y) {
        ImGui::BeginTooltip();
        ImGui::TextUnformatted(fmt::format("step {}{}{}\n{:.2f} µs", view->step, i ? ", " : "", phase.name, phase.end - phase.begin).c_str());
        ImGui::EndTooltip();
      }
    }
  }
}

void TimelinePanel::draw_track(PanelContext& c, const TimelineTrack& track, ImVec2 min, float width) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float height = c.m().px(26);
  const Selection& selection = c.state.selection();
  const std::shared_ptr<const StepView> shown = c.a->shown();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over = ImGui::IsItemHovered() && mouse.y >= min.y && mouse.y < min.y + height;
  for (const TimelineBlock& block : fold_spans(track.spans, begin_, end_, width, kLeast * c.m().scale)) {
    const TimelineSpan& span = track.spans[block.first];
    const StepView& view = *timeline_.steps[span.step];
    const OpRow& row = view.ops[span.op];
    const ImVec2 a{std::max(min.x, min.x + block.x0), min.y + 1}, b{std::min(min.x + width, std::max(min.x + block.x1, a.x + 1)), min.y + height - 1};
    const Color name = row.direction == Direction::backward ? Color::cursor : row.direction == Direction::update ? Color::gradient
                       : row.direction == Direction::other ? Color::faint : Color::forward;
    const bool selected = !block.folded() && selection.kind == Selection::Kind::op && &view == shown.get() && selection.index == span.op;
    if (block.folded()) {
      // Folded: a lower block, so that it is not taken for one op.
      list->AddRectFilled({a.x, a.y + height * 0.3f}, {b.x, b.y - height * 0.1f}, c.color(name, 0.5f));
      const std::string count = fmt::format("{}", block.last - block.first + 1);
      if (text_width(c.fonts.mono_small, count) + c.m().px(4) < b.x - a.x) {
        draw_text(list, c.fonts.mono_small, {(a.x + b.x) / 2, centred(c.fonts.mono_small, a.y + height * 0.2f, height * 0.7f)}, c.color(Color::text), count, Align::centre);
      }
    } else {
      list->AddRectFilled(a, {std::max(b.x - 0.5f, a.x + 1), b.y}, c.color(name, 0.85f), c.m().px(2));
      if (selected) list->AddRect(a, b, c.color(Color::text), c.m().px(2), 0, c.m().strong_line);
      const float room = b.x - a.x - c.m().px(8);
      const ImU32 fill = c.color(name);
      if (room > c.m().px(20)) {
        list->PushClipRect(a, b, true);
        draw_text(list, c.fonts.small, {a.x + c.m().px(4), centred(c.fonts.small, min.y, height)}, c.theme.text_on(fill), elide(c.fonts.small, row.op, room));
        list->PopClipRect();
      }
    }
    if (!over || mouse.x < a.x || mouse.x >= std::max(b.x, a.x + 2)) continue;
    ImGui::BeginTooltip();
    ImGui::PushFont(c.fonts.mono);
    if (block.folded()) {
      double total = 0;
      for (std::uint32_t i = block.first; i <= block.last; ++i) total += track.spans[i].end - track.spans[i].begin;
      ImGui::TextUnformatted(fmt::format("{} ops, {:.2f} µs together\nzoom in to tell them apart", block.last - block.first + 1, total).c_str());
    } else {
      ImGui::TextUnformatted(fmt::format("{}  {}\n{:.3f} µs from {:.3f} µs of step {}\n{} → {}\n{}", row.op, row.name, row.duration_us, row.start_us, view.step,
                                         row.types, row.output_type, row.location).c_str());
    }
    ImGui::PopFont();
    ImGui::EndTooltip();
    if (ImGui::IsMouseReleased(0) && !dragged_ && !block.folded() && shown != nullptr && span.op < shown->ops.size()) {
      c.commands.post(fmt::format("select op {}", span.op));
    }
  }
}

void TimelinePanel::draw(PanelContext& c) {
  if (c.a == nullptr || (c.a->recent.empty() && c.a->shown() == nullptr)) {
    empty_state(c, "Each step's ops over time, a row per thread.", "A run fills it with its last steps.", "run", "Run the sample");
    return;
  }
  if (c.status.generation != generation_) follow_ = true, generation_ = c.status.generation;
  if (c.a->version != version_) {
    timeline_ = make_timeline(*c.a);
    version_ = c.a->version;
  }
  if (timeline_.steps.empty()) return;
  if (follow_ || !(end_ > begin_)) {
    const std::size_t first = timeline_.steps.size() - std::min(kStepsAtFirst, timeline_.steps.size());
    begin_ = timeline_.steps[first]->begin_us;
    end_ = timeline_.end + (timeline_.end - begin_) * 0.01;
  }
  const ImVec2 min = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  const float gutter = c.m().px(70), width = std::max(1.0f, size.x - gutter - c.m().pad);
  const ImVec2 origin{min.x + gutter, min.y};
  ImGui::InvisibleButton("timeline", {std::max(1.0f, size.x), std::max(1.0f, size.y)});
  c.map.item("timeline/canvas", "timeline");
  c.map.has_tooltip("timeline/canvas");
  handle_input(c, origin, width);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect(origin, {origin.x + width, min.y + size.y}, true);
  draw_ruler(c, origin, width);
  draw_steps(c, {origin.x, min.y + c.m().px(24)}, width);
  float y = min.y + c.m().px(72);
  for (const TimelineTrack& track : timeline_.tracks) {
    draw_track(c, track, {origin.x, y}, width);
    y += c.m().px(32);
  }
  list->PopClipRect();
  if (!ImGui::IsMouseDown(0)) dragged_ = false;
  const ImU32 dim = c.color(Color::dim);
  draw_text(list, c.fonts.small, {min.x + c.m().pad, centred(c.fonts.small, min.y + c.m().px(24), c.m().px(20))}, dim, "steps");
  draw_text(list, c.fonts.small, {min.x + c.m().pad, centred(c.fonts.small, min.y + c.m().px(44), c.m().px(20))}, dim, "phases");
  y = min.y + c.m().px(72);
  for (const TimelineTrack& track : timeline_.tracks) {
    draw_text(list, c.fonts.small, {min.x + c.m().pad, centred(c.fonts.small, y, c.m().px(26))}, dim, fmt::format("thread {}", track.thread));
    y += c.m().px(32);
  }
}

std::string TimelinePanel::text(const PanelContext& c) const {
  std::string text = "step\tstep_us\tforward_us\tbackward_us\tupdate_us\n";
  if (c.a == nullptr) return text;
  for (std::size_t i = 0; i < c.a->steps.size(); ++i) {
    const StepSummary& s = c.a->steps[i];
    text += fmt::format("{}\t{:.2f}\t{:.2f}\t{:.2f}\t{:.2f}\n", s.step, s.step_us, s.forward_us, s.backward_us, s.update_us);
  }
  return text;
}

}  // namespace tapescope::ui
