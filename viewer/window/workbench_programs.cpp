// Which programs the workbench shows, and where the user stood in each.
#include <sys/stat.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "viewer/debugger/job_members.h"
#include "viewer/window/workbench.h"

namespace tapescope::ui {
namespace {

// The folder distinguishes files of one name.
std::string with_folder(const std::string& path) {
  const std::filesystem::path file(path);
  return (file.parent_path().filename() / file.filename()).string();
}

}  // namespace

void Workbench::load(const RunRequest& request) {
  leave();
  const std::uint64_t before = debuggee.shown().id();
  debuggee.load(request);
  const auto& open = debuggee.programs();
  if (std::none_of(open.begin(), open.end(), [&](const auto& program) { return program->id() == before; }))
    left_.erase(before);
  left_.erase(debuggee.shown().id());
  choice = debuggee.control().request();
  if (std::exchange(breakpoints_of_, choice.sample) != choice.sample) restore_breakpoints();
  forget_shown();
}

void Workbench::open(const std::string& path, Debuggee::Where where) {
  debuggee.open(path, where);
  remember(settings.recent, std::filesystem::absolute(path).string());
  welcome = false;
  if (where == Debuggee::Where::instead) meet_shown();
  else show_title();
}

// Once it was read, for the first screen.
void Workbench::note_recording() {
  const ShownProgram& shown = debuggee.shown();
  if (shown.path() == "-" || !shown.at_rest()) return;
  const std::string path = std::filesystem::absolute(shown.path()).string();
  struct stat file {};
  if (stat(path.c_str(), &file) != 0) return;
  settings.notes[path] = {.steps = a != nullptr ? a->steps.size() : 0,
                          .framework = shown.framework(),
                          .ending = status.error,
                          .changed = static_cast<double>(file.st_mtime)};
}

void Workbench::attach(const std::string& which, Debuggee::Where where) {
  debuggee.attach(which, where);
  meet_attached(where);
}

void Workbench::launch(Launch launch, Debuggee::Where where) {
  again_.reset();
  launch_failure.clear();
  runs_when_launched_ = false;
  debuggee.launch(std::move(launch), where);
  welcome = false;
  // What it says while it starts, and why it did not, stands there.
  state.bottom_tab = "log";
  state.drawer_closed = false;
}

void Workbench::launch(LaunchLine line) {
  line.when = static_cast<double>(std::time(nullptr));
  launch(launch_of(line));
  runs_when_launched_ = line.runs;
  remember(settings.launched, std::move(line));
}

void Workbench::await_launched() {
  debuggee.await_launched();
  meet_attached(Debuggee::Where::instead);
}

void Workbench::meet_launched() {
  const Debuggee::Launched launched = debuggee.take_launched();
  if (!launched.where && launched.failure.empty()) return;
  wants_frame = true;  // what follows takes the news before they are drawn
  if (!launched.failure.empty()) {
    again_.reset();
    launch_failure = launched.failure;
    say(launched.failure);
  }
  if (!launched.where) return;
  meet_attached(*launched.where);
  if (std::exchange(runs_when_launched_, false)) debuggee.run();
}

std::optional<Workbench::PlaceInRun> Workbench::place_in_run() const {
  if (status.frame) return PlaceInRun{status.frame->step, status.frame->cursor};
  const auto view = a && status.mode != RunMode::running ? a->shown() : nullptr;
  if (!view) return std::nullopt;
  // An op that is on no tape has no place: the one before it has.
  std::uint32_t op = op_in_focus();
  while (op != kNoOp && view->ops[op].node < 0) op = op == 0 ? kNoOp : op - 1;
  return PlaceInRun{view->step, op == kNoOp ? 0 : static_cast<std::uint64_t>(view->ops[op].node) + 1};
}

std::string Workbench::run_again_to_here() {
  const Again again{*place_in_run(), false};
  if (const Launch* launched = debuggee.launched()) launch(Launch(*launched));
  else load(choice);
  welcome = false;
  again_ = again;
  go_on_again();
  return {};
}

// First to the step, then to its op.
void Workbench::go_on_again() {
  if (!again_ || !debuggee.at_rest()) return;
  const RunStatus now = debuggee.status();
  if (now.mode == RunMode::finished) return again_.reset();
  const std::uint64_t step = now.frame ? now.frame->step : 0;
  if (step < again_->place.step && !again_->asked) {
    again_->asked = true;
    debuggee.step_training(again_->place.step - step);
    return;
  }
  const PlaceInRun there = std::exchange(again_, std::nullopt)->place;
  // It was stopped on its way.
  if (step < there.step) return;
  if (!now.frame || now.frame->cursor != there.cursor) debuggee.seek(there.cursor);
}

void Workbench::open_job(const std::string& name) {
  const JobMembers members = members_of_job(name);
  bool first = true;
  std::string failure;
  for (const std::string& process : members.attach) {
    // The others of a rank that just ended are there all the same.
    try {
      attach(process, first ? Debuggee::Where::instead : Debuggee::Where::beside);
      first = false;
    } catch (const Error& error) {
      failure = error.what();
    }
  }
  if (first && !failure.empty()) throw Error(ErrorKind::surroundings, failure);
  // The first alone is remembered as opened lately: hundreds of ranks would leave no other.
  for (const std::string& recording : members.open) {
    if (std::exchange(first, false)) open(recording, Debuggee::Where::instead);
    else debuggee.open(recording, Debuggee::Where::beside);
  }
  show_title();
  state.bottom_tab = state.panel = "jobs";
  state.drawer_closed = false;
  if (!failure.empty()) say(failure);
}

void Workbench::meet_attached(Debuggee::Where where) {
  welcome = false;
  if (where == Debuggee::Where::instead) return meet_shown();
  // It is met like any other, so that it has the breakpoints that were kept for it.
  const std::size_t before = debuggee.focus();
  set_focus(debuggee.programs().size() - 1);
  set_focus(before);
}

void Workbench::set_focus(std::size_t program) {
  if (program == debuggee.focus()) return;
  leave();
  debuggee.set_focus(program);
  return_to_shown();
}

void Workbench::set_beside(std::optional<std::size_t> program) {
  debuggee.set_beside(program);
  if (state.selection().program == 1) state.select({});
  state.camera.wish = Camera::Wish::fit;
  refresh();
}

void Workbench::let_go(std::size_t program) {
  const bool had_focus = program == debuggee.focus(), was_beside = program == debuggee.beside();
  left_.erase(debuggee.programs()[program]->id());
  debuggee.let_go(program);
  if (had_focus) return return_to_shown();
  if (was_beside) set_beside(std::nullopt);
  show_title();
}

std::string Workbench::find_program(std::string_view which, std::size_t& program) const {
  if (programs.empty())
    return "only one program is open; `open-beside FILE` and `attach-beside PROGRAM` open others";
  std::int64_t number = 0;
  const bool counts = read_count(which, 1, 0, number);
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const bool meant =
        programs[i].title == which || programs[i].process == which ||
        (counts && (static_cast<std::size_t>(number) == i + 1 ||
                    debuggee.programs()[i]->clock().pid == static_cast<std::uint64_t>(number)));
    if (!meant) continue;
    program = i;
    return {};
  }
  std::string titles;
  for (std::size_t i = 0; i < programs.size(); ++i)
    titles += fmt::format("{}{} {}", i == 0 ? "" : ", ", i + 1, programs[i].title);
  return fmt::format("no open program is called `{}`; there are {}", which, titles);
}

void Workbench::leave() { left_[debuggee.shown().id()] = {state.place(), choice, breakpoints_of_}; }

// The program that was given the focus, as it was left.
void Workbench::return_to_shown() {
  const auto left = left_.extract(debuggee.shown().id());
  if (left.empty()) return meet_shown();
  state.put_place(std::move(left.mapped().place));
  choice = std::move(left.mapped().choice);
  breakpoints_of_ = std::move(left.mapped().breakpoints_of);
  drawn_status_ = debuggee.status();
  show_title();
}

// A program that is seen for the first time.
void Workbench::meet_shown() {
  choice = debuggee.shown().described();
  if (debuggee.live() != nullptr) {
    breakpoints_of_ = choice.sample;
    restore_breakpoints();
  }
  forget_shown();
}

void Workbench::forget_shown() {
  welcome_choice = choice.sample;
  state.forget_program();
  show_title();
}

void Workbench::show_title() {
  const std::string variant =
      comparing() ? choice.options.variant + " and " + choice.compare_with : choice.options.variant;
  const std::size_t others = debuggee.programs().size() - 1;
  const std::string alone = variant.empty() ? choice.sample : choice.sample + " · " + variant;
  window.set_title(others == 0 ? fmt::format("{} – Tapescope", alone)
                               : fmt::format("{} and {} more – Tapescope", debuggee.shown().title(), others));
  refresh();
}

void Workbench::restore_breakpoints() {
  const auto kept = settings.breakpoints.find(choice.sample);
  std::vector<Breakpoint> all = kept == settings.breakpoints.end() ? std::vector<Breakpoint>{} : kept->second;
  for (Breakpoint& ahead : std::exchange(breakpoints_ahead_, {})) {
    if (debuggee.live() == nullptr) break;  // each sample has its own
    if (std::ranges::none_of(all, [&](const Breakpoint& b) { return b.means_same(ahead); }))
      all.push_back(std::move(ahead));
  }
  debuggee.set_breakpoints(std::move(all));
}

void Workbench::keep_breakpoints() {
  std::vector<Breakpoint> kept = debuggee.breakpoints();
  for (Breakpoint& breakpoint : kept) breakpoint.id = 0, breakpoint.hits = 0;
  if (debuggee.untouched()) breakpoints_ahead_ = kept;
  if (breakpoints_of_.empty()) return;
  if (kept.empty()) settings.breakpoints.erase(breakpoints_of_);
  else settings.breakpoints[breakpoints_of_] = std::move(kept);
}

// True where something is to be drawn again.
bool Workbench::refresh_programs() {
  const auto& all = debuggee.programs();
  const std::vector<ProgramRow> before = std::exchange(programs, {});
  if (all.size() == 1) return !before.empty();
  std::vector<ClockMember> clocks;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const ProcessClock clock = all[i]->clock();
    programs.push_back({.title = all[i]->title(),
                        .process = all[i]->is_recording() && clock.pid != 0
                                       ? fmt::format("{} ({})", clock.name, clock.pid)
                                       : std::string(),
                        .status = all[i]->status(),
                        .recording = all[i]->is_recording(),
                        .place = all[i]->place(),
                        .in_focus = i == debuggee.focus(),
                        .beside = i == debuggee.beside(),
                        .snapshot = all[i]->snapshot(0),
                        .clock = clock});
    const JobPlace& place = programs.back().place;
    clocks.push_back({clock, place.rank && place.job.empty() ? "job" : place.job});
  }
  const auto places = place_clocks(clocks, debuggee.focus(), [&](std::size_t i) {
    return programs[i].snapshot ? exchange_times(*programs[i].snapshot) : std::vector<ExchangeTime>();
  });
  std::unordered_map<std::string, int> alike;
  for (const ProgramRow& program : programs) ++alike[program.title];
  for (std::size_t i = 0; i < all.size(); ++i) {
    programs[i].on_clock = places[i];
    if (all[i]->is_recording() && alike[programs[i].title] > 1)
      programs[i].title = with_folder(all[i]->path());
  }
  return !std::equal(programs.begin(), programs.end(), before.begin(), before.end(),
                     [](const ProgramRow& x, const ProgramRow& y) {
                       return !differ(x.status, y.status) && x.snapshot == y.snapshot &&
                              x.in_focus == y.in_focus && x.beside == y.beside;
                     });
}

}  // namespace tapescope::ui
