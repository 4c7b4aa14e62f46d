// Copies of snapshots with answers put in.
#include "viewer/debugger/recorded_findings.h"

#include <utility>

namespace tapescope {

void RecordedFindings::know(std::uint64_t last_step, std::optional<NonFiniteOrigin> origin,
                            std::vector<ZeroProof> zeros) {
  std::lock_guard lock(mutex_);
  origin_ = std::move(origin);
  zeros_step_ = last_step;
  zeros_ = std::move(zeros);
  completed_of_.reset();
}

void RecordedFindings::know_end(std::optional<AlertRow> alert) {
  std::lock_guard lock(mutex_);
  end_ = std::move(alert);
  completed_of_.reset();
}

std::shared_ptr<const Snapshot> RecordedFindings::with_findings(
    const std::shared_ptr<const Snapshot>& snapshot) const {
  std::lock_guard lock(mutex_);
  const bool zeros = !zeros_.empty() && snapshot->complete && zeros_step_ == snapshot->complete->step;
  if (!origin_ && !zeros && !end_) return snapshot;
  if (completed_of_ == snapshot) return completed_;
  auto completed = std::make_shared<Snapshot>(*snapshot);
  // Another picture than the store's of that version: who draws compares them.
  completed->version += std::uint64_t{1} << 32;
  if (zeros) {
    for (const ZeroProof& proof : zeros_) apply_proof(*completed->complete, proof, completed->gradients);
  }
  if (origin_) {
    apply_origin(*origin_, completed->alerts, completed->step_base);
    const auto view = completed->shown();
    if (view && !completed->alerts.empty() && completed->alerts.front().node == origin_->node) {
      completed->alerts.front().op_index = op_of(*origin_, *view);
    }
  }
  if (end_) completed->alerts.push_back(*end_);
  completed_of_ = snapshot;
  completed_ = std::move(completed);
  return completed_;
}

}  // namespace tapescope
