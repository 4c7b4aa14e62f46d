// Tensors that hold the same because they were computed alike.
#pragma once
#include "engine/explain/path.h"

namespace tapescope {

// The tensor that the target depends on and that the same ops made of the same operands as the source, which
// nothing uses: a helper that was called twice. 0 when there is none. `search` has run without finding a way.
TensorId equal_to(const Asked& asked, const PathSearch& search);

}  // namespace tapescope
