// Wires session, ingest, run control and recordings together.
#include "viewer/app/debuggee.h"

#include <filesystem>

#include "viewer/app/headless.h"
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

void Debuggee::run() {
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

void Debuggee::close_recording() {
  opened_.reset();
  recording_ = nullptr;
}

void Debuggee::set_thresholds(const AlertThresholds& thresholds) {
  thresholds_ = thresholds;
  ingest_.set_thresholds(thresholds);
  if (opened_) opened_->set_thresholds(thresholds);
}

RunRequest Debuggee::recorded_request() const {
  if (!recording_) return {};
  RunRequest request = request_of(recording_->without_results().facts);
  if (request.sample.empty()) request.sample = std::filesystem::path(path_).stem().string();
  return request;
}

RunStatus Debuggee::status() const {
  if (!recording_) return control_.status();
  const RecordingSource::State state = recording_->without_results();
  RunStatus status;
  status.mode = state.caught_up ? RunMode::finished : RunMode::running;
  // Apart from those that the run control gives.
  constexpr std::uint64_t kRecordings = std::uint64_t{1} << 32;
  status.generation = kRecordings + openings_;
  status.step = snapshot(0)->steps.size();
  status.steps = status.step;
  if (const RunRequest request = request_of(state.facts); request.options.steps) {
    status.steps = static_cast<std::uint64_t>(*request.options.steps);
  }
  status.error = state.loss;
  return status;
}

bool Debuggee::at_rest() const { return recording_ ? recording_->without_results().caught_up : control_.wait_at_rest(0); }

HeadlessRun Debuggee::so_far() const {
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
