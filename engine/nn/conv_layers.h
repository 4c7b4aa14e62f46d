// Layers of images, which are [batch, height, width, channels]: convolution and pooling.
#pragma once
#include "engine/core/public.h"
#include "engine/nn/activations.h"
#include "engine/nn/initializers.h"
#include "engine/nn/layer.h"
#include "engine/ops/nn.h"

namespace tapescope TAPESCOPE_PUBLIC {

struct Conv2DOptions {
  HeightWidth strides = 1;
  ConvPadding padding = ConvPadding::valid;
  HeightWidth dilations = 1;
  Activation activation = Activation::linear;
  bool use_bias = true;
  std::string name = "conv2d";
  std::uint64_t seed = 0;
  Initializer kernel_initializer = Initializer::glorot_uniform;
  DTypePolicy dtype = {};
};

// activation(convolution of x with `filters` filters of that size, plus a bias for each): kernel
// [height, width, channels, filters], x [batch, height, width, channels] -> [batch, rows, columns, filters].
// Throws ValueError for fewer than one filter or an empty size, InvalidArgument for an x of other than four
// dimensions.
class Conv2D : public Layer {
 public:
  Conv2D(std::int64_t filters, HeightWidth kernel_size, Conv2DOptions options = {});
  Shape output_shape(const Shape& input) const override;
  std::string_view kind() const override { return "Conv2D"; }
  const Variable& kernel() const { return kernel_; }
  const Variable& bias() const { return bias_; }

 private:
  void make_variables(const Shape& input, const Location& location) override;
  Tensor call(const Tensor& x, const Location& location) override;
  std::int64_t filters_;
  HeightWidth size_;
  Conv2DOptions options_;
  Variable kernel_, bias_;
};

struct PoolingOptions {
  HeightWidth size = 2;
  HeightWidth strides = 0;  // 0: the size, so that windows do not overlap
  ConvPadding padding = ConvPadding::valid;
  std::string name{};  // "max_pooling2d", "average_pooling2d" when empty
  DTypePolicy dtype = {};
};

// What both kinds of pooling share.
class Pooling2D : public Layer {
 public:
  Shape output_shape(const Shape& input) const override;

 protected:
  Pooling2D(std::string_view kind, PoolingOptions options);
  PoolingOptions options_;
};

// The largest of each window; its gradient goes to the first largest.
class MaxPooling2D : public Pooling2D {
 public:
  explicit MaxPooling2D(PoolingOptions options = {}) : Pooling2D("max_pooling2d", std::move(options)) {}
  std::string_view kind() const override { return "MaxPooling2D"; }

 private:
  Tensor call(const Tensor& x, const Location& location) override;
};

// The mean of each window, margins not counted; its gradient is shared evenly.
class AveragePooling2D : public Pooling2D {
 public:
  explicit AveragePooling2D(PoolingOptions options = {})
      : Pooling2D("average_pooling2d", std::move(options)) {}
  std::string_view kind() const override { return "AveragePooling2D"; }

 private:
  Tensor call(const Tensor& x, const Location& location) override;
};

}  // namespace tapescope
