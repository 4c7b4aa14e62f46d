// Forgets what is no longer used.
#include "bridges/native/foreign_ids.h"

#include <algorithm>

namespace tapescope::bridge {

void ForeignIds::next_step() {
  ++step_;
  set_in_step_ = 0;
  if (table_.size() < sweep_at_) return;
  table_.erase_if([&](std::uint64_t, const KnownTensor& known) {
    return known.touched != kForever && known.touched + kSteps < step_;
  });
  sweep_at_ = std::max<std::size_t>(1 << 14, 2 * table_.size());
}

}  // namespace tapescope::bridge
