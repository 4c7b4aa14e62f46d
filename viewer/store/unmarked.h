// Programs that mark no steps: what they did is judged as a whole, and shown step by step.
#pragma once
#include <vector>

#include "viewer/store/snapshot.h"
#include "viewer/store/step_data.h"

namespace tapescope {

// Lets go of half of the records: of those between the first steps and the latest ones. What was traced or
// made there for good stays. `home`: the thread in which the steps begin.
void drop_middle(Segments& all, std::uint32_t home);

// Says of alerts which step they are of, and puts their places and those of the rows from the view of the
// whole into the one that is shown: the op itself, or of another step the one that does the same there.
void place_in(const StepView& shown, const StepView& whole, std::vector<GradientRow>& rows,
              std::vector<AlertRow>& alerts);

}  // namespace tapescope
