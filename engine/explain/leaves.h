// Causes that no op on the way shows: stale tensors, copies, and ops without a record.
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

// The tensor of the source's type that the target depends on and an op made the source from, where nothing
// uses the source: x = x - 0.1 * pull after the target, or 1.0 * x of x and a number before it. 0 when there
// is none.
TensorId replaced_by(const Asked& asked, const PathSearch& search);

// The call on the way whose trace captured a tensor that the program has exchanged for the source since: one
// of the same name, or, where neither has one, of the same type. Else, for a source that nothing uses, the
// only one of its type that was captured before the source was made: a guess. kNoIndex when there is none.
struct Captured {
  std::uint32_t call = kNoIndex;
  TensorId tensor = 0;
  bool guess = false;
};
Captured captured_instead(const Asked& asked, const PathSearch& search);

// The last read of values by the host on the target's thread before the target was made, where all that was
// computed from the source ends in such reads: what came back is a number or a parameter of an op, which no
// record names. kNoIndex when it does not.
std::uint32_t host_end(const Asked& asked);

// Where a library both makes the target and asks, in one call of the program's, such as fit(): the last op
// that computes from the source on another line, whose result is dropped. kNoIndex elsewhere.
std::uint32_t dropped_result(const Asked& asked, SiteId asked_at);

// A tensor the target depends on that no record names, and what its id alone proves: it was made while a
// tape recorded that has lost its nodes, or on another thread.
struct Untold {
  TensorId tensor = 0;
  Break cut;
  const HistoryOp* used_by = nullptr;  // that took it; null when it is the target
};
Untold untold_break(const Asked& asked, const PathSearch& search);

}  // namespace tapescope
