// The JSON of a job of several processes.
#pragma once
#include "viewer/export/report_json.h"
#include "viewer/model/job.h"

namespace tapescope {

// {"job", "size", "compared_steps", "timed_steps", "missing": [rank], "ranks": [{"rank", "recording", "host",
// "steps", "step_us", "compute_us", "exchange_us", "slowest", "loss", "waits_in", "waits_at"}], "findings":
// [{"kind", "subject", "ranks", "step", "message", "location", "fix"}]}; of a finding that is an alert of
// some ranks alone "kind" is "only" and "alert" the alert's kind.
Json json_of(const JobReport& report);

}  // namespace tapescope
