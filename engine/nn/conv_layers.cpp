// Convolution and pooling layers.
#include "engine/nn/conv_layers.h"

#include <fmt/format.h>

#include "engine/ops/elementwise.h"

namespace tapescope {
namespace {

// Places a window of `size` takes along a dimension; 0 where it does not fit.
std::int64_t places(std::int64_t in, int size, int stride, int dilation, ConvPadding padding) {
  if (padding == ConvPadding::same) return (in + stride - 1) / stride;
  const std::int64_t last = in - static_cast<std::int64_t>(size - 1) * dilation;
  return last > 0 ? (last + stride - 1) / stride : 0;
}

Shape windows(const Shape& input, HeightWidth size, HeightWidth strides, HeightWidth dilations,
              ConvPadding padding) {
  if (input.rank() != 4) return input;
  return {input[0], places(input[1], size.height, strides.height, dilations.height, padding),
          places(input[2], size.width, strides.width, dilations.width, padding), input[3]};
}

}  // namespace

Conv2D::Conv2D(std::int64_t filters, HeightWidth kernel_size, Conv2DOptions options)
    : Layer(options.name, options.dtype),
      filters_(filters),
      size_(kernel_size),
      options_(std::move(options)) {
  if (filters < 1 || size_.height < 1 || size_.width < 1) {
    fail(ErrorKind::value, name(),
         fmt::format("got {} filters of {} by {}, expected at least one of each", filters, size_.height,
                     size_.width));
  }
}

Shape Conv2D::output_shape(const Shape& input) const {
  Shape shape = windows(input, size_, options_.strides, options_.dilations, options_.padding);
  if (shape.rank() == 4) shape[3] = filters_;
  return shape;
}

void Conv2D::make_variables(const Shape& input, const Location& location) {
  if (input.rank() != 4) {
    fail(ErrorKind::invalid_argument, name(),
         fmt::format(
             "got an input of shape {}, expected [batch, height, width, channels]; gray images have one "
             "channel: expand_dims(images, -1)",
             input.text()),
         &location);
  }
  const Shape shape{size_.height, size_.width, input[3], filters_};
  const RandomKey key = key_of(options_.seed, name() + "/kernel");
  const DType type = policy().variable;
  kernel_ = add_variable("kernel", initial_value(options_.kernel_initializer, shape, key, type, location),
                         location);
  if (options_.use_bias) bias_ = add_variable("bias", zeros({filters_}, type, location), location);
}

Tensor Conv2D::call(const Tensor& x, const Location& location) {
  const Tensor kernel = read(kernel_, location);
  Tensor y =
      conv2d({x, location}, {kernel, location}, options_.strides, options_.padding, options_.dilations);
  if (bias_) {
    const Tensor bias = read(bias_, location);
    y = bias_add({y, location}, {bias, location});
  }
  return options_.activation == Activation::linear ? y : activate(options_.activation, {y, location});
}

Pooling2D::Pooling2D(std::string_view kind, PoolingOptions options)
    : Layer(options.name.empty() ? std::string(kind) : options.name, options.dtype),
      options_(std::move(options)) {
  if (options_.strides.height == 0) options_.strides = options_.size;
}

Shape Pooling2D::output_shape(const Shape& input) const {
  return windows(input, options_.size, options_.strides, 1, options_.padding);
}

Tensor MaxPooling2D::call(const Tensor& x, const Location& location) {
  return max_pool2d({x, location}, options_.size, options_.strides, options_.padding);
}

Tensor AveragePooling2D::call(const Tensor& x, const Location& location) {
  return avg_pool2d({x, location}, options_.size, options_.strides, options_.padding);
}

}  // namespace tapescope
