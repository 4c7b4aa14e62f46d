// Ids of tensors as a session counts them.
#pragma once
#include "engine/core/tensor.h"

namespace tapescope {

// From here on the thread gives ids that are larger than all that any thread has a block of. Returns the
// first of them.
TensorId begin_tensor_ids();

}  // namespace tapescope
