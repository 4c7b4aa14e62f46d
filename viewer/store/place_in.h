// Answers that were found in one view of a run, shown in another.
#pragma once
#include <vector>

#include "viewer/store/snapshot.h"

namespace tapescope {

// Puts the place of an alert from the view of the whole, or of one step, into the view that is shown: the op
// itself, or of another step the one that does the same there.
void place_in(const StepView& shown, const StepView& whole, AlertRow& alert);
// The same of rows and alerts of a program that marks no steps; says of alerts which step they are of.
void place_in(const StepView& shown, const StepView& whole, std::vector<GradientRow>& rows,
              std::vector<AlertRow>& alerts);

}  // namespace tapescope
