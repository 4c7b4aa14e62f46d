// What an attached program sends, kept in a spool so that it can be saved.
#include "viewer/debugger/attached_program.h"

#include "engine/recording/process_facts.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/recording.h"
#include "viewer/debugger/spool.h"
#include "viewer/store/recording_source.h"

namespace tapescope::ui {

AttachedProgram::AttachedProgram(std::uint64_t id, const std::string& which,
                                 const std::function<void()>& wake, const AlertThresholds& thresholds)
    : ShownProgram(id),
      spool_(std::make_unique<Spool>()),
      look_([this](const RecordSink& sink) { spool_->replay(sink); },
            [this](std::string_view file) { return source_paths(file); }, wake) {
  StoreOptions options = store_options(thresholds);
  options.summaries = kSummariesOfRunning;
  program_ = std::make_unique<LiveConnection>(which, wake, options, spool_.get());
}

AttachedProgram::~AttachedProgram() = default;

RunRequest AttachedProgram::described() const { return request_of({{"name", program_->greeting().name}}); }

ProcessClock AttachedProgram::clock() const {
  return clock_of(*program_->source().without_results().facts, snapshot(0).get());
}

std::string AttachedProgram::framework() const {
  return record::framework_text(*program_->source().without_results().facts);
}

JobPlace AttachedProgram::place() const { return place_in_job(*program_->source().without_results().facts); }

std::vector<std::string> AttachedProgram::source_paths(std::string_view file) const {
  return program_->source_paths(file);
}

RunStatus AttachedProgram::status() const {
  RunStatus status = program_->status();
  status.generation = own_generation();
  status.unseen = unseen_by(*program_->source().without_results().facts);
  return status;
}

HeadlessRun AttachedProgram::so_far() const {
  return run_of_recording(program_->source().state(), {snapshot(0), snapshot(1)});
}

std::string AttachedProgram::save(const std::string& path) {
  flush();
  const RunStatus now = program_->status();
  const bool ended = now.mode == RunMode::finished && !program_->let_go();
  return spool_->save(path, *program_->source().without_results().facts, {}, {},
                      !now.error.empty() ? now.error
                      : ended            ? "finished"
                                         : "interrupted",
                      snapshot(0)->lost_events);
}

void AttachedProgram::run() {
  look_.leave();
  program_->run();
}

std::string AttachedProgram::seek(std::uint64_t cursor) {
  look_.leave();
  program_->seek(cursor);
  return {};
}

std::string AttachedProgram::step_nodes(std::int64_t nodes) {
  look_.leave();
  program_->step_nodes(nodes);
  return {};
}

std::string AttachedProgram::step_into() {
  look_.leave();
  program_->step_into();
  return {};
}

std::string AttachedProgram::step_training(std::uint64_t steps) {
  look_.leave();
  program_->step_training(steps);
  return {};
}

std::string AttachedProgram::run_to_op(std::string_view op) {
  look_.leave();
  program_->run_until({.kind = Breakpoint::Kind::op, .text = std::string(op)});
  return {};
}

std::string AttachedProgram::why_unread(std::uint64_t) const {
  if (look_.step()) return "the program is past this step, and no values of it were kept";
  return program_->why_unread();
}

const HeadlessRun& AttachedProgram::results() const {
  if (!results_ || results_->snapshots[0] != snapshot(0)) results_ = std::make_unique<HeadlessRun>(so_far());
  return *results_;
}

const RunRequest& AttachedProgram::request() const { return results().request; }
const ProgramResult& AttachedProgram::result(int program) const { return results().programs[program]; }
const ComparisonResult& AttachedProgram::comparison() const { return results().comparison; }

}  // namespace tapescope::ui
