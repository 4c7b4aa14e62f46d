// Margins and checks that convolution and pooling share.
#pragma once
#include <algorithm>

#include "engine/gate/arguments.h"
#include "engine/ops/nn.h"
#include "engine/ops/nn/conv_geometry.h"

namespace tapescope {

// TensorFlow's "SAME": ceil(size / stride) windows, the odd cell of margin at the end.
inline void push_margins(Attrs& attrs, std::int64_t size, std::int64_t window, std::int64_t stride,
                         std::int64_t dilation, ConvPadding padding) {
  const std::int64_t extent = (window - 1) * dilation + 1;
  const std::int64_t rest = stride > 0 && size % stride != 0 ? size % stride : stride;
  const std::int64_t total = padding == ConvPadding::valid ? 0 : std::max<std::int64_t>(extent - rest, 0);
  attrs.push(total / 2);
  attrs.push(total - total / 2);
}

inline Attrs window_attrs(std::string_view op, const Shape& image, HeightWidth window, HeightWidth strides,
                          HeightWidth dilations, ConvPadding padding, const Location& at) {
  if (strides.height < 1 || strides.width < 1 || dilations.height < 1 || dilations.width < 1 ||
      window.height < 1 || window.width < 1) {
    refuse(op,
           fmt::format("window {}x{}, strides {}x{} and dilations {}x{} must be at least 1", window.height,
                       window.width, strides.height, strides.width, dilations.height, dilations.width),
           at);
  }
  Attrs attrs;
  attrs.push(strides.height);
  attrs.push(strides.width);
  attrs.push(dilations.height);
  attrs.push(dilations.width);
  push_margins(attrs, image[1], window.height, strides.height, dilations.height, padding);
  push_margins(attrs, image[2], window.width, strides.width, dilations.width, padding);
  return attrs;
}

// The shape that follows the window's ints: what a gradient row is to give back.
inline Shape given_shape(const Attrs& attrs, int from = kWindowInts) {
  Shape shape;
  for (int i = from; i < attrs.count; ++i) shape.push_back(attrs.i[static_cast<std::size_t>(i)]);
  return shape;
}

}  // namespace tapescope
