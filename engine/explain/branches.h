// Sources that are used only in a branch that did not run.
#pragma once
#include <optional>

#include "engine/explain/path.h"

namespace tapescope {

struct UntakenBranch {
  SiteId site;                 // of the cond
  std::uint32_t taken, other;  // the branch that ran, and the one that takes the source
};

// The cond on the target's way of which another branch than the one that ran was seen to take the source: before, or when
// it was traced. `search` has been run and found no way.
std::optional<UntakenBranch> untaken_branch(const Asked& asked, const PathSearch& search);
// The cond in a graph that ran another branch than the one that takes this variable or captured tensor, if nothing else took
// it that ran from tensor `since` on: its gradient is zeros.
std::optional<UntakenBranch> untaken_in_graph(const History& history, TensorId source, TensorId since);
// "the first branch (true_fn)"
std::string branch_text(std::uint32_t branch);

}  // namespace tapescope
