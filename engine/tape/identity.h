// Seeds of Jacobians.
#pragma once
#include "engine/core/tensor.h"

namespace tapescope {

// Rows `first` to `first + count` of the identity over the elements of a tensor of that type: [count, its
// shape].
Tensor identity_rows(const Type& type, std::int64_t first, std::int64_t count);

}  // namespace tapescope
