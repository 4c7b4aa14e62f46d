// Causes that no op on the way shows: stale tensors, copies, and ops that no record tells of.
#pragma once
#include <cstddef>
#include <vector>

#include "engine/explain/path.h"

namespace tapescope {

// The tensor that the target used in place of what the source now stands for: a value read from a variable
// that was assigned since, or a tensor that took over the source's name. No tensor when the break is no such
// case.
struct Stale {
  TensorId tensor = 0;
  TensorId made_from = 0;
};
Stale stale_tensor(const Asked& asked, Reason reason, const std::vector<PathStep>& steps, std::size_t at);

// The tensor or variable that the target depends on and the source is a copy, a slice or a second making of.
// 0 when there is none. `search` has run without finding a way.
TensorId original_of(const Asked& asked, const PathSearch& search);

// A tensor the target depends on that nothing tells of, and what its id alone proves: it was made while a
// tape recorded that has lost its nodes, or on another thread.
struct Untold {
  TensorId tensor = 0;
  Break cut;
  const HistoryOp* used_by = nullptr;  // that took it; null when it is the target
};
Untold untold_break(const Asked& asked, const PathSearch& search);

}  // namespace tapescope
