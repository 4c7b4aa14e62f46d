// Sources that are used only in a branch that did not run.
#pragma once
#include <optional>

#include "engine/explain/path.h"

namespace tapescope {

struct UntakenBranch {
  SiteId site;  // of the cond
  std::uint32_t taken,
      other;  // the branch that ran, and the one that takes the source, kNoIndex where that is not known
  TensorId computed =
      0;  // what it takes instead, where that was computed from the source; 0 for the source itself
};

// The cond on the target's way of which another branch than the one that ran was seen to take the source:
// before, or when it was traced. `search` has been run and found no way.
std::optional<UntakenBranch> untaken_branch(const Asked& asked, const PathSearch& search);
// The place that probably chose a way on which the source is not used: a cond of which a branch was never
// seen, a test of the host on a tensor, or one that took another way in an earlier round. 0 when nothing
// suggests one. `search` has been run and found no way.
struct Choice {
  SiteId site = 0;
  bool by_cond = false;
};
Choice choice_on_the_way(const Asked& asked, const PathSearch& search);
// The cond in a function's graph that ran another branch than the one that takes the source, or what was
// computed from it, if every way on from the source ended so among what ran from tensor `since` on: its
// gradient is zeros. `traced`: a tape inside the function was asked, perhaps for a symbol, and the forward
// ops need not have run.
std::optional<UntakenBranch> untaken_in_graph(const History& history, TensorId source, TensorId since,
                                              bool traced);
// "the first branch"
std::string branch_text(std::uint32_t branch);

// Whether an op of the recording that was asked, up to the target, used the source.
bool is_used_in_recording(const Asked& asked);

}  // namespace tapescope
