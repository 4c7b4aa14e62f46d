// Whether two programs compute the same: losses and gradients of each step, by source name.
#pragma once
#include "viewer/debugger/run_control.h"

namespace tapescope {

// Takes one step of both programs into account. Equal means within 1e-5 relative to the largest element
// (float64 1e-10, half types 2e-2), and counts for the first ten steps; the maxima cover all.
void compare_step(const StepContext& a, const StepContext& b, ComparisonResult& result);

// The same for two programs that ran apart and kept what they answered: the losses of the steps that both
// took, and, where both took as many, the gradients of the last one.
ComparisonResult compare_results(const ProgramResult& a, const ProgramResult& b);

}  // namespace tapescope
