// Runs a sample without a window and gathers what the reports show.
#include "viewer/debugger/headless.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>

#include <fmt/format.h>
#include <unistd.h>

#include "engine/recording/environment.h"
#include "viewer/debugger/comparison.h"
#include "viewer/debugger/recording.h"
#include "viewer/model/advice.h"
#include "viewer/model/complain.h"
#include "viewer/store/ingest.h"

namespace tapescope {
namespace {

// A line on standard error that is rewritten in place; nothing where that is no terminal.
class Progress {
 public:
  Progress() : on_(isatty(STDERR_FILENO) != 0) {}
  ~Progress() { show({}); }
  void show(const std::string& text) {
    if (!on_ || text == shown_) return;
    fmt::print(stderr, "\r{}\x1b[K", text);
    std::fflush(stderr);
    shown_ = text;
  }

 private:
  bool on_;
  std::string shown_;
};

std::string failure_text(const std::exception_ptr& failure) {
  if (!failure) return {};
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    return error.what();
  }
}

// Of the steps that ran, the one that failed included.
std::vector<record::Bytes> values_of(RunControl& control, const record::ValueOptions& options) {
  const std::uint64_t steps = control.status().step + (control.failure() ? 1 : 0);
  record::ValueKeeper keeper(options);
  control.keep_values(options.rule.steps_of(steps), keeper);
  while (!control.wait_at_rest(1)) {
  }
  return keeper.take();
}

}  // namespace

// The one thing a handler can reach. Blocking the signals instead would not do: threads that libraries made
// before main do not inherit the mask and would be hit.
static std::atomic<int>& interrupts_seen() {
  static std::atomic<int> seen{0};
  return seen;
}

Interrupts::Interrupts() {
  interrupts_seen() = 0;
  struct sigaction action {};
  action.sa_handler = [](int) { interrupts_seen().fetch_add(1, std::memory_order_relaxed); };
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  sigaction(SIGINT, &action, &interrupt_before_);
  sigaction(SIGTERM, &action, &terminate_before_);
}

Interrupts::~Interrupts() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
}

bool Interrupts::take() { return interrupts_seen().exchange(0) > 0; }

HeadlessRun run_headless(const RunRequest& request, const std::string& record,
                         const record::ValueOptions& values) {
  Interrupts interrupts;
  HeadlessRun run;
  std::optional<record::Recorder> recorder;
  std::optional<RecorderTap> tap;
  std::optional<Session> session;
  std::optional<Ingest> ingest;
  if (!record.empty()) {
    try {
      recorder.emplace(record::open_sink(record::recording_path(record)), facts_of(request));
      tap.emplace(*recorder);
    } catch (const Error& error) {
      run.record_failure = error.what();
      complain(run.record_failure);
    }
  }
  if (request.events) {
    session.emplace(SessionOptions{.policy = FullPolicy::block});
    session->start();
    ingest.emplace(*session, StoreOptions{.source_paths = source_paths_here, .step_base = 1},
                   tap ? &*tap : nullptr);
  }
  {
    RunControl control(false);
    control.load(request);
    control.run();
    Progress progress;
    while (!control.wait_at_rest(0.05)) {
      const RunStatus status = control.status();
      if (interrupts.take()) {
        if (run.interrupted) std::_Exit(130);  // the second one means now, as shells do
        run.interrupted = true;
      }
      if (run.interrupted) control.finish_early();
      progress.show(run.interrupted ? "stopping after this step ..."
                                    : fmt::format("step {} of {}", status.step, status.steps));
    }
    run.request = control.request();
    run.steps = control.status().step;
    run.planned = control.status().steps;
    run.failure = control.failure();
    for (int p = 0; p < 2; ++p) run.programs[p] = control.result(p);
    run.comparison = control.comparison();
    if (recorder) recorder->add_values(values_of(control, values));
  }
  if (ingest) {
    session->stop();
    ingest->flush();
    ingest->stop();
    for (int p = 0; p < 2; ++p) run.snapshots[p] = ingest->store(p).snapshot();
  }
  const std::uint64_t lost_stats = session ? session->lost_stats() : 0, lost = session ? session->lost() : 0;
  ingest.reset();
  session.reset();
  run.ending = {.program = record::ending_of_reason(ending_of(run))};
  if (recorder) {
    record::ProgramFacts facts = facts_of(run.request);
    note_planned_steps(facts, run.planned);
    recorder->finish(ending_of(run), results_of(run), facts, lost, lost_stats);
    run.record_failure = recorder->failure();
    if (!run.record_failure.empty()) complain(run.record_failure);
  }
  return run;
}

std::uint64_t default_steps_of(const RunRequest& request) {
  const SampleInfo& info = find_sample(request.sample);
  return static_cast<std::uint64_t>(info.make(checked_options(info, request.options))->default_steps());
}

RunReport report_of(const HeadlessRun& run, int program) {
  const ProgramResult& result = run.programs[program];
  RunReport report;
  report.sample = run.request.sample;
  report.variant = program == 0 ? run.request.options.variant : run.request.compare_with;
  report.seed = run.request.options.seed;
  report.threads = run.request.options.threads;
  report.steps = result.step_us.size() + result.left;
  const auto& shown = run.snapshots[program];
  if (shown && report.steps == shown->steps.size()) report.steps = shown->steps.count();
  report.loss = result.loss;
  if (result.loss.size() == result.step_us.size()) report.losses_left = result.left;
  report.metrics = result.metrics;
  for (const SampleOutput& output : result.outputs) report.outputs.push_back({output.name, output.value});
  for (const SampleError& error : result.errors) report.errors.push_back({error.where, error.message});
  report.failure = failure_text(run.failure);
  report.forward = report.backward = report.update = quantiles_of({});
  add_step_times(report, result.step_us);
  if (shown) add_events(report, *shown);
  if (run.origins[program])
    apply_origin(*run.origins[program], report.alerts, run.snapshots[program]->step_base);
  for (const ZeroProof& proof : run.zeros[program])
    apply_proof(*run.snapshots[program]->complete, proof, report.gradients);
  report.ending = run.ending;
  report.unseen = unseen_by(run.facts);
  // The snapshot of a recording in the window has it already.
  const bool known = std::any_of(report.alerts.begin(), report.alerts.end(),
                                 [](const AlertRow& alert) { return alert.kind == kTruncated; });
  if (const std::optional<AlertRow> alert = alert_of(run.ending); alert && !known)
    report.alerts.push_back(*alert);
  return report;
}

Comparison comparison_of(const HeadlessRun& run) {
  Comparison c;
  c.a = report_of(run, 0);
  c.b = report_of(run, 1);
  add_results(c, run.comparison);
  if (run.snapshots[0] && run.snapshots[1]) {
    add_ratios(c, run.snapshots[0]->steps, run.snapshots[1]->steps);
    if (run.snapshots[0]->complete && run.snapshots[1]->complete) {
      add_alignment(c, *run.snapshots[0]->complete, *run.snapshots[1]->complete);
    }
  } else {
    add_ratios(c, run.programs[0].step_us, run.programs[1].step_us);
  }
  measure(c.a.advice, c.b.advice, c.step, c.a.step.median);
  c.verdict = verdict_of(c);
  return c;
}

}  // namespace tapescope
