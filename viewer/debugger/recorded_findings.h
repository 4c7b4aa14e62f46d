// What a recording says of its run beside the records. Older ones hold the results of a second run, which
// named the op that made the first value that is not finite, and those that made zeros. All say how it ended.
#pragma once
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "viewer/store/nonfinite.h"
#include "viewer/store/zero_reason.h"

namespace tapescope {

class RecordedFindings {
 public:
  // Of the run, and of the step, which is its last one.
  void know(std::uint64_t last_step, std::optional<NonFiniteOrigin> origin, std::vector<ZeroProof> zeros);
  // The alert of a run that did not end well; none takes it back.
  void know_end(std::optional<AlertRow> alert);
  // The snapshot with what is known put into its alerts and gradients; itself where nothing is. Any thread.
  std::shared_ptr<const Snapshot> with_findings(const std::shared_ptr<const Snapshot>& snapshot) const;

 private:
  mutable std::mutex mutex_;
  std::optional<NonFiniteOrigin> origin_;
  std::optional<std::uint64_t> zeros_step_;
  std::vector<ZeroProof> zeros_;
  std::optional<AlertRow> end_;
  // What with_findings() answered last, and from what.
  mutable std::shared_ptr<const Snapshot> completed_of_, completed_;
};

}  // namespace tapescope
