// Copies of snapshots with answers put in.
#include "viewer/debugger/older_findings.h"

#include <utility>

namespace tapescope {

void OlderFindings::know(std::uint64_t last_step, std::optional<NonFiniteOrigin> origin,
                    std::vector<ZeroProof> zeros) {
  std::lock_guard lock(mutex_);
  origin_ = std::move(origin);
  zeros_step_ = last_step;
  zeros_ = std::move(zeros);
  told_of_.reset();
}

std::shared_ptr<const Snapshot> OlderFindings::told(const std::shared_ptr<const Snapshot>& snapshot) const {
  std::lock_guard lock(mutex_);
  const bool zeros = !zeros_.empty() && snapshot->complete && zeros_step_ == snapshot->complete->step;
  if (!origin_ && !zeros) return snapshot;
  if (told_of_ == snapshot) return told_;
  auto told = std::make_shared<Snapshot>(*snapshot);
  // Another picture than the store's of that version: who draws compares them.
  told->version += std::uint64_t{1} << 32;
  if (zeros) {
    for (const ZeroProof& proof : zeros_) apply_proof(*told->complete, proof, told->gradients);
  }
  if (origin_) {
    apply_origin(*origin_, told->alerts);
    const auto view = told->shown();
    if (view && !told->alerts.empty() && told->alerts.front().node == origin_->node) {
      told->alerts.front().op_index = op_of(*origin_, *view);
    }
  }
  told_of_ = snapshot;
  told_ = std::move(told);
  return told_;
}

}  // namespace tapescope
