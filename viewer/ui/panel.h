// What a panel is, and what it is given each frame. No panel names another.
#pragma once
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "viewer/debugger/kept_frames.h"
#include "viewer/debugger/output_line.h"
#include "viewer/debugger/shown_run.h"
#include "viewer/model/csv.h"
#include "viewer/model/job.h"
#include "viewer/store/alert_thresholds.h"
#include "viewer/ui/fonts.h"
#include "viewer/ui/state.h"
#include "viewer/ui/theme.h"
#include "viewer/ui/ui_map.h"

namespace tapescope {
struct MachineRoof;
struct Snapshot;
}  // namespace tapescope

namespace tapescope::ui {

// How panels ask for something to be done. Command lines are those of design/interfaces.md.
class CommandSink {
 public:
  virtual ~CommandSink() = default;
  // Carried out after this frame: "select op 17", "step-forward 3", "run-to MatMul", "seek 12".
  virtual void post(std::string command_line) = 0;
  // The keys of a command as people read them, "Shift+F10"; empty when it has none.
  virtual std::string keys(std::string_view command_id) const = 0;
};

// One of several programs that are open, for what shows them all on one clock.
struct ProgramRow {
  std::string title;    // "rank-0.tape", "line_fit (4711)"
  std::string process;  // what a recording is of: "line_fit (4711)"; empty where the title says it
  RunStatus status;
  bool recording = false;
  JobPlace place;                         // which rank of which job it is
  bool in_focus = false, beside = false;  // A, B
  std::shared_ptr<const Snapshot> snapshot;
  ProcessClock clock;
  // µs from the first event of all to its own first one, on the clock of the one in focus.
  ClockPlace on_clock;
};

inline const ProgramLines kNoOutput{};

struct PanelContext {
  const Snapshot* a = nullptr;  // null: nothing has run yet
  const Snapshot* b = nullptr;  // the second program of a comparison, or null
  // The same, for jobs that outlive the frame.
  std::shared_ptr<const Snapshot> shared_a = nullptr, shared_b = nullptr;
  const RunStatus& status;
  // Of a program B that runs apart from A; null where its steps and A's are taken in turn.
  const RunStatus* status_b = nullptr;
  const StepPosition* cursor_b = nullptr;
  std::string_view name_a = {}, name_b = {};  // what distinguishes A and B: variants, or programs
  std::span<const ProgramRow> programs = {};  // in the order they were opened; empty where one is open alone
  const ShownRun* run = nullptr;  // results and comparison at rest; null without a program (tests)
  // Where the shown program's file of that name may be, the likeliest first.
  std::function<std::vector<std::string>(std::string_view file)> source_paths = {};
  std::string script = {};  // path of the Python file that was launched and is shown; empty otherwise
  // The values of that step's ops in program A, as far as they are known, null where none are; and why no
  // more can be read, empty where they can (a sentence without a full stop).
  std::function<std::shared_ptr<const KeptFrames>(std::uint64_t step)> kept = {};
  std::function<std::string(std::uint64_t step)> why_unread = {};
  const ProgramLines& output = kNoOutput;    // of the program that was launched
  std::vector<Breakpoint> breakpoints = {};  // of what is shown
  const AlertThresholds& thresholds;
  const MachineRoof* roof = nullptr;  // null until it was measured
  AppState& state;
  CommandSink& commands;
  const Theme& theme;
  const Fonts& fonts;
  UiMap& map;
  std::string_view panel = {};  // id of the one that draws now; empty in the chrome
  double time = 0;              // seconds since start, for motion of at most 200 ms
  double hover_seconds = 0;     // how long the pointer has rested; -1: a key was pressed since it moved
  // Set to have another frame drawn at once (motion, a job that just ended); else the window sleeps.
  bool& wants_frame;

  const Metrics& m() const { return theme.metrics; }
  ImU32 color(Color c, float alpha = 1) const { return theme.color(c, alpha); }
  bool comparing() const { return b != nullptr; }
  // The number by which people know a step of that program.
  std::uint64_t step_shown(std::uint64_t step, int program = 0) const;
  // Of a comparison: whether A and B were measured step by step in turn, not in different runs.
  bool interleaved() const { return status_b == nullptr; }
  const RunStatus& status_of(int program) const {
    return program == 1 && status_b != nullptr ? *status_b : status;
  }
  const StepPosition& cursor_of(int program) const {
    return program == 1 && cursor_b != nullptr ? *cursor_b : state.cursor;
  }
  // Another pair where another program is shown as A or B: what was made of the former ones is stale.
  std::pair<std::uint64_t, std::uint64_t> generations() const {
    return {status.generation, status_b != nullptr ? status_b->generation : 0};
  }
};

enum class Place : std::uint8_t { left, centre, right, bottom };

class Panel {
 public:
  virtual ~Panel() = default;
  virtual std::string_view id() const = 0;     // "ops": of scripts, of the UI map, of ImGui
  virtual std::string_view title() const = 0;  // "Ops"
  virtual Place place() const = 0;
  // Whether there is room for it now: a comparison hides the left column and swaps what is at the right.
  virtual bool shown(const PanelContext&) const { return true; }
  // Left and right columns: the height it would like in pixels, header included; 0 takes what is left.
  virtual float wanted_height(const PanelContext&) const { return 0; }
  // Short text at the right end of the header ("5 sources"), or in the tab's pill ("2").
  virtual std::string badge(const PanelContext&) const { return {}; }
  // True where it draws its own header bars (two graphs side by side): the body then gets the header's height
  // too.
  virtual bool draws_own_header(const PanelContext&) const { return false; }
  // More in the header bar, right of the title (breadcrumbs, scale bar), or at the right of the open tab's
  // bar (filter field). The window is clipped to it and the cursor stands at its left, vertically centred for
  // text.
  virtual void draw_header(PanelContext&) {}
  // Each frame before anything is drawn, of every panel, shown or not: starts and takes over what is prepared
  // on separate threads.
  virtual void update(PanelContext&) {}
  // The body, into the current child window, which has no padding, scrolls by itself and has panel as
  // background.
  virtual void draw(PanelContext&) = 0;
  // False while a job of the panel (layout, histogram) is on its way: `wait idle` waits for it.
  virtual bool caught_up() const { return true; }
  // The tensors it shows, to be saved.
  virtual std::vector<SampleOutput> tensors() const { return {}; }
  // All that it shows, as plain text: the copy command, and those who cannot see it.
  virtual std::string text(const PanelContext&) const { return {}; }
  // Whether that is a table, and it as CSV; its text unless the panel knows better.
  virtual bool has_csv() const { return false; }
  virtual std::string csv(const PanelContext& c) const { return csv_of_tabs(text(c)); }
};

// The panels that exist, in the order they are shown within their places. Defined in panels.cpp.
std::vector<std::unique_ptr<Panel>> make_panels();

}  // namespace tapescope::ui
