// Wires session, ingest, run control and recordings together.
#include "viewer/app/debuggee.h"

#include <filesystem>

#include "viewer/app/headless.h"
#include "viewer/app/live_program.h"
#include "viewer/app/recording.h"
#include "viewer/app/spool.h"
#include "viewer/store/recording_source.h"

namespace tapescope::ui {

Debuggee::Debuggee(std::function<void()> wake) : wake_(std::move(wake)), spool_(std::make_unique<Spool>()), ingest_(session_, {}, spool_.get()) {
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
  auto program = std::make_unique<LiveProgram>(which, wake_, StoreOptions{.thresholds = thresholds_});
  control_.stop();
  control_.wait_at_rest(5);
  close_recording();
  ++openings_;
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
  live_ ? live_->seek(cursor) : control_.seek(cursor);
  return {};
}

std::string Debuggee::step_nodes(std::int64_t nodes) {
  live_ ? live_->step_nodes(nodes) : control_.step_nodes(nodes);
  return {};
}

std::string Debuggee::step_into() {
  live_ ? live_->step_into() : control_.step_into();
  return {};
}

std::string Debuggee::step_training(std::uint64_t steps) {
  live_ ? live_->step_training(steps) : control_.step_training(steps);
  return {};
}

std::string Debuggee::run_to_op(std::string_view op) {
  Breakpoint at{Breakpoint::Kind::op, std::string(op)};
  live_ ? live_->run_until(std::move(at)) : control_.run_until(std::move(at));
  return {};
}

std::string Debuggee::stop() {
  control_.stop();
  return {};
}

void Debuggee::pause() { live_ ? live_->pause() : control_.pause(); }

void Debuggee::set_breakpoints(std::vector<BreakRule> rules) {
  control_.set_breakpoints(std::move(rules));
  if (live_) live_->set_breakpoints(control_.breakpoints());
}

std::vector<BreakRule> Debuggee::breakpoints() const { return live_ ? live_->breakpoints() : control_.breakpoints(); }

void Debuggee::close_recording() {
  live_.reset();
  opened_.reset();
  recording_ = nullptr;
}

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
  if (const RunRequest request = request_of(state.facts); request.options.steps) {
    status.steps = static_cast<std::uint64_t>(*request.options.steps);
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
  return run;
}

std::string Debuggee::save(const std::string& path) {
  if (recording_) {
    std::error_code wrong;
    std::filesystem::copy_file(path_, path, std::filesystem::copy_options::overwrite_existing, wrong);
    if (wrong) {
      throw Error(ErrorKind::surroundings, "cannot save " + path_ + " as " + path + " (" + wrong.message() +
                                               "); give a path in a folder that can be written to");
    }
    return recording_->without_results().loss;
  }
  flush();
  const HeadlessRun run = so_far();
  return spool_->save(path, facts_of(run.request), results_of(run), ending_of(run), dropped());
}

}  // namespace tapescope::ui
