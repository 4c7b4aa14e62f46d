// Dense, Flatten and Sequential.
#include "engine/nn/layers.h"

#include <fmt/format.h>

#include "engine/ops/elementwise.h"
#include "engine/ops/linalg.h"
#include "engine/ops/nn.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

std::int64_t last_of(const Shape& shape) { return shape[shape.rank() - 1]; }

}  // namespace

Dense::Dense(std::int64_t units, DenseOptions options)
    : Layer(options.name.empty() ? "dense" : options.name), units_(units), options_(std::move(options)) {
  if (units < 1) {
    fail(ErrorKind::value, name(), fmt::format("got {} units, expected at least one", units));
  }
}

Shape Dense::output_shape(const Shape& input) const {
  Shape shape = input;
  if (shape.rank() > 0) shape[shape.rank() - 1] = units_;
  return shape;
}

void Dense::make_variables(const Shape& input, const Location& location) {
  if (input.rank() < 2) {
    fail(ErrorKind::invalid_argument, name(),
         fmt::format("got an input of shape {}, expected at least [batch, features]; give a batch of one as "
                     "[1, features]",
                     input.text()),
         &location);
  }
  const RandomKey key = key_of(options_.seed, name() + "/kernel");
  const Shape shape{last_of(input), units_};
  kernel_ = add_variable("kernel", initial_value(options_.kernel_initializer, shape, key, options_.dtype, location),
                         location);
  if (options_.use_bias) bias_ = add_variable("bias", zeros({units_}, options_.dtype, location), location);
}

Tensor Dense::call(const Tensor& x, const Location& location) {
  if (last_of(x.shape()) != kernel_.shape()[0]) {
    fail(ErrorKind::invalid_argument, name(),
         fmt::format("got an input of shape {}, expected {} features in the last dimension, for which the layer "
                     "was built",
                     x.shape().text(), kernel_.shape()[0]),
         &location);
  }
  // One after the other, so that the variables are read in the order the tape of a Keras layer shows.
  Tensor y = matmul({x, location}, {kernel_, location});
  if (bias_) y = bias_add({y, location}, {bias_, location});
  return options_.activation == Activation::linear ? y : activate(options_.activation, {y, location});
}

Shape Flatten::output_shape(const Shape& input) const {
  if (input.rank() < 2) return input;
  const std::int64_t batch = input[0];
  std::int64_t rest = 1;
  for (int i = 1; i < input.rank(); ++i) rest *= input[i];
  return {batch, rest};
}

Tensor Flatten::call(const Tensor& x, const Location& location) {
  return reshape({x, location}, Ints(output_shape(x.shape())));
}

void Sequential::add(std::unique_ptr<Layer> layer, Location location) {
  if (built()) {
    fail(ErrorKind::value, "Sequential",
         "cannot add a layer to a model that is built; add before the first call", &location);
  }
  int same = 0;
  for (const auto& other : layers_) {
    const std::string& name = other->name();
    same += name == layer->name() || name == fmt::format("{}_{}", layer->name(), same);
  }
  if (same > 0) layer->rename(fmt::format("{}_{}", layer->name(), same));
  layers_.push_back(std::move(layer));
}

Shape Sequential::output_shape(const Shape& input) const {
  Shape shape = input;
  for (const auto& layer : layers_) shape = layer->output_shape(shape);
  return shape;
}

std::vector<Variable> Sequential::variables() const {
  std::vector<Variable> found;
  for (const auto& layer : layers_) {
    for (const Variable& variable : layer->variables()) found.push_back(variable);
  }
  return found;
}

void Sequential::make_variables(const Shape& input, const Location& location) {
  Shape shape = input;
  for (const auto& layer : layers_) {
    layer->build(shape, location);
    shape = layer->output_shape(shape);
  }
}

Tensor Sequential::call(const Tensor& x, const Location& location) {
  Tensor y = x;
  for (const auto& layer : layers_) y = (*layer)({y, location});
  return y;
}

}  // namespace tapescope
