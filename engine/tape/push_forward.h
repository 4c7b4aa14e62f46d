// The tangents of any call, from its row: its own rule, its linearity, or the gradient of its gradient.
#pragma once
#include <span>

#include "engine/gate/state.h"

namespace tapescope {

// tangents: one for each input, absent where it does not move, at least one present. results: one for each
// output, all absent; what does not move stays so.
void push_forward(const OpCall& call, std::span<const Tensor> tangents, std::span<Tensor> results);

}  // namespace tapescope
