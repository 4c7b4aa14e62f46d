// Answers about several recordings of one job: what explain, check and report say of them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "viewer/export/report_json.h"

namespace tapescope {

struct JobAnswer {
  Json document;
  std::string text;
  int code = 0;  // exit code
};

// Each reads the recordings one after the other. Throws UsageError where they are not of one job, and what
// reading a recording throws.
JobAnswer explain_job(const std::vector<std::string>& recordings);
JobAnswer report_job(const std::vector<std::string>& recordings);
// Fires for alerts of these kinds in any rank, and for what only a look at all ranks shows. `of_all`: the
// kinds were not named by the user.
JobAnswer check_job(const std::vector<std::string>& recordings, const std::vector<std::string>& kinds,
                    bool of_all);

}  // namespace tapescope
