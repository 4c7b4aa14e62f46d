// What a look at all ranks of a job shows: job.h.
#pragma once
#include <span>
#include <vector>

#include "viewer/model/job.h"

namespace tapescope {

// `ranks` ascending; `report` has their rows and counts. Most important first: diverged, what some ranks have
// alone, stragglers.
std::vector<JobFinding> job_findings(std::span<const JobRank* const> ranks, const JobReport& report);

}  // namespace tapescope
