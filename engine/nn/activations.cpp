// Activations by name.
#include "engine/nn/activations.h"

#include "engine/ops/elementwise.h"
#include "engine/ops/nn.h"

namespace tapescope {

Tensor activate(Activation activation, const Arg& x) {
  switch (activation) {
    case Activation::linear: return x.tensor();
    case Activation::relu: return relu(x);
    case Activation::softmax: return softmax(x);
    case Activation::sigmoid: return sigmoid(x);
    case Activation::tanh: return tanh(x);
    case Activation::gelu: return gelu(x);
    case Activation::elu: return elu(x);
    case Activation::selu: return selu(x);
    case Activation::silu: return silu(x);
    case Activation::softplus: return softplus(x);
    case Activation::leaky_relu: return leaky_relu(x);
  }
  return x.tensor();
}

std::string_view name_of(Activation activation) {
  constexpr std::string_view kNames[] = {"linear", "relu", "softmax", "sigmoid",  "tanh",      "gelu",
                                         "elu",    "selu", "silu",    "softplus", "leaky_relu"};
  return kNames[static_cast<int>(activation)];
}

}  // namespace tapescope
