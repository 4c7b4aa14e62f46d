// Recordings of several programs, or of the processes of one job, on one clock: that of their machine, or of
// several machines whose ranks exchanged.
#pragma once
#include <string>
#include <vector>

#include "viewer/export/export.h"

namespace tapescope {

// One for each recording, in their order; their offsets count from the event that came first of all. Throws
// Error (surroundings) for what is no recording, holds no whole step, or was recorded by a machine with
// another clock than the first and saw no exchange with it (model/clock_alignment.h).
std::vector<ProcessTrace> job_traces(const std::vector<std::string>& recordings);

}  // namespace tapescope
