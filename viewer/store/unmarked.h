// Programs that mark no steps: what they did is judged as a whole.
#pragma once
#include "viewer/store/step_data.h"

namespace tapescope {

// Lets go of half of the records: of those between the first steps and the latest ones. What was traced or
// made there for good stays. `home`: the thread in which the steps begin.
void drop_middle(Segments& all, std::uint32_t home);

}  // namespace tapescope
