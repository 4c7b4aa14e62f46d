// Several tensors as one, for one exchange.
#pragma once
#include <span>

#include "engine/gate/op.h"

namespace tapescope::parallel {

// The elements of tensors of one dtype, one after the other; half types as float32, in which they are summed.
Tensor packed(OpInputs tensors);
// The other way, into tensors of the types that were packed.
void unpack(const Tensor& flat, std::span<Tensor> tensors);
// Divides each element in place; float32 or float64. No other code reads the tensor yet.
void divide(const Tensor& tensor, int by);

}  // namespace tapescope::parallel
