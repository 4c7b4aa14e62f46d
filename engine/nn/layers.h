// The layers that all models have: Dense, Flatten, Activation, Embedding, Dropout, and Sequential that
// strings layers together.
#pragma once
#include <concepts>
#include <memory>
#include <span>
#include <utility>

#include "engine/core/public.h"
#include "engine/nn/activations.h"
#include "engine/nn/initializers.h"
#include "engine/nn/layer.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct DenseOptions {
  Activation activation = Activation::linear;
  bool use_bias = true;
  std::string name{};      // "dense" when empty; a Sequential numbers its layers
  std::uint64_t seed = 0;  // the kernel's numbers depend on the seed and the layer's name
  Initializer kernel_initializer = Initializer::glorot_uniform;
  DTypePolicy dtype = {};
};

// activation(x kernel + bias): x [.., in] -> [.., units], kernel [in, units], bias [units], which starts as
// zeros. Throws ValueError for fewer than one unit, InvalidArgument for an x of fewer than two dimensions or
// of another last dimension than the first x had.
class Dense : public Layer {
 public:
  explicit Dense(std::int64_t units, DenseOptions options = {});
  Shape output_shape(const Shape& input) const override;
  std::string_view kind() const override { return "Dense"; }
  const Variable& kernel() const { return kernel_; }
  const Variable& bias() const { return bias_; }

 private:
  void make_variables(const Shape& input, const Location& location) override;
  Tensor call(const Tensor& x, const Location& location) override;
  std::int64_t units_;
  DenseOptions options_;
  Variable kernel_, bias_;
};

// [n, ...] -> [n, product of the rest]; what has fewer than two dimensions stays.
class Flatten : public Layer {
 public:
  explicit Flatten(std::string name = "flatten", DTypePolicy dtype = {}) : Layer(std::move(name), dtype) {}
  Shape output_shape(const Shape& input) const override;
  std::string_view kind() const override { return "Flatten"; }

 private:
  Tensor call(const Tensor& x, const Location& location) override;
};

// An activation as its own layer.
class ActivationLayer : public Layer {
 public:
  explicit ActivationLayer(Activation activation, std::string name = "activation", DTypePolicy dtype = {})
      : Layer(std::move(name), dtype), activation_(activation) {}
  std::string_view kind() const override { return "Activation"; }

 private:
  Tensor call(const Tensor& x, const Location& location) override {
    return activate(activation_, {x, location});
  }
  Activation activation_;
};

struct EmbeddingOptions {
  std::string name = "embedding";
  std::uint64_t seed = 0;
  Initializer initializer = Initializer::uniform;
  DTypePolicy dtype = {};
};

// Row i of its table [inputs, size] for each number i in x: [..] -> [.., size]. A floating x is cast to
// int32. The gradient of the table holds the rows that were read, as slices. Throws ValueError where inputs
// or size is below 1, InvalidArgument for a number outside [0, inputs).
class Embedding : public Layer {
 public:
  Embedding(std::int64_t inputs, std::int64_t size, EmbeddingOptions options = {});
  Shape output_shape(const Shape& input) const override;
  std::string_view kind() const override { return "Embedding"; }
  const Variable& embeddings() const { return embeddings_; }

 private:
  void make_variables(const Shape& input, const Location& location) override;
  Tensor call(const Tensor& x, const Location& location) override;
  std::int64_t inputs_, size_;
  EmbeddingOptions options_;
  Variable embeddings_;
};

struct DropoutOptions {
  std::string name = "dropout";
  std::uint64_t seed = 0;
  DTypePolicy dtype = {};
};

// While training each element is 0 with probability `rate`, else x / (1 - rate); x itself otherwise. Which
// ones follows from the seed, the name and the number of calls, which is a variable: a step put back drops
// the same. Throws ValueError for a rate outside [0, 1).
class Dropout : public Layer {
 public:
  explicit Dropout(double rate, DropoutOptions options = {});
  std::string_view kind() const override { return "Dropout"; }

 private:
  void make_variables(const Shape& input, const Location& location) override;
  Tensor call(const Tensor& x, const Location& location) override;
  double rate_;
  DropoutOptions options_;
  Variable calls_;
};

// Layers one after the other: `Sequential model(Flatten(), Dense(128, {.activation = Activation::relu}),
// Dense(10));`, or in braces as Keras lists them. Layers of one name are numbered as in Keras: dense,
// dense_1, dense_2. It casts nothing itself: its layers do.
class Sequential : public Layer {
 public:
  template <class... Layers>
  requires(std::derived_from<Layers, Layer>&&...)  //
      explicit(sizeof...(Layers) == 1) Sequential(Layers... layers)
      : Layer("") {
    (add(std::make_unique<Layers>(std::move(layers))), ...);
  }
  // Throws ValueError once it is built.
  void add(std::unique_ptr<Layer> layer, Location location = Location::current());
  std::span<const std::unique_ptr<Layer>> layers() const { return layers_; }
  Shape output_shape(const Shape& input) const override;
  std::string_view kind() const override { return "Sequential"; }
  std::vector<Layer*> sublayers() override;

 private:
  bool casts_inputs() const override { return false; }
  void make_variables(const Shape& input, const Location& location) override;
  Tensor call(const Tensor& x, const Location& location) override;
  std::vector<std::unique_ptr<Layer>> layers_;
};

}  // namespace tapescope
