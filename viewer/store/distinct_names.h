// Names of a step's variables and sources, distinguished where the program gave one name to several.
#pragma once
#include "viewer/store/step_view.h"

namespace tapescope {

// The one made first keeps its name, the next is "w#2": among the variables that the step touched and the
// tensors it asked gradients for. Changes the names of variables and answers.
void tell_sources_apart(StepView& view);

}  // namespace tapescope
