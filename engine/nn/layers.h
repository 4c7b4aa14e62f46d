// The layers: Dense, Flatten, and Sequential that strings layers together.
#pragma once
#include <concepts>
#include <memory>
#include <span>
#include <utility>

#include "engine/nn/activations.h"
#include "engine/nn/initializers.h"
#include "engine/nn/layer.h"

namespace tapescope {

struct DenseOptions {
  Activation activation = Activation::linear;
  bool use_bias = true;
  std::string name;        // "dense" when empty; a Sequential numbers its layers
  std::uint64_t seed = 0;  // the kernel's numbers depend on the seed and the layer's name
  Initializer kernel_initializer = Initializer::glorot_uniform;
  DType dtype = DType::f32;
};

// activation(x kernel + bias): x [.., in], kernel [in, units], bias [units].
class Dense : public Layer {
 public:
  explicit Dense(std::int64_t units, DenseOptions options = {});
  Shape output_shape(const Shape& input) const override;
  const Variable& kernel() const { return kernel_; }
  const Variable& bias() const { return bias_; }

 private:
  void make_variables(const Shape& input, const Location& location) override;
  Tensor call(const Tensor& x, const Location& location) override;
  std::int64_t units_;
  DenseOptions options_;
  Variable kernel_, bias_;
};

// [n, ...] -> [n, the rest]
class Flatten : public Layer {
 public:
  explicit Flatten(std::string name = "flatten") : Layer(std::move(name)) {}
  Shape output_shape(const Shape& input) const override;

 private:
  Tensor call(const Tensor& x, const Location& location) override;
};

// Layers one after the other: `Sequential model(Flatten(), Dense(128, {.activation = Activation::relu}), Dense(10));`
// Layers of one name are numbered as in Keras: dense, dense_1, dense_2.
class Sequential : public Layer {
 public:
  template <class... Layers>
    requires(std::derived_from<Layers, Layer> && ...)
  explicit Sequential(Layers... layers) : Layer("") {
    (add(std::make_unique<Layers>(std::move(layers))), ...);
  }
  // Throws ValueError once it is built.
  void add(std::unique_ptr<Layer> layer, Location location = Location::current());
  std::span<const std::unique_ptr<Layer>> layers() const { return layers_; }
  Shape output_shape(const Shape& input) const override;
  std::vector<Variable> variables() const override;

 private:
  void make_variables(const Shape& input, const Location& location) override;
  Tensor call(const Tensor& x, const Location& location) override;
  std::vector<std::unique_ptr<Layer>> layers_;
};

}  // namespace tapescope
