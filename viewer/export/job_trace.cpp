// Reads them one after the other and puts each where its first event came.
#include "viewer/export/job_trace.h"

#include <fmt/format.h>

#include "engine/core/error.h"
#include "viewer/debugger/recording.h"
#include "viewer/model/clock_alignment.h"
#include "viewer/model/job.h"
#include "viewer/model/units.h"

namespace tapescope {

std::vector<ProcessTrace> job_traces(const std::vector<std::string>& recordings) {
  std::vector<ProcessTrace> traces;
  std::vector<ClockMember> clocks;
  std::vector<std::vector<ExchangeTime>> exchanges;
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
    traces.push_back({.pid = clock.pid,
                      .name = recordings.size() > 1 ? run.request.sample : std::string(),
                      .offset_us = 0,
                      .step_base = run.snapshots[0]->step_base,
                      .steps = std::move(steps)});
    const JobPlace place = place_in_job(run.facts);
    clocks.push_back({clock, place.rank && place.job.empty() ? "job" : place.job});
    exchanges.push_back(run.snapshots[0] ? exchange_times(*run.snapshots[0]) : std::vector<ExchangeTime>());
  }
  const auto places = place_clocks(clocks, 0, [&](std::size_t i) { return exchanges[i]; });
  for (std::size_t i = 0; i < traces.size(); ++i) {
    if (!places[i].offset_us && clocks[i].clock.first_ticks != 0) {
      throw Error(
          ErrorKind::surroundings,
          fmt::format(
              "{} was recorded by a machine with another clock than {}, and they saw no exchange that would "
              "align the two; export them one by one",
              recordings[i], recordings.front()));
    }
    traces[i].offset_us = places[i].offset_us.value_or(0);
    if (places[i].exchanges > 0)
      traces[i].name += fmt::format(" (clock aligned within {})", format_us(places[i].error_us));
  }
  return traces;
}

}  // namespace tapescope
