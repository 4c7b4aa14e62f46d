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
    const HeadlessRun run = read_recording(path);
    const ProcessClock clock = clock_of(run.facts, run.snapshots[0].get());
    if (!run.snapshots[0] || run.snapshots[0]->recent.empty() || clock.first_ticks == 0) {
      throw Error(
          ErrorKind::surroundings,
          fmt::format("no step of {} came to its end, so there is nothing to export; let it run longer",
                      path));
    }
    if (!share_clock(clocks.empty() ? clock : clocks.front(), clock)) {
      throw Error(
          ErrorKind::surroundings,
          fmt::format(
              "{} was recorded by a machine with another clock than {}; processes share one only where they "
              "run on one machine, export them one by one",
              path, recordings.front()));
    }
    traces.push_back(
        {.pid = clock.pid, .name = run.request.sample, .offset_us = 0, .steps = run.snapshots[0]->recent});
    clocks.push_back(clock);
  }
  const auto offsets = offsets_us(clocks, 0);
  for (std::size_t i = 0; i < traces.size(); ++i) traces[i].offset_us = offsets[i].value_or(0);
  return traces;
}

}  // namespace tapescope
