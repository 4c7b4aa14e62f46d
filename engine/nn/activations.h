// Activations by name, as layers take them.
#pragma once
#include <string_view>

#include "engine/core/public.h"
#include "engine/gate/apply.h"

namespace tapescope TAPESCOPE_PUBLIC {

enum class Activation : std::uint8_t {
  linear,
  relu,
  softmax,
  sigmoid,
  tanh,
  gelu,
  elu,
  selu,
  silu,
  softplus,
  leaky_relu,
  relu6,
  softsign,
  hard_sigmoid
};

// linear returns x itself; softmax is over the last axis; gelu is the exact one; leaky_relu has the slope
// 0.2; hard_sigmoid is relu6(x + 3) / 6.
Tensor activate(Activation activation, const Arg& x);
// The x of which activate() made these probabilities by softmax or sigmoid, where it was the last such call
// of this thread; absent otherwise. Losses go back to logits by it, as Keras's do.
Tensor logits_behind(const Tensor& probabilities, Activation activation);
// "relu"
std::string_view name_of(Activation activation);
// The activation of that name. Throws ValueError for a name that is none.
Activation activation_named(std::string_view name);

}  // namespace tapescope
