// Reads them one after the other and puts each where its first event came.
#include "viewer/export/job_trace.h"

#include <fmt/format.h>

#include "engine/core/error.h"
#include "viewer/debugger/recording.h"
#include "viewer/model/job_clock.h"

namespace tapescope {

std::vector<ProcessTrace> job_traces(const std::vector<std::string>& recordings) {
  std::vector<ProcessTrace> traces;
  std::vector<ProcessClock> clocks;
  for (const std::string& path : recordings) {
    const HeadlessRun run = read_all_steps(path);
    const ProcessClock clock = clock_of(run.facts, run.snapshots[0].get());
    std::vector<std::shared_ptr<const StepView>> steps;
    if (const Snapshot* snapshot = run.snapshots[0].get()) {
      steps = snapshot->recent;
      // A program that marks no steps is one.
      if (steps.empty() && snapshot->complete) steps.push_back(snapshot->complete);
    }
    if (steps.empty()) {
      throw Error(
          ErrorKind::surroundings,
          fmt::format("no step of {} came to its end, so there is nothing to export; let it run longer",
                      path));
    }
    if (!clocks.empty() && !share_clock(clocks.front(), clock)) {
      throw Error(
          ErrorKind::surroundings,
          fmt::format(
              "{} was recorded by a machine with another clock than {}; processes share one only where they "
              "run on one machine, export them one by one",
              path, recordings.front()));
    }
    traces.push_back({.pid = clock.pid,
                      .name = recordings.size() > 1 ? run.request.sample : std::string(),
                      .offset_us = 0,
                      .step_base = run.snapshots[0]->step_base,
                      .steps = std::move(steps)});
    clocks.push_back(clock);
  }
  const auto offsets = offsets_us(clocks, 0);
  for (std::size_t i = 0; i < traces.size(); ++i) traces[i].offset_us = offsets[i].value_or(0);
  return traces;
}

}  // namespace tapescope
