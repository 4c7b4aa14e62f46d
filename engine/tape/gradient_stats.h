// Statistics of gradients for the session's second channel.
#pragma once
#include "engine/core/names.h"
#include "engine/core/tensor.h"

namespace tapescope {

// Offers a summary of the gradient of a source, a variable's handle or a tensor, as the session's rule says:
// of every n-th step, outside of backward passes and traces. Nothing for None and for types without
// gradients. Of a gradient inside a function `stands_for` is the tensor of its trace.
void offer_gradient_stats(const Tensor& gradient, NameId source_name, TensorId source,
                          TensorId stands_for = 0);

}  // namespace tapescope
