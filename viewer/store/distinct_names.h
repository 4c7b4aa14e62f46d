// Names of a step's variables and sources, distinguished where the program gave one name to several.
#pragma once
#include "viewer/store/step_view.h"

namespace tapescope {

// The one made first keeps its name, the next is "w#2": among the tensors that gradients were asked for, then
// the other variables that the step touched. Changes the names of variables and answers.
void tell_sources_apart(StepView& view);

}  // namespace tapescope
