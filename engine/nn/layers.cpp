// Dense, Flatten, Embedding, Dropout and Sequential.
#include "engine/nn/layers.h"

#include <fmt/format.h>

#include "engine/ops/elementwise.h"
#include "engine/ops/index.h"
#include "engine/ops/linalg.h"
#include "engine/ops/nn.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

std::int64_t last_of(const Shape& shape) { return shape[shape.rank() - 1]; }

}  // namespace

Dense::Dense(std::int64_t units, DenseOptions options)
    : Layer(options.name.empty() ? "dense" : options.name, options.dtype),
      units_(units),
      options_(std::move(options)) {
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
  const DType type = policy().variable;
  kernel_ = add_variable("kernel", initial_value(options_.kernel_initializer, shape, key, type, location),
                         location);
  if (options_.use_bias) bias_ = add_variable("bias", zeros({units_}, type, location), location);
}

Tensor Dense::call(const Tensor& x, const Location& location) {
  if (last_of(x.shape()) != kernel_.shape()[0]) {
    fail(ErrorKind::invalid_argument, name(),
         fmt::format(
             "got an input of shape {}, expected {} features in the last dimension, for which the layer "
             "was built",
             x.shape().text(), kernel_.shape()[0]),
         &location);
  }
  // One after the other, so that the variables are read in the order the tape of a Keras layer shows; with a
  // mixed policy Keras adds the cast bias instead of running BiasAdd.
  Tensor y;
  if (policy().mixed()) {
    y = matmul({x, location}, {read(kernel_, location), location});
    if (bias_) y = add({y, location}, {read(bias_, location), location});
  } else {
    y = matmul({x, location}, {kernel_, location});
    if (bias_) y = bias_add({y, location}, {bias_, location});
  }
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

Embedding::Embedding(std::int64_t inputs, std::int64_t size, EmbeddingOptions options)
    : Layer(options.name, options.dtype), inputs_(inputs), size_(size), options_(std::move(options)) {
  if (inputs < 1 || size < 1) {
    fail(ErrorKind::value, name(),
         fmt::format("got {} rows of size {}, expected at least one of each", inputs, size));
  }
}

Shape Embedding::output_shape(const Shape& input) const {
  Shape shape = input;
  shape.push_back(size_);
  return shape;
}

void Embedding::make_variables(const Shape&, const Location& location) {
  const RandomKey key = key_of(options_.seed, name() + "/embeddings");
  const Tensor table =
      initial_value(options_.initializer, {inputs_, size_}, key, policy().variable, location);
  embeddings_ = add_variable("embeddings", table, location);
}

Tensor Embedding::call(const Tensor& x, const Location& location) {
  const Tensor rows = is_integer(x.dtype()) ? x : cast({x, location}, DType::i32);
  const Tensor found = gather({embeddings_, location}, {rows, location});
  return policy().mixed() ? cast({found, location}, policy().compute) : found;
}

Dropout::Dropout(double rate, DropoutOptions options)
    : Layer(options.name, options.dtype), rate_(rate), options_(std::move(options)) {
  if (!(rate >= 0 && rate < 1)) {
    fail(ErrorKind::value, name(), fmt::format("got the rate {}, expected at least 0 and less than 1", rate));
  }
}

void Dropout::make_variables(const Shape&, const Location& location) {
  calls_ =
      add_variable("seed_generator_state", zeros({}, DType::i64, location), location, /*trainable=*/false);
}

Tensor Dropout::call(const Tensor& x, const Location& location) {
  if (!training() || rate_ == 0) return x;
  RandomKey key = key_of(options_.seed, name());
  auto* calls = static_cast<std::int64_t*>(calls_.mutable_data());
  key.counter += static_cast<std::uint64_t>((*calls)++);
  calls_.note_assigned(location);
  return dropout({x, location}, rate_, key);
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

std::vector<Layer*> Sequential::sublayers() {
  std::vector<Layer*> layers;
  for (const auto& layer : layers_) layers.push_back(layer.get());
  return layers;
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
