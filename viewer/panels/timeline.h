// Steps, phases, functions, scopes and ops over time, nested, a row per thread; zoom to one op, what is too
// small folds into a count. Of several open programs the rows of each, on one clock.
#pragma once
#include "viewer/store/snapshot.h"
#include "viewer/ui/panel.h"

namespace tapescope::ui {

// A piece of a row: one span, or several that are too small to be seen singly.
struct TimelineBlock {
  std::uint32_t first = 0, last = 0;  // spans, both included
  float x0 = 0, x1 = 0;               // pixels from the row's left edge
  bool folded() const { return first != last; }
};
struct TimelineSpan {
  double begin = 0, end = 0;       // µs since the run began
  std::uint32_t step = 0, op = 0;  // step: into the track's steps
};
// Spans in order that do not overlap, to blocks within `width` pixels: neighbours below `least` pixels fold.
// Costs as much as there are pixels, not spans.
std::vector<TimelineBlock> fold_spans(const std::vector<TimelineSpan>& spans, double begin, double end,
                                      float width, float least);

struct TimelineTrack {
  std::uint32_t thread = 0;
  std::vector<TimelineSpan> spans;
};
// What lies around the ops of the steps' own thread: calls of functions, or scopes. `op` is the first of a
// span.
struct TimelineBand {
  const char* name = "";  // "function", "scope"
  std::vector<TimelineSpan> spans;
};
struct Timeline {
  std::vector<std::shared_ptr<const StepView>> steps;
  std::vector<TimelineBand> bands;    // those that have spans, the outermost first
  std::vector<TimelineTrack> tracks;  // by thread
  double begin = 0, end = 0;
};
Timeline make_timeline(const Snapshot& snapshot);
// Where the window begins before the user zooms, µs: at the last step but one, or at the last where the
// program waited long between them.
double first_seen(const Timeline& timeline);
// What a span of a band is called: the function, or the outermost scope.
std::string band_label(const Timeline& timeline, const TimelineBand& band, const TimelineSpan& span);

// The rows of one program.
struct TimelineLane {
  Timeline timeline;
  std::uint64_t version = ~std::uint64_t{0}, program = 0;  // what it was made of
  double offset = 0;  // µs on the panel's clock where its own times begin
};

class TimelinePanel final : public Panel {
 public:
  std::string_view id() const override { return "timeline"; }
  std::string_view title() const override { return "Timeline"; }
  Place place() const override { return Place::bottom; }
  void draw(PanelContext& c) override;
  std::string text(const PanelContext& c) const override;
  bool has_csv() const override { return true; }

 private:
  void prepare(const PanelContext& c);
  void show_last_steps(const TimelineLane& lane);
  void show_newest(const PanelContext& c);
  void show_chosen(const PanelContext& c);
  void handle_input(PanelContext& c, ImVec2 min, float width);
  float height_of(const PanelContext& c, const TimelineLane& lane) const;
  void draw_lanes(PanelContext& c);
  void draw_lane(PanelContext& c, std::size_t index, ImVec2 min, float width);
  void draw_name(PanelContext& c, const std::string& name, float x, float y, float height) const;
  // timeline_draw.cpp
  void draw_ruler(PanelContext& c, ImVec2 min, float width) const;
  void draw_heading(PanelContext& c, std::size_t index, ImVec2 min, float width);
  void draw_other_steps(PanelContext& c, std::size_t index, ImVec2 min, float width) const;
  void draw_steps(PanelContext& c, std::size_t index, ImVec2 min, float width) const;
  void draw_band(PanelContext& c, const TimelineLane& lane, const TimelineBand& band, ImVec2 min,
                 float width);
  void draw_cursor(PanelContext& c, ImVec2 min, float width, float height) const;
  void draw_track(PanelContext& c, std::size_t index, const TimelineTrack& track, ImVec2 min, float width);
  const Snapshot& snapshot_of(const PanelContext& c, std::size_t lane) const;

  std::vector<TimelineLane> lanes_;
  std::size_t focus_ = 0;        // the lane of the program that is shown
  double first_ = 0, last_ = 0;  // of all lanes, µs
  std::uint64_t generation_ = 0;
  double begin_ = 0, end_ = 0;  // what is seen, µs
  bool follow_ = true;          // shows the last step until the user zooms
  bool dragged_ = false;
  std::uint64_t chosen_ = 0;  // which choice of steps was shown
};

}  // namespace tapescope::ui
