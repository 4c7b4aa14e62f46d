// Arguments of functions whose tape never saw how they were computed.
#pragma once
#include <vector>

#include "engine/explain/path.h"

namespace tapescope {

// The way from an argument that the program computed from the source, and gave to the function inside which
// the question was asked: from the argument towards the source. Empty where no argument that the target
// depends on was. `search` has run without finding a way.
struct Handed {
  std::vector<PathStep> steps;
};
Handed handed_over(const Asked& asked, const PathSearch& search);

}  // namespace tapescope
