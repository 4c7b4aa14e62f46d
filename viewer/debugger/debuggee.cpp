// Keeps the list, and which of its programs is A and which is B.
#include "viewer/debugger/debuggee.h"

#include <algorithm>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "viewer/debugger/attached_program.h"
#include "viewer/debugger/comparison.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/opened_recording.h"

namespace tapescope::ui {

Debuggee::Debuggee(std::function<void()> wake)
    : wake_(std::move(wake)),
      sample_(std::make_shared<SampleProgram>(wake_)),
      programs_{sample_},
      launcher_(wake_),
      turns_(std::make_shared<ReadingTurns>(std::max(1u, std::thread::hardware_concurrency()))) {}

Debuggee::~Debuggee() = default;

std::optional<std::size_t> Debuggee::place_of_sample() const {
  const auto found = std::find(programs_.begin(), programs_.end(), sample_);
  if (found == programs_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - programs_.begin());
}

AttachedProgram* Debuggee::attached(std::size_t program) const {
  return programs_[program]->attached() != nullptr ? static_cast<AttachedProgram*>(programs_[program].get())
                                                   : nullptr;
}

void Debuggee::load(const RunRequest& request) {
  sample_->load(request);
  if (const auto place = place_of_sample()) set_focus(*place);
  else programs_[focus_] = sample_;
}

void Debuggee::place(std::shared_ptr<ShownProgram> program, Where where) {
  if (where == Where::beside) {
    programs_.push_back(std::move(program));
    return;
  }
  if (programs_[focus_] == sample_) sample_->end();
  programs_[focus_] = std::move(program);
}

void Debuggee::open(const std::string& path, Where where) {
  place(std::make_shared<OpenedRecording>(openings_ + 1, path, wake_, thresholds_, turns_), where);
  ++openings_;
}

void Debuggee::attach(const std::string& which, Where where) {
  // By its socket from here on: a name is looked for among all programs that listen.
  const std::string path = live::find_listener(which);
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    AttachedProgram* const open = attached(i);
    if (open == nullptr || open->program().let_go() || open->status().mode == RunMode::finished) continue;
    if (path != open->program().path()) continue;
    if (i != focus_ || where == Where::beside) {
      throw Error(
          ErrorKind::surroundings,
          fmt::format("{} is open in this window already; `program {}` shows it", open->title(), i + 1));
    }
    // The program that is shown may be attached to again: its one place is needed.
    open->program().detach();
  }
  place(std::make_shared<AttachedProgram>(openings_ + 1, path, wake_, thresholds_), where);
  ++openings_;
}

void Debuggee::launch(Launch launch, Where where) {
  launcher_.start(std::move(launch));
  launch_where_ = where;
  arrived_ = {};
}

void Debuggee::await_launched() { attach(launcher_.await(), launch_where_); }

// Attaches to what was started, once it can be.
void Debuggee::meet_launched() {
  if (!launcher_.starts()) return;
  try {
    const std::string socket = launcher_.arrived();
    if (socket.empty()) return;
    attach(socket, launch_where_);
    arrived_.where = launch_where_;
  } catch (const Error& error) {
    arrived_.failure = error.what();
  }
}

const ShownProgram* Debuggee::launched_program() const {
  const auto was_launched = [&](const auto& one) {
    const LiveConnection* const program = one->attached();
    return program != nullptr && program->greeting().pid == static_cast<std::uint64_t>(launcher_.process());
  };
  if (launcher_.process() <= 0) return nullptr;
  const auto found = std::ranges::find_if(programs_, was_launched);
  return found != programs_.end() ? found->get() : nullptr;
}

bool Debuggee::shows_launched() const { return launched_program() == &shown(); }

const Launch* Debuggee::launched() const { return shows_launched() ? launcher_.launch() : nullptr; }

void Debuggee::set_focus(std::size_t program) {
  if (beside_ == program) beside_ = focus_;  // they change places
  focus_ = program;
}

void Debuggee::set_beside(std::optional<std::size_t> program) { beside_ = program; }

void Debuggee::let_go(std::size_t program) {
  if (programs_[program] == sample_) sample_->end();
  programs_.erase(programs_.begin() + static_cast<std::ptrdiff_t>(program));
  const bool had_focus = focus_ == program;
  if (beside_ == program) beside_.reset();
  if (beside_ && *beside_ > program) --*beside_;
  if (focus_ > program || focus_ == programs_.size()) --focus_;
  if (had_focus && beside_ == focus_) beside_.reset();
}

bool Debuggee::untouched() const {
  return programs_.size() == 1 && programs_.front() == sample_ && sample_->status().mode == RunMode::idle &&
         !snapshot(0)->shown();
}

void Debuggee::detach() {
  AttachedProgram* const program = attached(focus_);
  if (program == nullptr) return;
  if (shows_launched()) launcher_.release();
  program->program().detach();
}

void Debuggee::run() {
  all_to_pause_ = false;
  for (ShownProgram* rank : job_of(shown())) {
    if (rank == &shown() || rank->status().mode == RunMode::paused) rank->run();
  }
}

void Debuggee::set_breakpoints(std::vector<Breakpoint> breakpoints) {
  number(breakpoints);
  AttachedProgram* const program = attached(focus_);
  // The run control's stay when something else is shown in the sample's place; a sample that is open beside
  // has its own.
  if (program == nullptr || !place_of_sample()) control().set_breakpoints(breakpoints);
  if (program != nullptr) program->program().set_breakpoints(std::move(breakpoints));
}

std::vector<Breakpoint> Debuggee::breakpoints() const {
  const LiveConnection* const program = live();
  return program != nullptr ? program->breakpoints() : control().breakpoints();
}

HeadlessRun Debuggee::so_far() const { return shown().so_far(); }

const ShownRun* Debuggee::results() const {
  if (second() != nullptr) return &pair_;
  return live() != nullptr ? nullptr : &shown();
}

const ComparisonResult& Debuggee::Pair::comparison() const {
  found_ = compare_results(result(0), result(1), of_.snapshot(0).get(), of_.second()->snapshot(0).get());
  return found_;
}

void Debuggee::pause_all() {
  for (const auto& program : programs_) {
    if (!program->is_recording() && program->status().mode == RunMode::running) program->pause();
  }
  all_to_pause_ = true;
}

void Debuggee::run_all() {
  all_to_pause_ = false;
  for (const auto& program : programs_) {
    if (!program->is_recording() && program->status().mode == RunMode::paused) program->run();
  }
}

bool Debuggee::runs() const {
  return std::ranges::any_of(programs_,
                             [](const auto& program) { return program->status().mode == RunMode::running; });
}

bool Debuggee::reads_recordings() const {
  return std::ranges::any_of(programs_, [](const auto& program) {
    return program->is_recording() && program->status().mode == RunMode::running;
  });
}

bool Debuggee::at_rest() const {
  return !launcher_.starts() && shown().at_rest() && !shown().look_back().reads() &&
         std::all_of(programs_.begin(), programs_.end(), [&](const auto& program) {
           return program->is_recording() ? program->at_rest()
                                          : !all_to_pause_ || program->status().mode != RunMode::running;
         });
}

void Debuggee::flush() {
  for (const auto& program : programs_) program->flush();
}

void Debuggee::set_thresholds(const AlertThresholds& thresholds) {
  thresholds_ = thresholds;
  sample_->set_thresholds(thresholds);
  for (const auto& program : programs_) program->set_thresholds(thresholds);
}

void Debuggee::catch_up() {
  for (const auto& program : programs_) program->catch_up();
  meet_launched();
  const ShownProgram* const launched = launched_program();
  launcher_.take_output(launched != nullptr ? launched->snapshot(0).get() : nullptr);
  pause_jobs_of_stopped();
}

std::vector<ShownProgram*> Debuggee::job_of(const ShownProgram& program) const {
  const JobPlace place = program.place();
  std::vector<ShownProgram*> ranks;
  for (const auto& one : programs_) {
    const bool mate = place.rank && !place.job.empty() && one->attached() != nullptr && one->place().rank &&
                      one->place().job == place.job;
    if (mate || one.get() == &program) ranks.push_back(one.get());
  }
  return ranks;
}

void Debuggee::pause() {
  for (ShownProgram* rank : job_of(shown())) rank->pause();
}

std::string Debuggee::step_training(std::uint64_t steps) {
  std::string wrong = shown().step_training(steps);
  if (!wrong.empty()) return wrong;
  for (ShownProgram* rank : job_of(shown())) {
    if (rank != &shown() && rank->status().mode == RunMode::paused) rank->step_training(steps);
  }
  return wrong;
}

// A rank that has stopped since the last look stops its job.
void Debuggee::pause_jobs_of_stopped() {
  if (programs_.size() < 2) return;
  std::vector<std::uint64_t> stand;
  for (const auto& program : programs_) {
    if (program->attached() == nullptr || program->status().mode != RunMode::paused) continue;
    stand.push_back(program->id());
    if (std::find(stood_.begin(), stood_.end(), program->id()) != stood_.end()) continue;
    for (ShownProgram* rank : job_of(*program)) {
      if (rank != program.get() && rank->status().mode == RunMode::running) rank->pause();
    }
  }
  stood_ = std::move(stand);
}

void Debuggee::still_here() {
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (AttachedProgram* const program = attached(i)) program->program().still_here();
  }
}

std::string Debuggee::take_news() {
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    AttachedProgram* const program = attached(i);
    std::string news = program != nullptr ? program->program().take_notice() : std::string();
    if (!news.empty()) return i == focus_ ? news : program->title() + ": " + news;
  }
  return {};
}

}  // namespace tapescope::ui
