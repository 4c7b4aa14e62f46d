// Wires session, ingest, run control and recordings together.
#include "viewer/app/debuggee.h"

#include <filesystem>
#include <utility>

#include "viewer/app/headless.h"
#include "viewer/app/live_program.h"
#include "viewer/app/recording.h"
#include "viewer/app/spool.h"
#include "viewer/store/recording_source.h"

namespace tapescope::ui {

Debuggee::Debuggee(std::function<void()> wake)
    : wake_(std::move(wake)), spool_(std::make_unique<Spool>()), ingest_(session_, {}, spool_.get()), findings_(wake_) {
  ingest_.on_publish(wake_);
  control_.on_change(wake_);
  session_.start();
}

Debuggee::~Debuggee() {
  // A writer blocked by a full buffer needs its reader until its thread has ended.
  control_.stop();
  control_.wait_at_rest(5);
  session_.stop();
}

std::shared_ptr<const Snapshot> Debuggee::snapshot(int program) const {
  auto snapshot = shown().store(program).snapshot();
  return program == 0 ? findings_.told(snapshot) : snapshot;
}

void Debuggee::load(const RunRequest& request) {
  control_.load(request);
  close_recording();
  control_.wait_at_rest(5);
  ingest_.clear();
}

const Ingest& Debuggee::shown() const {
  if (live_) return live_->ingest();
  return opened_ ? *opened_ : ingest_;
}

void Debuggee::run() {
  if (live_) return live_->run();
  const RunMode mode = control_.status().mode;
  if (mode == RunMode::idle || mode == RunMode::finished) ingest_.clear();
  control_.run();
}

void Debuggee::open(const std::string& path) {
  // Standard input ends by itself; a file may be one that is still written.
  record::RecordingReader reader = record::RecordingReader::open(path, {.follow = path != "-"});
  reader.check_header();
  control_.stop();
  control_.wait_at_rest(5);
  close_recording();
  auto source = std::make_unique<RecordingSource>(std::move(reader));
  recording_ = source.get();
  path_ = path;
  ++openings_;
  opened_ = std::make_unique<Ingest>(std::move(source), StoreOptions{.thresholds = thresholds_});
  opened_->on_publish(wake_);
}

void Debuggee::attach(const std::string& which) {
  // Somebody may attach anew to the program that is shown: its one place is needed.
  if (live_ && !live_->let_go() && live::find_listener(which) == live_->path()) live_->detach();
  auto spool = std::make_unique<Spool>();
  auto program = std::make_unique<LiveProgram>(which, wake_, StoreOptions{.thresholds = thresholds_}, spool.get());
  control_.stop();
  control_.wait_at_rest(5);
  close_recording();
  ++openings_;
  live_spool_ = std::move(spool);
  live_ = std::move(program);
}

void Debuggee::detach() {
  if (live_) live_->detach();
}

void Debuggee::still_here() {
  if (live_) live_->still_here();
}

std::string Debuggee::take_news() {
  if (!live_) return {};
  // The rules are the run control's as well, so that they stay when something else is shown; the program counts their hits.
  control_.set_breakpoints(live_->breakpoints());
  return live_->take_notice();
}

std::string Debuggee::seek(std::uint64_t cursor) {
  if (recording_) return places_.seek(cursor);
  live_ ? live_->seek(cursor) : control_.seek(cursor);
  return {};
}

std::string Debuggee::step_nodes(std::int64_t nodes) {
  if (recording_) return places_.step_nodes(nodes);
  live_ ? live_->step_nodes(nodes) : control_.step_nodes(nodes);
  return {};
}

std::string Debuggee::step_into() {
  if (recording_) return places_.step_into();
  live_ ? live_->step_into() : control_.step_into();
  return {};
}

std::string Debuggee::step_training(std::uint64_t steps) {
  if (recording_) return places_.step_training(steps);
  live_ ? live_->step_training(steps) : control_.step_training(steps);
  return {};
}

std::string Debuggee::run_to_op(std::string_view op) {
  if (recording_) return places_.run_to_op(op);
  Breakpoint at{Breakpoint::Kind::op, std::string(op)};
  live_ ? live_->run_until(std::move(at)) : control_.run_until(std::move(at));
  return {};
}

std::string Debuggee::stop() {
  if (recording_) places_.leave();
  else control_.stop();
  return {};
}

void Debuggee::pause() { live_ ? live_->pause() : control_.pause(); }

void Debuggee::set_breakpoints(std::vector<BreakRule> rules) {
  control_.set_breakpoints(std::move(rules));
  if (live_) live_->set_breakpoints(control_.breakpoints());
}

std::vector<BreakRule> Debuggee::breakpoints() const { return live_ ? live_->breakpoints() : control_.breakpoints(); }

void Debuggee::close_recording() {
  findings_.forget();
  live_.reset();
  live_spool_.reset();
  opened_.reset();
  recording_ = nullptr;
  places_ = {};
  recorded_.reset();
  placed_ = false;
}

void Debuggee::catch_up() {
  if (live_) return;
  if (!recording_) {
    const RunStatus now = control_.status();
    const bool ran = now.mode == RunMode::paused || now.mode == RunMode::finished;
    const auto snapshot = ingest_.store(0).snapshot();
    if (ran && snapshot->idle && control_.wait_at_rest(0)) findings_.search(now.generation, control_.request(), snapshot);
    return;
  }
  const RecordingSource::State state = recording_->without_results();
  places_.update(state.values);
  if (!state.caught_up) return;
  if (std::exchange(placed_, true)) return;
  flush();  // what was found is of the last step: it is to be there
  recorded_ = std::make_unique<HeadlessRun>(so_far());
  if (const auto step = snapshot(0)->complete) findings_.know(step->step, recorded_->origins[0], recorded_->zeros[0]);
  if (const std::optional<PausedAt> at = paused_at(state.facts)) places_.go_to(at->step, at->place);
}

const RunRequest& Debuggee::request() const { return recorded_ ? recorded_->request : control_.request(); }

const ProgramResult& Debuggee::result(int program) const {
  return recorded_ ? recorded_->programs[program] : control_.result(program);
}

const ComparisonResult& Debuggee::comparison() const { return recorded_ ? recorded_->comparison : control_.comparison(); }

void Debuggee::set_thresholds(const AlertThresholds& thresholds) {
  thresholds_ = thresholds;
  ingest_.set_thresholds(thresholds);
  if (opened_) opened_->set_thresholds(thresholds);
  if (live_) live_->ingest().set_thresholds(thresholds);
}

RunRequest Debuggee::recorded_request() const {
  if (live_) return request_of({{"name", live_->greeting().name}});
  if (!recording_) return {};
  RunRequest request = request_of(recording_->without_results().facts);
  if (request.sample.empty()) request.sample = std::filesystem::path(path_).stem().string();
  return request;
}

RunStatus Debuggee::status() const {
  // Apart from those that the run control gives.
  constexpr std::uint64_t kOpenings = std::uint64_t{1} << 32;
  if (live_) {
    RunStatus status = live_->status();
    status.generation = kOpenings + openings_;
    return status;
  }
  if (!recording_) return control_.status();
  const RecordingSource::State state = recording_->without_results();
  RunStatus status;
  status.mode = state.caught_up ? RunMode::finished : RunMode::running;
  status.generation = kOpenings + openings_;
  status.step = snapshot(0)->steps.size();
  status.steps = status.step;
  if (const std::uint64_t planned = planned_steps(state.facts); planned > 0) status.steps = planned;
  if (places_.frame()) {
    status.mode = RunMode::paused;
    status.frame = places_.frame();
  }
  status.error = state.loss;
  return status;
}

bool Debuggee::at_rest() const {
  if (live_) return live_->at_rest();
  return recording_ ? recording_->without_results().caught_up : control_.wait_at_rest(0);
}

HeadlessRun Debuggee::so_far() const {
  if (live_) return run_of_recording(live_->source().state(), {snapshot(0), snapshot(1)});
  if (recording_) return run_of_recording(recording_->state(), {snapshot(0), snapshot(1)});
  HeadlessRun run;
  run.request = control_.request();
  run.steps = control_.status().step;
  run.comparison = control_.comparison();
  run.failure = control_.failure();
  run.interrupted = control_.status().mode != RunMode::finished;
  for (int i = 0; i < kPrograms; ++i) {
    run.programs[i] = control_.result(i);
    if (i == 0 || !run.request.compare_with.empty()) run.snapshots[i] = snapshot(i);
  }
  run.origins[0] = findings_.origin();
  run.zeros[0] = findings_.zeros(*run.snapshots[0]);
  return run;
}

std::string Debuggee::save(const std::string& path) {
  if (recording_) {
    if (path_ == "-") {
      throw Error(ErrorKind::surroundings, "cannot save what came from standard input, which is read once; write it to a file on its way, as "
                                           "with tee run.tape, and open that");
    }
    std::error_code wrong;
    std::filesystem::copy_file(path_, path, std::filesystem::copy_options::overwrite_existing, wrong);
    if (wrong) {
      throw Error(ErrorKind::surroundings, "cannot save " + path_ + " as " + path + " (" + wrong.message() +
                                               "); give a path in a folder that can be written to");
    }
    return recording_->without_results().loss;
  }
  flush();
  if (live_) {
    const RunStatus now = live_->status();
    const bool ended = now.mode == RunMode::finished && !live_->let_go();
    return live_spool_->save(path, live_->source().without_results().facts, {}, {},
                             !now.error.empty() ? now.error : ended ? "finished" : "interrupted", snapshot(0)->lost_events);
  }
  const RunStatus now = control_.status();
  const HeadlessRun run = so_far();
  record::ProgramFacts facts = facts_of(run.request);
  note_planned_steps(facts, now.steps);
  record::ValueKeeper keeper(record::ValueOptions{});
  if (now.frame) {
    note_paused_at(facts, {now.frame->step, {now.frame->cursor, now.frame->frame.inner}});
    control_.keep_values({now.frame->step}, keeper);
  } else if (now.step > 0 || control_.failure()) {
    control_.keep_values({control_.failure() ? now.step : now.step - 1}, keeper);
  }
  while (!control_.wait_at_rest(1)) {
  }
  return spool_->save(path, facts, results_of(run), keeper.take(), ending_of(run), dropped());
}

}  // namespace tapescope::ui
