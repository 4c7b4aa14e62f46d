// Sizes of a convolution, from the shapes of image and filter and the attributes; and its three kernels.
#pragma once
#include <cstdint>

#include "engine/core/attrs.h"
#include "engine/core/type.h"

namespace tapescope {

// Places of the attributes' ints, the same in every row of convolution and pooling.
enum WindowInt {
  kStrideY,
  kStrideX,
  kDilationY,
  kDilationX,
  kPadTop,
  kPadBottom,
  kPadLeft,
  kPadRight,
  kWindowInts
};

struct ConvGeometry {
  std::int64_t images, height, width, channels;  // of the input
  std::int64_t kernel_height, kernel_width;
  std::int64_t group_in, out, groups;  // input channels of a group, output channels of all groups
  std::int64_t out_height, out_width;
  std::int64_t stride_y, stride_x, dilation_y, dilation_x, pad_top, pad_left;

  std::int64_t positions() const { return images * out_height * out_width; }
  std::int64_t group_out() const { return out / groups; }
  std::int64_t patch() const { return kernel_height * kernel_width * group_in; }
  bool depthwise() const { return group_in == 1 && groups > 1; }
  // The patches are the image itself.
  bool pointwise() const {
    return kernel_height == 1 && kernel_width == 1 && stride_y == 1 && stride_x == 1 && groups == 1 &&
           out_height == height && out_width == width && pad_top == 0 && pad_left == 0;
  }
  double flops() const {
    return 2.0 * static_cast<double>(positions()) * static_cast<double>(patch()) * static_cast<double>(out);
  }
};

// `depthwise_filter`: the filter is [h, w, channels, multiplier], not [h, w, in, out]. Shapes were checked.
ConvGeometry conv_geometry(const Shape& image, const Shape& filter, const Attrs& attrs,
                           bool depthwise_filter);
// Outputs along a dimension; below 1 when the window is larger than the padded size.
std::int64_t window_count(std::int64_t size, std::int64_t window, std::int64_t stride, std::int64_t dilation,
                          std::int64_t pads);

// y = conv(x, w); dx = its gradient from w and g; dw = its gradient from x and g. Contiguous arrays of
// `dtype`.
void conv_forward(DType dtype, const ConvGeometry& c, const void* x, const void* w, void* y);
void conv_backprop_input(DType dtype, const ConvGeometry& c, const void* w, const void* g, void* dx);
void conv_backprop_filter(DType dtype, const ConvGeometry& c, const void* x, const void* g, void* dw);

}  // namespace tapescope
