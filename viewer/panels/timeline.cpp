// Prepares the timeline, and lays out its rows; timeline_draw.cpp draws them.
#include "viewer/panels/timeline.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <map>

#include "viewer/model/run_overview.h"
#include "viewer/ui/widgets.h"

namespace tapescope::ui {
namespace {

constexpr float kZoom = 1.25f;      // per notch of the wheel
constexpr double kShortest = 0.05;  // µs across the window at the deepest zoom
constexpr std::size_t kStepsAtFirst = 2;
constexpr double kMostBeforeLast = 4;  // lengths of the last step across the window at first
constexpr float kRuler = 24, kHeading = 24, kSteps = 40, kBand = 20, kTrack = 32;  // heights at scale 1

std::string_view outermost(std::string_view scope) { return scope.substr(0, scope.find('/')); }

// Calls of functions, and scopes: neighbours of one scope on the same way are one span.
void add_bands(const StepView& view, std::uint32_t step, TimelineBand& functions, TimelineBand& scopes) {
  const OpRow* before = nullptr;
  for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
    const OpRow& row = view.ops[i];
    if (row.thread != view.ops.front().thread) break;
    const double begin = view.begin_us + row.start_us, end = begin + row.duration_us;
    // A call's own time comes behind that of what it ran.
    if (is_call(row)) functions.spans.push_back({end - whole_us(row), end, step, i});
    const std::string_view scope = outermost(row.scope);
    if (!scope.empty()) {
      const bool goes_on = before != nullptr && outermost(before->scope) == scope &&
                           before->direction == row.direction && !scopes.spans.empty();
      if (goes_on) scopes.spans.back().end = std::max(scopes.spans.back().end, end);
      else scopes.spans.push_back({begin, end, step, i});
    }
    before = &row;
  }
}

}  // namespace

std::vector<TimelineBlock> fold_spans(const std::vector<TimelineSpan>& spans, double begin, double end,
                                      float width, float least) {
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
    // All that end within the next few pixels belong to one block; a long span after a short one stays
    // itself.
    const double limit = at->begin + least / scale;
    auto next = std::lower_bound(at, spans.end(), limit, ends_before);
    if (next == at) ++next;
    block.last = static_cast<std::uint32_t>(next - spans.begin()) - 1;
    block.x1 = std::max(block.x0 + 1, static_cast<float>((spans[block.last].end - begin) * scale));
    // Neighbours that are folded too grow into one, up to a width at which its count can be read.
    if (!blocks.empty() && blocks.back().last + 1 == block.first && block.x0 - blocks.back().x1 < least &&
        blocks.back().x1 - blocks.back().x0 < 12 * least &&
        spans[blocks.back().last].end - spans[blocks.back().last].begin < least / scale) {
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
  TimelineBand functions{"function", {}}, scopes{"scope", {}};
  for (std::uint32_t s = 0; s < timeline.steps.size(); ++s) {
    const StepView& view = *timeline.steps[s];
    add_bands(view, s, functions, scopes);
    for (std::uint32_t i = 0; i < view.ops.size(); ++i) {
      const OpRow& row = view.ops[i];
      by_thread[row.thread].push_back(
          {view.begin_us + row.start_us, view.begin_us + row.start_us + row.duration_us, s, i});
    }
  }
  for (auto& [thread, spans] : by_thread) {
    std::stable_sort(spans.begin(), spans.end(),
                     [](const TimelineSpan& x, const TimelineSpan& y) { return x.begin < y.begin; });
    timeline.tracks.push_back({thread, std::move(spans)});
  }
  for (TimelineBand* band : {&functions, &scopes}) {
    std::ranges::stable_sort(band->spans, {}, &TimelineSpan::begin);
    // A row shows what does not overlap: of calls inside calls the outer ones. One that begins where another
    // ends may do so a rounding before it.
    double end = -INFINITY;
    std::erase_if(band->spans, [&](const TimelineSpan& span) {
      const bool inside = (span.begin + span.end) / 2 < end;
      if (!inside) end = span.end;
      return inside;
    });
    if (!band->spans.empty()) timeline.bands.push_back(std::move(*band));
  }
  if (!timeline.steps.empty()) {
    timeline.begin = timeline.steps.front()->begin_us;
    // A step that has just begun has no length yet; the time across the window must have one.
    for (const auto& view : timeline.steps)
      timeline.end = std::max(timeline.end, view->begin_us + std::max(view->step_us, kShortest));
  }
  return timeline;
}

double first_seen(const Timeline& timeline) {
  if (timeline.steps.empty()) return timeline.begin;
  const auto& steps = timeline.steps;
  const double last = timeline.end - steps.back()->begin_us;
  const double before = steps[steps.size() - std::min(kStepsAtFirst, steps.size())]->begin_us;
  return timeline.end - before > kMostBeforeLast * last ? steps.back()->begin_us : before;
}

void TimelinePanel::prepare(const PanelContext& c) {
  lanes_.resize(std::max<std::size_t>(1, c.programs.size()));
  first_ = INFINITY, last_ = -INFINITY;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    TimelineLane& lane = lanes_[i];
    const ProgramRow* const program = c.programs.empty() ? nullptr : &c.programs[i];
    const Snapshot& snapshot = snapshot_of(c, i);
    if (snapshot.version != lane.version ||
        lane.program != (program != nullptr ? program->status.generation : 0)) {
      lane.timeline = make_timeline(snapshot);
      lane.version = snapshot.version;
      lane.program = program != nullptr ? program->status.generation : 0;
    }
    lane.offset = program != nullptr ? program->on_clock.offset_us.value_or(0) : 0;
    if (program == nullptr || program->in_focus) focus_ = i;
    if (lane.timeline.steps.empty()) continue;
    // Other steps are shown too, without their ops.
    const Series<StepSummary>& steps = snapshot.steps;
    const double earliest = !steps.empty() ? steps[0].begin_us : lane.timeline.begin;
    const double latest = !steps.empty() ? steps.back().begin_us + steps.back().step_us : lane.timeline.end;
    first_ = std::min(first_, lane.offset + std::min(earliest, lane.timeline.begin));
    last_ = std::max(last_, lane.offset + std::max(latest, lane.timeline.end));
  }
}

void TimelinePanel::show_last_steps(const TimelineLane& lane) {
  const Timeline& timeline = lane.timeline;
  if (timeline.steps.empty()) return;
  begin_ = first_seen(timeline);
  end_ = timeline.end + (timeline.end - begin_) * 0.01;
  begin_ += lane.offset, end_ += lane.offset;
}

std::string band_label(const Timeline& timeline, const TimelineBand& band, const TimelineSpan& span) {
  const OpRow& row = timeline.steps[span.step]->ops[span.op];
  return std::string(std::string_view(band.name) == "scope" ? outermost(row.scope)
                                                            : std::string_view(row.name));
}

const Snapshot& TimelinePanel::snapshot_of(const PanelContext& c, std::size_t lane) const {
  // Of the program in focus a step of the past may be shown.
  return c.programs.empty() || c.programs[lane].in_focus ? *c.a : *c.programs[lane].snapshot;
}

// The steps that were chosen in the strip of the run.
void TimelinePanel::show_chosen(const PanelContext& c) {
  const StepRange& chosen = c.state.chosen_steps;
  if (chosen.asked == chosen_ || c.a->steps.empty()) return;
  chosen_ = chosen.asked;
  if (chosen.empty()) return;
  const Series<StepSummary>& steps = c.a->steps;
  const StepSummary &first = steps[index_of_step(*c.a, chosen.first)],
                    &last = steps[index_of_step(*c.a, chosen.last)];
  const double margin = 0.02 * (last.begin_us + last.step_us - first.begin_us) + kShortest;
  begin_ = lanes_[focus_].offset + first.begin_us - margin;
  end_ = lanes_[focus_].offset + last.begin_us + last.step_us + margin;
  follow_ = false;
}

void TimelinePanel::show_newest(const PanelContext& c) {
  show_last_steps(lanes_[focus_]);
  if (!(end_ > begin_) || (!c.programs.empty() && c.status.mode == RunMode::finished)) {
    // How runs that have ended lie to each other is what one wants to see first.
    begin_ = first_, end_ = last_ + (last_ - first_) * 0.01;
  } else {
    // The last steps of all that still run or stand.
    double begin = begin_, end = end_;
    for (std::size_t i = 0; i < c.programs.size(); ++i) {
      if (c.programs[i].status.mode == RunMode::finished || !c.programs[i].on_clock.offset_us) continue;
      show_last_steps(lanes_[i]);
      begin = std::min(begin, begin_), end = std::max(end, end_);
    }
    begin_ = begin, end_ = end;
  }
}

void TimelinePanel::handle_input(PanelContext& c, ImVec2 min, float width) {
  const ImGuiIO& io = ImGui::GetIO();
  const bool over = ImGui::IsItemHovered();
  const double span = end_ - begin_;
  if (over && io.MouseWheel != 0) {
    const double factor =
        std::pow(static_cast<double>(kZoom), -static_cast<double>(io.MouseWheel) * (io.KeyCtrl ? 0.3 : 1.0));
    if (io.KeyShift) {
      begin_ -= io.MouseWheel * span * 0.1, end_ = begin_ + span;
    } else {
      const double at = begin_ + span * (io.MousePos.x - min.x) / width;
      const double wider = std::clamp(span * factor, kShortest, 2 * (last_ - first_) + 1);
      begin_ = at - (at - begin_) * wider / span;
      end_ = begin_ + wider;
    }
    follow_ = false;
  }
  if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, 3 * c.m().scale)) {
    const double by = io.MouseDelta.x / width * span;
    begin_ -= by, end_ -= by;
    if (lanes_.size() > 1) ImGui::SetScrollY(ImGui::GetScrollY() - io.MouseDelta.y);
    follow_ = false;
    dragged_ = true;
  }
  if (over && ImGui::IsMouseDoubleClicked(0)) follow_ = true;
}

float TimelinePanel::height_of(const PanelContext& c, const TimelineLane& lane) const {
  const float rows = kSteps + kBand * static_cast<float>(lane.timeline.bands.size()) + 4 +
                     kTrack * static_cast<float>(lane.timeline.tracks.size());
  return c.m().px(c.programs.empty() ? rows : kHeading + rows);
}

void TimelinePanel::draw(PanelContext& c) {
  if (c.a == nullptr || (c.programs.empty() && c.a->recent.empty() && c.a->shown() == nullptr)) {
    return awaits_op(c, "The last steps' ops over time, a row per thread.");
  }
  // Among several programs the user stays where one was clicked.
  if (c.status.generation != generation_)
    follow_ = follow_ || c.programs.empty(), generation_ = c.status.generation;
  prepare(c);
  if (!(last_ > first_)) {
    if (!c.programs.empty())
      empty_state(c, "Each program's steps and ops on one clock.", "Steps of any of them fill it.");
    return;
  }
  show_chosen(c);
  if (follow_ || !(end_ > begin_)) show_newest(c);
  if (c.programs.empty()) return draw_lanes(c);
  // The wheel zooms; the bar at the right and dragging reach what is below.
  ImGui::BeginChild("lanes", ImGui::GetContentRegionAvail(), false,
                    ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground);
  draw_lanes(c);
  ImGui::EndChild();
}

void TimelinePanel::draw_lanes(PanelContext& c) {
  const ImVec2 min = ImGui::GetCursorScreenPos(), size = ImGui::GetContentRegionAvail();
  const float gutter = c.m().px(70), width = std::max(1.0f, size.x - gutter - c.m().pad);
  const ImVec2 origin{min.x + gutter, min.y};
  float height = c.m().px(kRuler);
  for (const TimelineLane& lane : lanes_) height += height_of(c, lane);
  if (c.programs.empty()) height = size.y;
  height = std::max(height, size.y);
  ImGui::InvisibleButton("timeline", {std::max(1.0f, size.x), std::max(1.0f, height)});
  c.map.item("timeline/canvas", "timeline");
  c.map.has_tooltip("timeline/canvas");
  handle_input(c, origin, width);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const float top = ImGui::GetWindowPos().y, ruler = c.m().px(kRuler);
  list->PushClipRect(origin, {origin.x + width, min.y + height}, true);
  draw_ruler(c, {origin.x, c.programs.empty() ? min.y : top}, width);
  list->PopClipRect();
  // What is scrolled does not run over the ruler.
  list->PushClipRect({min.x, c.programs.empty() ? min.y : top + ruler}, {origin.x + width, min.y + height},
                     true);
  float y = min.y + ruler;
  for (std::size_t i = 0; i < lanes_.size(); ++i) {
    draw_lane(c, i, {origin.x, y}, width);
    y += height_of(c, lanes_[i]);
  }
  draw_cursor(c, {origin.x, min.y + ruler}, width, height - ruler);
  list->PopClipRect();
  if (!ImGui::IsMouseDown(0)) dragged_ = false;
}

// The name of a row, left of it.
void TimelinePanel::draw_name(PanelContext& c, const std::string& name, float x, float y,
                              float height) const {
  draw_text(ImGui::GetWindowDrawList(), c.fonts.small,
            {x - c.m().px(70) + c.m().pad, centred(c.fonts.small, y, height)}, c.color(Color::dim), name);
}

void TimelinePanel::draw_lane(PanelContext& c, std::size_t index, ImVec2 min, float width) {
  const TimelineLane& lane = lanes_[index];
  float y = min.y;
  if (!c.programs.empty()) {
    draw_heading(c, index, {min.x, y}, width);
    y += c.m().px(kHeading);
  }
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PushClipRect({min.x, list->GetClipRectMin().y}, {min.x + width, list->GetClipRectMax().y}, true);
  draw_other_steps(c, index, {min.x, y}, width);
  draw_steps(c, index, {min.x, y}, width);
  float track_y = y + c.m().px(kSteps);
  for (const TimelineBand& band : lane.timeline.bands) {
    draw_band(c, lane, band, {min.x, track_y}, width);
    track_y += c.m().px(kBand);
  }
  track_y += c.m().px(4);
  for (const TimelineTrack& track : lane.timeline.tracks) {
    draw_track(c, index, track, {min.x, track_y}, width);
    track_y += c.m().px(kTrack);
  }
  const auto& held = lane.timeline.steps;
  const double begin = begin_ - lane.offset, end = end_ - lane.offset;
  if (!held.empty() && (end < held.front()->begin_us || begin > lane.timeline.end)) {
    draw_text(list, c.fonts.small,
              {min.x + c.m().px(6), centred(c.fonts.small, y + c.m().px(kSteps), c.m().px(32))},
              c.color(Color::dim),
              fmt::format("ops are held of steps {} to {}", c.step_shown(held.front()->step),
                          c.step_shown(held.back()->step)));
  }
  list->PopClipRect();
  draw_name(c, "step", min.x, y, c.m().px(20));
  draw_name(c, "phase", min.x, y + c.m().px(20), c.m().px(20));
  track_y = y + c.m().px(kSteps);
  for (const TimelineBand& band : lane.timeline.bands) {
    draw_name(c, band.name, min.x, track_y, c.m().px(kBand));
    track_y += c.m().px(kBand);
  }
  track_y += c.m().px(4);
  const bool one = lane.timeline.tracks.size() == 1;
  for (const TimelineTrack& track : lane.timeline.tracks) {
    draw_name(c, one ? "op" : fmt::format("thread {}", track.thread), min.x, track_y, c.m().px(26));
    track_y += c.m().px(kTrack);
  }
}

std::string TimelinePanel::text(const PanelContext& c) const {
  std::string text = "step\tstep_us\tforward_us\tbackward_us\tupdate_us\n";
  if (c.a == nullptr) return text;
  const auto figures = [](const StepSummary& s) {
    return fmt::format("{}\t{:.2f}\t{:.2f}\t{:.2f}\t{:.2f}\n", s.step, s.step_us, s.forward_us, s.backward_us,
                       s.update_us);
  };
  if (c.programs.empty()) {
    for (std::size_t i = 0; i < c.a->steps.size(); ++i) text += figures(c.a->steps[i]);
    return text;
  }
  // Several have one clock; where one has its own the beginning says nothing beside the others.
  text = "program\tbegin_us\t" + text;
  for (const ProgramRow& program : c.programs) {
    for (std::size_t i = 0; i < program.snapshot->steps.size(); ++i) {
      const StepSummary& s = program.snapshot->steps[i];
      const std::string begin = program.on_clock.offset_us
                                    ? fmt::format("{:.2f}", *program.on_clock.offset_us + s.begin_us)
                                    : std::string();
      text += fmt::format("{}\t{}\t", program.title, begin) + figures(s);
    }
  }
  return text;
}

}  // namespace tapescope::ui
