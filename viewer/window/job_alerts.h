// What a look at all ranks of a job finds, among the alerts of the rank that is shown.
#pragma once
#include <cstdint>
#include <memory>

#include "viewer/model/job.h"
#include "viewer/store/snapshot.h"

namespace tapescope::ui {

class JobAlerts {
 public:
  // `snapshot`, which may be null, with an alert first for each finding that is of no rank alone: replicas
  // that differ, a straggler. Itself where there are none. May be what it returned before. `made` is another
  // number with each other report.
  std::shared_ptr<const Snapshot> put_into(std::shared_ptr<const Snapshot> snapshot, const JobReport& report,
                                           std::uint64_t made);

 private:
  std::shared_ptr<const Snapshot> of_, completed_;
  std::uint64_t made_ = 0;
};

}  // namespace tapescope::ui
