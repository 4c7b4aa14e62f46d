// Activations by name.
#include "engine/nn/activations.h"

#include <iterator>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/ops/elementwise.h"
#include "engine/ops/nn.h"

namespace tapescope {
namespace {

constexpr std::string_view kNames[] = {"linear",     "relu",  "softmax",  "sigmoid",     "tanh",
                                       "gelu",       "elu",   "selu",     "silu",        "softplus",
                                       "leaky_relu", "relu6", "softsign", "hard_sigmoid"};

// What the last softmax or sigmoid was made of.
struct LastProbabilities {
  TensorId id = 0;
  Activation activation = Activation::linear;
  Tensor logits;
};
thread_local LastProbabilities last_probabilities;

Tensor remembered(Activation activation, const Arg& x, const Tensor& probabilities) {
  last_probabilities = {probabilities.id(), activation, x.tensor()};
  return probabilities;
}

}  // namespace

Tensor activate(Activation activation, const Arg& x) {
  switch (activation) {
    case Activation::linear: return x.tensor();
    case Activation::relu: return relu(x);
    case Activation::softmax: return remembered(activation, x, softmax(x));
    case Activation::sigmoid: return remembered(activation, x, sigmoid(x));
    case Activation::tanh: return tanh(x);
    case Activation::gelu: return gelu(x);
    case Activation::elu: return elu(x);
    case Activation::selu: return selu(x);
    case Activation::silu: return silu(x);
    case Activation::softplus: return softplus(x);
    case Activation::leaky_relu: return leaky_relu(x);
    case Activation::relu6: return relu6(x);
    case Activation::softsign: return softsign(x);
    case Activation::hard_sigmoid: {
      const Tensor raised = add(x, 3);
      const Tensor bounded = relu6({raised, x.location()});
      return divide({bounded, x.location()}, 6);
    }
  }
  return x.tensor();
}

Tensor logits_behind(const Tensor& probabilities, Activation activation) {
  const LastProbabilities& last = last_probabilities;
  return last.id == probabilities.id() && last.activation == activation ? last.logits : Tensor();
}

std::string_view name_of(Activation activation) { return kNames[static_cast<int>(activation)]; }

Activation activation_named(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kNames); ++i) {
    if (kNames[i] == name) return static_cast<Activation>(i);
  }
  fail(ErrorKind::value, "activation",
       fmt::format("there is no '{}', expected one of {}", name, fmt::join(kNames, ", ")));
}

}  // namespace tapescope
