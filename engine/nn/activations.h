// Activations by name, as layers take them.
#pragma once
#include <string_view>

#include "engine/ops/apply.h"

namespace tapescope {

enum class Activation : std::uint8_t {
  linear, relu, softmax, sigmoid, tanh, gelu, elu, selu, silu, softplus, leaky_relu
};

// linear returns x itself; softmax is over the last axis; gelu is the exact one; leaky_relu has the slope 0.2.
Tensor activate(Activation activation, const Arg& x);
// "relu"
std::string_view name_of(Activation activation);

}  // namespace tapescope
