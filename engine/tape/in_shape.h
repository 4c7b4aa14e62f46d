// Results in their final shape. Most have it already: no op of ours should stand in a program's record for
// nothing.
#pragma once
#include <utility>

#include "engine/ops/shape.h"

namespace tapescope {

// Throws InvalidArgument where the numbers of elements differ.
inline Tensor in_shape(Tensor tensor, const Shape& shape, const Location& location) {
  return tensor.shape() == shape ? std::move(tensor) : reshape(Arg(tensor, location), shape);
}

}  // namespace tapescope
