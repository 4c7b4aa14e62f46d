// Wires session, ingest and run control together.
#include "viewer/debugger/sample_program.h"

#include <fmt/format.h>

#include "engine/events/clock.h"
#include "engine/parallel/transport.h"
#include "engine/recording/process_facts.h"
#include "viewer/debugger/headless.h"
#include "viewer/debugger/recording.h"
#include "viewer/debugger/spool.h"

namespace tapescope::ui {
namespace {

constexpr std::uint64_t kMostValues = 512u << 20;  // bytes of a step's tensors that the inspector holds

}  // namespace

SampleProgram::SampleProgram(const std::function<void()>& wake)
    : ShownProgram(0),
      facts_(record::process_facts()),
      spool_(std::make_unique<Spool>()),
      ingest_(session_, {.summaries = kSummariesOfRunning, .source_paths = source_paths_here, .step_base = 1},
              spool_.get()),
      look_([this](const RecordSink& sink) { spool_->replay(sink); }, source_paths_here, wake) {
  ingest_.on_publish(wake);
  control_.on_change(wake);
  session_.start();
}

SampleProgram::~SampleProgram() {
  // A writer blocked by a full buffer needs its reader until its thread has ended.
  control_.stop();
  control_.wait_at_rest(5);
  session_.stop();
}

void SampleProgram::load(const RunRequest& request) {
  look_.leave();
  RunRequest bounded = request;
  bounded.kept_steps = kSummariesOfRunning;
  control_.load(bounded);
  control_.wait_at_rest(5);
  ingest_.clear();
}

void SampleProgram::end() {
  control_.stop();
  control_.wait_at_rest(5);
}

ProcessClock SampleProgram::clock() const {
  record::ProgramFacts facts = facts_;
  facts["tick_ns"] = fmt::format("{}", nanoseconds_per_tick());
  return clock_of(facts, ingest_.store(0).snapshot().get());
}

std::shared_ptr<const Snapshot> SampleProgram::snapshot(int program) const {
  return ingest_.store(program).snapshot();
}

void SampleProgram::run() {
  look_.leave();
  const RunMode mode = control_.status().mode;
  if (mode == RunMode::idle || mode == RunMode::finished) ingest_.clear();
  control_.run();
}

std::string SampleProgram::stop() {
  look_.leave();
  control_.stop();
  return {};
}

std::string SampleProgram::seek(std::uint64_t cursor) {
  look_.leave();
  control_.seek(cursor);
  return {};
}

std::string SampleProgram::step_nodes(std::int64_t nodes) {
  look_.leave();
  control_.step_nodes(nodes);
  return {};
}

std::string SampleProgram::step_into() {
  look_.leave();
  control_.step_into();
  return {};
}

std::string SampleProgram::step_training(std::uint64_t steps) {
  look_.leave();
  control_.step_training(steps);
  return {};
}

std::string SampleProgram::run_to_op(std::string_view op) {
  look_.leave();
  control_.run_until({Breakpoint::Kind::op, std::string(op)});
  return {};
}

HeadlessRun SampleProgram::so_far() const {
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

std::shared_ptr<const KeptFrames> SampleProgram::kept(std::uint64_t step) {
  if (reader_ && read_generation_ != control_.status().generation) reader_.reset();
  auto kept = reader_ ? reader_->take() : nullptr;
  return kept && kept->step == step ? kept : nullptr;
}

std::string SampleProgram::why_unread(std::uint64_t) const {
  const RunMode mode = control_.status().mode;
  if (mode == RunMode::running) return "the program runs; pause it first";
  if (parallel::exchanges_with_others())
    return "it exchanges gradients with other processes, so it cannot run a step by itself";
  return mode == RunMode::idle ? "nothing has run" : "";
}

void SampleProgram::read_values(std::uint64_t step) {
  reader_ = std::make_shared<FrameReader>(kMostValues);
  read_generation_ = control_.status().generation;
  control_.visit({step}, reader_);
}

std::vector<std::string> SampleProgram::source_paths(std::string_view file) const {
  return source_paths_here(file);
}

std::string SampleProgram::save(const std::string& path) {
  flush();
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
