// Whether two programs compute the same: losses and gradients of each step, by source name.
#pragma once
#include "viewer/debugger/run_control.h"
#include "viewer/model/compare.h"

namespace tapescope {

// Takes one step of both programs into account. Equal means within 1e-5 relative to the largest element
// (float64 1e-10, half types 2e-2), and counts for the first ten steps; the maxima cover all.
void compare_step(const StepContext& a, const StepContext& b, ComparisonResult& result);

// The same for two programs that ran apart: the losses of the steps that both took, and the gradients that
// samples keep of their last step, where both took as many. Programs that are no samples keep none: of those
// the snapshots, which may be null, say for each source that both ask about whether its last gradient is
// None, zero or not finite, and its norm, which counts where both took as many steps.
ComparisonResult compare_results(const ProgramResult& a, const ProgramResult& b, const Snapshot* seen_a,
                                 const Snapshot* seen_b);

void add_results(Comparison& comparison, const ComparisonResult& results);

}  // namespace tapescope
