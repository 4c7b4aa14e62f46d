// Which forward op of a traced function each of its backward ops stands beside. Tapes know what they walk; of
// a graph's own gradient no record holds it, so it is read from where the ops come from, what they read, and
// what they are called.
#pragma once
#include <cstdint>
#include <vector>

#include "viewer/store/step_view.h"

namespace tapescope {

// By op: the forward op of the same line and scope that a backward op outside of any walk is closest to;
// kNoOp for all others, and where no op of the line ran before it. Good for a place in a picture, not for a
// statement. Linear in the ops.
std::vector<std::uint32_t> function_mirrors(const StepView& step);

}  // namespace tapescope
