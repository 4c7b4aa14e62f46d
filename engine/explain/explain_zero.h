// Why a gradient is zero everywhere, as far as records alone tell.
#pragma once
#include "engine/explain/explain.h"

namespace tapescope {

// branch_not_taken where a branch that did not run, in the graph of a function, is all that takes the source; else
// Reason::none, since only values tell. As of the end of the history, as explain_none(); `since` is the first tensor of the step.
Explanation explain_zero(const History& history, TapeId tape, TensorId target, TensorId source, TensorId since);

}  // namespace tapescope
