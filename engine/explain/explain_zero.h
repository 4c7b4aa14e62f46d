// Why a gradient is zero everywhere, as far as records alone show.
#pragma once
#include "engine/explain/explain_none.h"

namespace tapescope {

// branch_not_taken where a branch that did not run, in the graph of a function, is all that takes the source
// or what was computed from it; else Reason::none, since only values show it. As of the end of the history,
// as explain_none(); `since` is the first tensor of the step. `traced`: a tape inside the function was asked
// when it was traced; what ran in the step counts.
Explanation explain_zero(const History& history, TapeId tape, TensorId target, TensorId source,
                         TensorId since, bool traced);

// Why the gradient that the call answered for the source is zero everywhere, as the values show that its step
// had: the first op on the way back from the target that something arrived at and nothing left towards the
// source, with a zero_reason (dead_relu, saturated ...); where no values are known without one.
Explanation find_zero(const History& history, std::uint64_t call, TensorId target, TensorId source);

}  // namespace tapescope
