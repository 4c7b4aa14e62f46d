// The workbench: everything behind the window, from the program shown to the frame that is drawn. Knows no
// GLFW, so that tests drive it without a window.
#pragma once
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "viewer/debugger/debuggee.h"
#include "viewer/debugger/stop_alert.h"
#include "viewer/model/run_overview.h"
#include "viewer/panels/step_at_cursor.h"
#include "viewer/ui/fonts.h"
#include "viewer/ui/panel.h"
#include "viewer/ui/state.h"
#include "viewer/ui/ui_map.h"
#include "viewer/window/arrangement.h"
#include "viewer/window/commands.h"
#include "viewer/window/job_alerts.h"
#include "viewer/window/launch_line.h"
#include "viewer/window/live_list.h"
#include "viewer/window/settings.h"

namespace tapescope::ui {

class JobsPanel;

// What only a window can do.
class WindowPort {
 public:
  virtual ~WindowPort() = default;
  virtual void resize(int width, int height) = 0;
  virtual void close() = 0;
  virtual void set_title(const std::string& title) = 0;
  virtual void save_picture(
      const std::string& path) = 0;  // of the next frame; what goes wrong is said by the window
};

// Whether two states look different in the window.
bool differ(const RunStatus& x, const RunStatus& y);

// What the palette is asked to do.
struct Palette {
  bool open = false;
  bool just_opened = false;
  std::string text;
  int chosen = 0;
};

// A parameter of the chosen sample, as far as its value has been typed.
struct WelcomeEdit {
  std::string parameter, text;
};

// The strip of the run: what it was made of, so that a frame does not walk all steps again.
struct RunStrip {
  RunOverview overview;
  std::uint64_t version = ~std::uint64_t{0};
  std::size_t columns = 0;
  std::int64_t pressed = -1;  // the step at which the pointer went down; -1 while it is up
};

struct FrameTimes {
  double build_ms = 0;  // of the last frame, on the processor
  double fps = 0;       // while frames follow each other, else 0
};

class Workbench final : public CommandSink {
 public:
  // `wake` is called on other threads when there is something to draw.
  Workbench(Settings settings, WindowPort& window, std::function<void()> wake);
  ~Workbench() override;

  // --- commands
  void post(std::string command_line) override { posted_.push_back(std::move(command_line)); }
  std::string keys(std::string_view command_id) const override { return table.keys(command_id); }
  // Carries a line out at once; what went wrong, empty when nothing did. The user reads it in the status bar
  // too.
  std::string execute(std::string_view line);
  // A key the user pressed. `typing` says that a text field has the focus.
  void key(const Chord& chord, bool typing);
  // Opens the palette for what that command needs.
  void ask_for(std::string_view command_id);
  // "paused" and the like for `unavailable`; empty when the command can be carried out now.
  std::string unavailable(const Command& command) const;
  void say(std::string notice);  // something the user should read, in the status bar for some seconds

  // --- a frame; `time` in seconds since start
  // What changed since the last call.
  struct News {
    bool shown = false;   // of the program, or the two, that the panels show
    bool others = false;  // of the programs that are open beside it
    explicit operator bool() const { return shown || others; }
  };
  // Takes the programs' present state.
  News refresh();
  void draw(ImVec2 size, double time);
  void set_fonts(Fonts fonts_now, float content_scale);
  // Measures what this machine can do at most, on a separate thread that takes some tenths of a second.
  void measure_roof();
  // The file that keeps the best of all measurements; empty for none.
  std::string roof_kept_in;
  // The scale to draw at: the user's times the screen's.
  float scale() const;

  // --- what `wait` asks
  bool panels_caught_up() const;

  // --- parts, open to the commands and the chrome of this folder
  Settings settings;
  AppState state;
  WindowPort& window;
  Debuggee debuggee;
  CommandTable table;
  UiMap map;
  Theme theme;
  Fonts fonts;
  LiveList live;
  std::vector<std::unique_ptr<Panel>> panels;
  RunRequest choice;                     // what the toolbar shows; loaded
  RunStatus status;                      // as of refresh()
  std::shared_ptr<const Snapshot> a, b;  // b only in a comparison
  RunStatus status_b;                    // of a program beside the one in focus
  StepPosition cursor_b;
  std::vector<ProgramRow> programs;  // as of refresh(); empty where one is open alone
  bool welcome = true;               // the first screen is shown
  std::string welcome_choice;        // the card that is chosen
  WelcomeEdit welcome_edit;          // the parameter whose value is being typed
  LaunchLine launch_line;            // what the first screen would start
  bool launch_records = false;       // it is recorded as it runs
  std::string attach_host;           // whose programs are to be listed
  bool launch_focus = false;         // its first field is to have the keyboard
  Palette palette;
  RunStrip run_strip;
  bool key_help = false;
  std::string notice;
  double notice_until = 0;
  FrameTimes times;
  Arrangement elsewhere;      // panels, in the frame that was drawn last
  bool fonts_wanted = false;  // scale changed: fonts are to be baked before the next frame
  double now = 0;             // seconds since start, as of this frame

  Panel* panel(std::string_view id) const;
  // The context of this frame.
  PanelContext context();
  // Two variants of the program in focus, run in turn.
  bool comparing() const { return !choice.compare_with.empty(); }
  // Loads `choice`; throws Error and keeps the former one when it cannot be used.
  void load(const RunRequest& request);
  // Shows a recording, or has it open beside the others; throws Error and keeps what was shown when it cannot
  // be read.
  void open(const std::string& path, Debuggee::Where where = Debuggee::Where::instead);
  // The same of a running program, given by process id, name or socket; throws Error when it cannot be
  // attached to.
  void attach(const std::string& which, Debuggee::Where where = Debuggee::Where::instead);
  // Starts a program, which is shown once it stands before its first op; throws Error when it cannot be
  // started. Its output is in the log.
  void launch(Launch launch, Debuggee::Where where = Debuggee::Where::instead);
  void launch(LaunchLine line);  // which is kept among the recent ones
  // Waits for that; throws Error where it ends before.
  void await_launched();
  // Why the last one that was launched is not shown; empty while it starts and where it is.
  std::string launch_failure;
  // A step of the run, and how many ops of its tape have run.
  struct PlaceInRun {
    std::uint64_t step = 0, cursor = 0;
  };
  // Where the program stands, else the op in focus of the step that is shown; none while it runs.
  std::optional<PlaceInRun> place_in_run() const;
  // What was launched, or the sample, once more, to that place. What is wrong; empty where it is on its way.
  std::string run_again_to_here();
  // Attaches to, or opens, all ranks of a job and shows them in the Jobs panel; throws Error where there are
  // none.
  void open_job(const std::string& name);
  // Of several open programs: the one all panels show. Each keeps its cursor, selection, filter and camera.
  void set_focus(std::size_t program);
  void set_beside(std::optional<std::size_t> program);  // shown as B
  void let_go(std::size_t program);
  // By number from 1, title or process. What is wrong; empty where it was found.
  std::string find_program(std::string_view which, std::size_t& program) const;
  // The breakpoints were changed: they are kept with the sample.
  void keep_breakpoints();
  void set_thresholds(const AlertThresholds& thresholds);
  // The step whose ops are drawn; while the program stands inside a call that was stepped into, the call's.
  StepAtCursor step_drawn() const { return step_at_cursor(a.get(), state.cursor, status); }
  // Shows a step that has ended in all panels, until the program is moved; the last one as it was. Nothing
  // changes while the program runs or two are compared.
  void look_back(std::uint64_t step);
  // That step, or the one that is read for it; empty where the last one is shown.
  std::optional<std::uint64_t> looked_at() const;
  // The op that the selection names, else the one at the cursor; kNoOp when there is none.
  std::uint32_t op_in_focus() const;
  bool wants_frame = false;

 private:
  void show_looked_at();
  // Where the user stood in a program that is not in focus.
  struct Left {
    ProgramPlace place;
    RunRequest choice;
    std::string breakpoints_of;
  };
  void leave();
  void return_to_shown();
  void meet_shown();
  void meet_attached(Debuggee::Where where);
  void meet_launched();
  void go_on_again();
  void note_recording();
  void forget_shown();
  void show_title();
  bool refresh_programs();
  void restore_breakpoints();
  void follow_pointer();
  JobsPanel* jobs_panel() const;
  void show_job_alerts();

  std::deque<std::string> posted_;
  struct RoofJob;
  std::unique_ptr<RoofJob> roof_;
  std::string breakpoints_of_;  // the sample that the breakpoints are of
  // Set before anything ran: they are for the program that is launched or attached to first.
  std::vector<Breakpoint> breakpoints_ahead_;
  std::map<std::uint64_t, Left> left_;  // by the program's id
  JobAlerts job_alerts_;
  StopAlert stop_alert_;
  // Where what is run again is to stop.
  struct Again {
    PlaceInRun place;
    bool asked = false;  // for the step
  };
  std::optional<Again> again_;
  bool runs_when_launched_ = false;
  std::uint64_t drawn_output_ = 0, drawn_live_ = 0;
  bool popups_to_close_ = false;
  std::uint64_t drawn_version_[kPrograms] = {~std::uint64_t{0}, ~std::uint64_t{0}};
  RunStatus drawn_status_;
  float content_scale_ = 1;
  ImVec2 pointer_{-1, -1};
  double pointer_since_ = 0;
  bool key_since_ = false;  // a key was pressed since the pointer moved
};

}  // namespace tapescope::ui
