// Commands, keys and the state of the program shown; drawing is in chrome*.cpp and regions.cpp.
#include "viewer/window/workbench.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <thread>
#include <utility>

#include "viewer/model/machine_roof.h"
#include "viewer/panels/jobs.h"
#include "viewer/ui/imgui_compat.h"
#include "viewer/window/chrome.h"
#include "viewer/window/kept_roof.h"

namespace tapescope::ui {
namespace {
constexpr double kNoticeSeconds = 6;  // long enough to read a sentence

StepPosition cursor_of(const RunStatus& status, const Snapshot* snapshot) {
  if (status.frame)
    return {status.frame->cursor, status.frame->cursor_count, status.frame->forward_count, true};
  StepPosition cursor;
  if (const auto view = snapshot != nullptr ? snapshot->shown() : nullptr) {
    cursor.count = static_cast<std::uint64_t>(std::max<std::int64_t>(view->nodes, 0));
    cursor.position = cursor.count;
    cursor.forward = static_cast<std::uint64_t>(std::max<std::int64_t>(view->forward_nodes, 0));
  }
  return cursor;
}
}  // namespace

bool differ(const RunStatus& x, const RunStatus& y) {
  return x.mode != y.mode || x.step != y.step || x.frame != y.frame || x.generation != y.generation ||
         x.error != y.error || x.commands_done != y.commands_done;
}

struct Workbench::RoofJob {
  MachineRoof roof;
  std::atomic<bool> done{false};
  std::jthread thread;  // last: joined before what it writes is gone
};

Workbench::Workbench(Settings kept, WindowPort& port, std::function<void()> wake)
    : settings(std::move(kept)),
      window(port),
      debuggee(wake),
      table(settings.keys),
      live(wake),
      panels(make_panels()) {
  state.theme = settings.theme;
  state.scale = settings.scale;
  state.reduce_motion = settings.reduce_motion;
  theme = Theme::make(state.theme, state.scale);
  debuggee.set_thresholds(settings.thresholds);
  jobs_panel()->wake = std::move(wake);
  for (const auto& panel : panels) {
    if (panel->place() != Place::bottom) continue;
    // "ops" is the tab that says most; any other will do where it does not exist.
    if (this->panel(state.bottom_tab) == nullptr) state.bottom_tab = std::string(panel->id());
  }
}

Workbench::~Workbench() = default;

void Workbench::set_thresholds(const AlertThresholds& thresholds) {
  settings.thresholds = thresholds;
  debuggee.set_thresholds(thresholds);
}

std::string Workbench::unavailable(const Command& command) const {
  return command.unavailable != nullptr ? command.unavailable(*this) : std::string();
}

std::string Workbench::execute(std::string_view line) {
  const Line split = split_line(line);
  const Command* command = table.find(split.command);
  std::string wrong;
  if (command == nullptr) {
    wrong = fmt::format("there is no command `{}`", split.command);
  } else if (command->needs_argument() && split.arguments.empty()) {
    wrong = fmt::format("`{}` needs {} after it", command->id, command->arguments);
  } else if (command->arguments.empty() && !split.arguments.empty()) {
    wrong = fmt::format("`{}` takes nothing after it, got `{}`", command->id, split.arguments);
  } else {
    debuggee.catch_up();
    meet_launched();
    status = debuggee.status();
    refresh_programs();
    wrong = unavailable(*command);
  }
  if (wrong.empty()) {
    try {
      wrong = command->carry_out(*this, split.arguments);
    } catch (const Error& error) {
      wrong = error.what();
    }
  }
  // What the command moved is seen in the next frame, whether or not the program reports anything.
  refresh();
  wants_frame = true;
  if (!wrong.empty()) say(wrong);
  return wrong;
}

void Workbench::say(std::string text) {
  notice = std::move(text);
  notice_until = now + kNoticeSeconds;
}

void Workbench::key(const Chord& chord, bool typing) {
  const Command* command = table.bound_to(chord);
  wants_frame = true;
  key_since_ = true;  // what the pointer happens to rest on no longer matters
  if (compat::popup_open()) {
    if (chord.key == Key::escape) popups_to_close_ = true;
    return;
  }
  if (palette.open || key_help) {
    // What lies on top takes the keys; Esc and its own keys close it.
    if (command != nullptr &&
        (command->id == "close" || command->id == "palette" || (key_help && command->id == "keys"))) {
      execute(command->id);
    }
    return;
  }
  const bool edits = chord.key == Key::home || chord.key == Key::end || chord.key == Key::left ||
                     chord.key == Key::right || chord.key == Key::backspace || chord.key == Key::del ||
                     chord.key == Key::enter || chord.key == Key::escape ||
                     (chord.ctrl && (chord.key == Key::z || chord.key == Key::a));
  // What follows Ctrl+L at once is meant for its field, which has the keyboard a frame later.
  typing |= launch_focus;
  if (typing && (chord.types() || edits)) return;
  if (welcome && command != nullptr && command->id == "launch") {
    launch_focus = true;
    return;
  }
  if (welcome && !typing && welcome_key(*this, chord)) return;
  if (command == nullptr) return;
  if (command->needs_argument()) {
    ask_for(command->id);
    return;
  }
  execute(command->id);
}

void Workbench::ask_for(std::string_view command_id) {
  palette = {.open = true, .just_opened = true, .text = std::string(command_id) + " "};
}

JobsPanel* Workbench::jobs_panel() const { return static_cast<JobsPanel*>(panel("jobs")); }

Panel* Workbench::panel(std::string_view id) const {
  const auto place =
      std::find_if(panels.begin(), panels.end(), [id](const auto& p) { return p->id() == id; });
  return place == panels.end() ? nullptr : place->get();
}

PanelContext Workbench::context() {
  const bool beside = debuggee.second() != nullptr;
  return {.a = a.get(),
          .b = b.get(),
          .shared_a = a,
          .shared_b = b,
          .status = status,
          .status_b = beside ? &status_b : nullptr,
          .cursor_b = beside ? &cursor_b : nullptr,
          .name_a = beside ? programs[debuggee.focus()].title : choice.options.variant,
          .name_b = beside ? programs[*debuggee.beside()].title : choice.compare_with,
          .programs = programs,
          .run = debuggee.results(),
          .source_paths = [this](std::string_view file) { return debuggee.shown().source_paths(file); },
          .script = debuggee.launched() != nullptr ? script_of(*debuggee.launched()) : std::string(),
          .kept = [this](std::uint64_t step) { return debuggee.shown().kept(step); },
          .why_unread =
              [this](std::uint64_t step) {
                std::string why = debuggee.shown().why_unread(step);
                // What is over can be met again where it was launched from here.
                if (!why.empty() && !status.frame && debuggee.launched() != nullptr)
                  why += fmt::format("; {} runs it again to here", keys("run-again"));
                return why;
              },
          .output = debuggee.launcher().output(),
          .breakpoints = debuggee.breakpoints(),
          .thresholds = settings.thresholds,
          .roof = roof_ != nullptr && roof_->done.load() ? &roof_->roof : nullptr,
          .state = state,
          .commands = *this,
          .theme = theme,
          .fonts = fonts,
          .map = map,
          .time = now,
          .hover_seconds = key_since_ ? -1 : now - pointer_since_,
          .wants_frame = wants_frame};
}

std::uint32_t Workbench::op_in_focus() const {
  const StepAtCursor drawn = step_drawn();
  const auto view = drawn.expanded ? drawn.view : a ? a->shown() : nullptr;
  if (!view) return kNoOp;
  const Selection& selected = state.selection();
  if (selected.kind == Selection::Kind::op && selected.index < view->ops.size()) {
    return static_cast<std::uint32_t>(selected.index);
  }
  if (drawn.expanded) return static_cast<std::uint32_t>(drawn.position) - 1;
  if (selected.kind == Selection::Kind::alert && selected.index < a->alerts.size() &&
      a->alerts[selected.index].op_index < view->ops.size())
    return a->alerts[selected.index].op_index;
  if (state.cursor.position == 0) return kNoOp;
  return view->op_at_node(static_cast<std::int64_t>(state.cursor.position) - 1);
}

Workbench::News Workbench::refresh() {
  debuggee.catch_up();
  meet_launched();
  go_on_again();
  status = debuggee.status();
  // What was said before is of another run, or of what this one did before.
  if (status.generation != drawn_status_.generation || status.mode != drawn_status_.mode) notice.clear();
  if (std::string news = debuggee.take_news(); !news.empty()) say(std::move(news));
  // A recording is identified when its first chunk was read.
  if (debuggee.shows_recording()) choice = debuggee.shown().described();
  a = debuggee.snapshot(0);
  show_looked_at();
  a = stop_alert_.put_into(std::move(a), status);
  show_job_alerts();
  const ShownProgram* const second = debuggee.second();
  b = second != nullptr ? second->snapshot(0) : comparing() ? debuggee.snapshot(1) : nullptr;
  bool changed = differ(status, drawn_status_) || jobs_panel()->has_news();
  const std::uint64_t output = debuggee.launcher().output().version;
  changed |= std::exchange(drawn_output_, output) != output;
  // The first screen and the palette list them.
  const std::uint64_t listed = live.changes();
  changed |= std::exchange(drawn_live_, listed) != listed;
  if (status.generation != drawn_status_.generation) state.forget_program();
  drawn_status_ = status;
  const Snapshot* shown[] = {a.get(), b.get()};
  for (int i = 0; i < kPrograms; ++i) {
    const std::uint64_t version = shown[i] != nullptr ? shown[i]->version : 0;
    changed |= version != drawn_version_[i];
    drawn_version_[i] = version;
  }
  if (changed && debuggee.shows_recording()) note_recording();
  const bool others = refresh_programs();
  status_b = second != nullptr ? programs[*debuggee.beside()].status : RunStatus{};
  cursor_b = cursor_of(status_b, b.get());
  const StepPosition cursor = cursor_of(status, a.get());
  const bool moved = cursor.live && (cursor.position != state.cursor.position || !state.cursor.live);
  state.cursor = cursor;
  if (moved && state.camera.wish == Camera::Wish::none) state.camera.wish = Camera::Wish::follow_cursor;
  return {.shown = changed, .others = others};
}

// A place of the program is no place of another step.
void Workbench::show_looked_at() {
  LookBack& look = debuggee.shown().look_back();
  if (std::string failure = look.take_failure(); !failure.empty()) say(std::move(failure));
  const std::optional<std::uint64_t> step = looked_at();
  if (!step || look.reads()) return;
  a = look.of(a);
  if (status.frame && status.frame->step != *step) status.frame.reset();
}

void Workbench::look_back(std::uint64_t step) {
  LookBack& look = debuggee.shown().look_back();
  const RunStatus now = debuggee.status();
  const auto last = debuggee.snapshot(0)->shown();
  if (now.mode == RunMode::running || b != nullptr || !last) return;
  if (step == (now.frame ? now.frame->step : last->step)) look.leave();
  else look.go_to(step);
}

std::optional<std::uint64_t> Workbench::looked_at() const {
  if (debuggee.second() != nullptr || comparing() || status.mode == RunMode::running) return std::nullopt;
  return debuggee.shown().look_back().step();
}

void Workbench::show_job_alerts() {
  const JobsPanel& jobs = *jobs_panel();
  a = job_alerts_.put_into(std::move(a), jobs.report(), jobs.reports_made());
}

void Workbench::follow_pointer() {
  const ImVec2 at = ImGui::GetIO().MousePos;
  if (at.x == pointer_.x && at.y == pointer_.y) return;
  pointer_ = at;
  pointer_since_ = now;
  key_since_ = false;
}

void Workbench::measure_roof() {
  // Not beside what people wait for: what recordings hold, and what the ranks of a job have in common.
  if (roof_ != nullptr || debuggee.reads_recordings() || !jobs_panel()->caught_up()) return;
  roof_ = std::make_unique<RoofJob>();
  roof_->thread = std::jthread([job = roof_.get(), path = roof_kept_in] {
    job->roof = keep_roof(path, machine_name(), measure_machine_roof());
    job->done.store(true);
  });
}

float Workbench::scale() const { return state.scale * content_scale_; }

void Workbench::set_fonts(Fonts fonts_now, float content_scale) {
  fonts = std::move(fonts_now);
  content_scale_ = content_scale;
  theme = Theme::make(state.theme, scale());
  fonts_wanted = false;
}

bool Workbench::panels_caught_up() const {
  return std::all_of(panels.begin(), panels.end(), [](const auto& p) { return p->caught_up(); });
}

void Workbench::draw(ImVec2 size, double time) {
  now = time;
  follow_pointer();
  map.begin_frame();
  wants_frame = false;
  if (!notice.empty() && now > notice_until) notice.clear();
  if (std::exchange(popups_to_close_, false)) compat::close_popups();
  PanelContext c = context();
  for (const auto& panel : panels) panel->update(c);
  show_job_alerts();
  draw_window(*this, size);
  // Commands of this frame run between two frames, so that what panels hold on to stays as it was.
  std::deque<std::string> lines;
  lines.swap(posted_);
  for (const std::string& line : lines) execute(line);
  wants_frame |= compat::unsettled();
}

}  // namespace tapescope::ui
