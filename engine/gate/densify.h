// What the gate asks of the op families: an op that is given slices first makes them dense.
#pragma once
#include <string_view>

#include "engine/core/tensor.h"

namespace tapescope {

// All rows of IndexedSlices as a dense tensor, by an op that tapes record; notes in the log that `op` asked
// for it. Defined by the index family, as it takes an op of that family.
Tensor densify(const Tensor& slices, std::string_view op, const Location& location);

}  // namespace tapescope
