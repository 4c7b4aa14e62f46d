// The line of a Python program that a person changes because of a None: often not that of the op.
#pragma once
#include <vector>

#include "viewer/store/snapshot.h"
#include "viewer/store/sources.h"

namespace tapescope {

// An op that no block recorded is placed at the call that leads to it, where its function only hands a result
// back and is right as it is; a tensor that no tape watched where it gets its name. Rows of C++ stay.
void place_nones(const SourceFiles* sources, std::vector<GradientRow>& rows);

}  // namespace tapescope
