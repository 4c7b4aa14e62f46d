// Forgets what is no longer used.
#include "bridges/native/foreign_ids.h"

#include <algorithm>

namespace tapescope::bridge {

void ForeignIds::next_step() {
  ++step_;
  if (table_.size() < sweep_at_) return;
  std::erase_if(table_, [&](const auto& entry) {
    return entry.second.touched != kForever && entry.second.touched + kSteps < step_;
  });
  sweep_at_ = std::max<std::size_t>(1 << 14, 2 * table_.size());
}

}  // namespace tapescope::bridge
