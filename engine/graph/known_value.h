// Values of a graph that are the same in every call.
#pragma once
#include "engine/core/tensor.h"

namespace tapescope {

// Inside a trace: what the tensor is whatever the function is called with, worked out from constants and
// captured tensors. None where it depends on a parameter, a variable, a draw or a branch or loop. Leaves no
// event.
Tensor known_value(const Tensor& tensor, const Location& location);

}  // namespace tapescope
