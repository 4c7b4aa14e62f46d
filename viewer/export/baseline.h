// An earlier run's JSON document, as far as a run is compared with it.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "viewer/model/report.h"

namespace tapescope {

struct Baseline {
  std::string sample, variant;
  double median = 0, p90 = 0;  // microseconds a step; 0 where the run had none
  std::optional<std::int64_t> recorded, backward_ops, saved_bytes;
};

// Nothing where the text is no run document. Fields of another type than a run's are passed over.
std::optional<Baseline> read_baseline(const std::string& json);

// What got worse, a sentence each: time beyond noise, and counts that do not depend on the machine.
std::vector<std::string> regressions(const RunReport& report, const Baseline& then);

}  // namespace tapescope
