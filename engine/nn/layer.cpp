// What all layers share.
#include "engine/nn/layer.h"

#include <algorithm>

#include "engine/ops/state.h"

namespace tapescope {

Tensor Layer::operator()(const Arg& x) {
  const Tensor& input = x.tensor();
  if (!built_) build(input.shape(), x.location());
  if (name_.empty()) return call(input, x.location());
  NameScope scope(name_);
  return call(input, x.location());
}

void Layer::build(const Shape& input, Location location) {
  if (built_) return;
  if (name_.empty()) {
    make_variables(input, location);
  } else {
    NameScope scope(name_);
    make_variables(input, location);
  }
  built_ = true;
}

std::vector<Variable> Layer::trainable_variables() const {
  std::vector<Variable> found = variables();
  std::erase_if(found, [](const Variable& variable) { return !variable.trainable(); });
  return found;
}

Variable Layer::add_variable(std::string_view name, const Tensor& initial, const Location& location, bool trainable) {
  return variables_.emplace_back(initial, VariableOptions{.name = std::string(name), .trainable = trainable}, location);
}

}  // namespace tapescope
