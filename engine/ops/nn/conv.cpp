// conv2d, depthwise_conv2d and the gradients of both: three products, each the gradient of the other two.
#include "engine/ops/batch_rules.h"
#include "engine/ops/nn/rows.h"
#include "engine/ops/nn/window.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

void check_pair(InferContext& c, const Type& image, const Type& filter, bool depthwise) {
  if (image.shape.rank() != 4 || filter.shape.rank() != 4 || !is_floating(image.dtype) ||
      image.dtype != filter.dtype) {
    c.fail(
        fmt::format("expected images [n, h, w, channels] and a filter of four dimensions, both of one "
                    "floating dtype, got {} and {}",
                    image.text(), filter.text()));
  }
  const std::int64_t channels = image.shape[3], in = filter.shape[2];
  // No channels at all are no group either.
  const bool fits =
      depthwise ? in == channels
                : in > 0 && channels >= in && channels % in == 0 && filter.shape[3] % (channels / in) == 0;
  if (!fits) {
    c.fail(fmt::format("the filter {} does not fit {} channels; expected [h, w, {}", filter.text(), channels,
                       depthwise
                           ? "channels, multiplier]"
                           : "in, out] where in divides the channels and out is a multiple of the groups"));
  }
}

Shape result_shape(InferContext& c, const ConvGeometry& g, const Type& image, const Type& filter) {
  if (g.out_height < 1 || g.out_width < 1)
    c.fail(fmt::format("the filter {} is larger than the padded image {}", filter.text(), image.text()));
  return {g.images, g.out_height, g.out_width, g.out};
}

template <bool depthwise>
void infer_conv(InferContext& c) {
  check_pair(c, c.in(0), c.in(1), depthwise);
  const ConvGeometry g = conv_geometry(c.in(0).shape, c.in(1).shape, c.attrs, depthwise);
  c.out(c.in(0).dtype, result_shape(c, g, c.in(0), c.in(1)));
}

// Inputs filter and cotangent; the image's shape is in the attributes.
template <bool depthwise>
void infer_input(InferContext& c) {
  const Type* image = intern_type(c.in(0).dtype, given_shape(c.attrs));
  check_pair(c, *image, c.in(0), depthwise);
  const Shape expected =
      result_shape(c, conv_geometry(image->shape, c.in(0).shape, c.attrs, depthwise), *image, c.in(0));
  if (&c.in(1) != intern_type(image->dtype, expected)) {
    c.fail(fmt::format("got {}, the convolution of {} with {} has the shape {}", c.in(1).text(),
                       image->text(), c.in(0).text(), expected.text()));
  }
  c.out(image);
}

// Inputs image and cotangent; the filter's shape is in the attributes.
template <bool depthwise>
void infer_filter(InferContext& c) {
  const Type* filter = intern_type(c.in(0).dtype, given_shape(c.attrs));
  check_pair(c, c.in(0), *filter, depthwise);
  const Shape expected =
      result_shape(c, conv_geometry(c.in(0).shape, filter->shape, c.attrs, depthwise), c.in(0), *filter);
  if (&c.in(1) != intern_type(filter->dtype, expected)) {
    c.fail(fmt::format("got {}, the convolution of {} with {} has the shape {}", c.in(1).text(),
                       c.in(0).text(), filter->text(), expected.text()));
  }
  c.out(filter);
}

template <bool depthwise>
void conv_kernel(KernelContext& c) {
  const ConvGeometry g = conv_geometry(c.in_type(0).shape, c.in_type(1).shape, c.attrs, depthwise);
  conv_forward(c.out_type().dtype, g, c.in<void>(0), c.in<void>(1), c.out<void>());
}
template <bool depthwise>
void input_kernel(KernelContext& c) {
  const ConvGeometry g = conv_geometry(c.out_type().shape, c.in_type(0).shape, c.attrs, depthwise);
  conv_backprop_input(c.out_type().dtype, g, c.in<void>(0), c.in<void>(1), c.out<void>());
}
template <bool depthwise>
void filter_kernel(KernelContext& c) {
  const ConvGeometry g = conv_geometry(c.in_type(0).shape, c.out_type().shape, c.attrs, depthwise);
  conv_backprop_filter(c.out_type().dtype, g, c.in<void>(0), c.in<void>(1), c.out<void>());
}

// From shapes alone, since a recording keeps no attributes: 2 for each output (the cotangent's elements) and
// tap.
template <bool depthwise>
double conv_flops(const Type& result, const Type& filter) {
  const Shape& f = filter.shape;
  return 2.0 * static_cast<double>(result.numel) * static_cast<double>(f[0]) * static_cast<double>(f[1]) *
         (depthwise ? 1.0 : static_cast<double>(f[2]));
}
double all_bytes(std::span<const Type* const> in, std::span<const Type* const> out) {
  return static_cast<double>(in[0]->bytes + in[1]->bytes + out[0]->bytes);
}
template <bool depthwise>
OpCost conv_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {conv_flops<depthwise>(*out[0], *in[1]), all_bytes(in, out)};
}
template <bool depthwise>
OpCost input_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {conv_flops<depthwise>(*in[1], *in[0]), all_bytes(in, out)};
}
template <bool depthwise>
OpCost filter_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {conv_flops<depthwise>(*in[1], *out[0]), all_bytes(in, out)};
}

Attrs window_of(const Attrs& attrs) {
  Attrs window = attrs;
  window.count = kWindowInts;
  return window;
}
Attrs window_and(const Attrs& attrs, const Shape& shape) {
  Attrs window = window_of(attrs);
  for (std::int64_t size : shape.dims()) window.push(size);
  return window;
}

// All three rows of a kind: y = conv(x, w), dx = input(w, g), dw = filter(x, g).
template <const OpDef& input, const OpDef& filter>
void conv_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, apply(input, c.in(1), c.grad(), window_and(c.attrs(), c.in_type(0).shape)));
  if (c.needs(1)) c.set(1, apply(filter, c.in(0), c.grad(), window_and(c.attrs(), c.in_type(1).shape)));
}
template <const OpDef& conv, const OpDef& filter>
void input_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, apply(filter, c.grad(), c.in(1), window_and(c.attrs(), c.in_type(0).shape)));
  if (c.needs(1)) c.set(1, apply(conv, c.grad(), c.in(0), window_of(c.attrs())));
}
template <const OpDef& conv, const OpDef& input>
void filter_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, apply(input, c.grad(), c.in(1), window_and(c.attrs(), c.in_type(0).shape)));
  if (c.needs(1)) c.set(1, apply(conv, c.in(0), c.grad(), window_of(c.attrs())));
}

constexpr std::uint32_t kBoth = OpDef::in_bit(0) | OpDef::in_bit(1);

Tensor convolve(const OpDef& op, const Arg& x, const Arg& filter, HeightWidth strides, ConvPadding padding,
                HeightWidth dilations) {
  const Tensor &image = x.tensor(), &weights = filter.tensor(image.dtype());
  // Wrong ranks are for the inference to name; margins need the right one.
  const bool fit = image.rank() == 4 && weights.rank() == 4;
  const Attrs attrs =
      fit ? window_attrs(op.name, image.shape(),
                         HeightWidth(static_cast<int>(weights.dim(0)), static_cast<int>(weights.dim(1))),
                         strides, dilations, padding, x.location())
          : Attrs();
  TensorImpl* inputs[] = {image.impl(), weights.impl()};
  return apply(op, inputs, attrs, x.location());
}

}  // namespace

constinit const OpDef kConv2D{
    .name = "Conv2D",
    .infer = infer_conv<false>,
    .kernel = conv_kernel<false>,
    .saves = kBoth,
    .vjp = conv_vjp<kConv2DBackpropInput, kConv2DBackpropFilter>,
    .linearity = Linearity::multilinear,
    .batch = BatchRule::custom,
    .batched = batch_rules::conv,
    .cost = conv_cost<false>,
    .doc = "Cross-correlation of images [n, h, w, in] with a filter [h, w, in, out]"};
constinit const OpDef kConv2DBackpropInput{
    .name = "Conv2DBackpropInput",
    .infer = infer_input<false>,
    .kernel = input_kernel<false>,
    .saves = kBoth,
    .vjp = input_vjp<kConv2D, kConv2DBackpropFilter>,
    .linearity = Linearity::multilinear,
    .batch = BatchRule::custom,
    .batched = batch_rules::conv_input,
    .cost = input_cost<false>,
    .doc = "The gradient of Conv2D by its image, from filter and cotangent"};
constinit const OpDef kConv2DBackpropFilter{
    .name = "Conv2DBackpropFilter",
    .infer = infer_filter<false>,
    .kernel = filter_kernel<false>,
    .saves = kBoth,
    .vjp = filter_vjp<kConv2D, kConv2DBackpropInput>,
    .linearity = Linearity::multilinear,
    .batch = BatchRule::custom,
    .batched = batch_rules::conv_filter,
    .cost = filter_cost<false>,
    .doc = "The gradient of Conv2D by its filter, from image and cotangent"};
constinit const OpDef kDepthwise{.name = "DepthwiseConv2dNative",
                                 .infer = infer_conv<true>,
                                 .kernel = conv_kernel<true>,
                                 .saves = kBoth,
                                 .vjp = conv_vjp<kDepthwiseBackpropInput, kDepthwiseBackpropFilter>,
                                 .linearity = Linearity::multilinear,
                                 .batch = BatchRule::custom,
                                 .batched = batch_rules::depthwise,
                                 .cost = conv_cost<true>,
                                 .doc = "Each channel with its own filters: [h, w, channels, multiplier]"};
constinit const OpDef kDepthwiseBackpropInput{
    .name = "DepthwiseConv2dNativeBackpropInput",
    .infer = infer_input<true>,
    .kernel = input_kernel<true>,
    .saves = kBoth,
    .vjp = input_vjp<kDepthwise, kDepthwiseBackpropFilter>,
    .linearity = Linearity::multilinear,
    .batch = BatchRule::custom,
    .batched = batch_rules::depthwise_input,
    .cost = input_cost<true>,
    .doc = "The gradient of the depthwise convolution by its image, from filter and cotangent"};
constinit const OpDef kDepthwiseBackpropFilter{
    .name = "DepthwiseConv2dNativeBackpropFilter",
    .infer = infer_filter<true>,
    .kernel = filter_kernel<true>,
    .saves = kBoth,
    .vjp = filter_vjp<kDepthwise, kDepthwiseBackpropInput>,
    .linearity = Linearity::multilinear,
    .batch = BatchRule::custom,
    .batched = batch_rules::depthwise_filter,
    .cost = filter_cost<true>,
    .doc = "The gradient of the depthwise convolution by its filter, from image and cotangent"};

Tensor conv2d(const Arg& x, const Arg& filter, HeightWidth strides, ConvPadding padding,
              HeightWidth dilations) {
  return convolve(kConv2D, x, filter, strides, padding, dilations);
}

Tensor depthwise_conv2d(const Arg& x, const Arg& filter, HeightWidth strides, ConvPadding padding,
                        HeightWidth dilations) {
  return convolve(kDepthwise, x, filter, strides, padding, dilations);
}

Tensor conv2d_transpose(const Arg& x, const Arg& filter, const Shape& output_shape, HeightWidth strides,
                        ConvPadding padding) {
  const Tensor &g = x.tensor(), &weights = filter.tensor(g.dtype());
  if (output_shape.rank() != 4 || weights.rank() != 4) {
    refuse("Conv2DBackpropInput",
           fmt::format("expected an output shape and a filter of four dimensions, got {} and {}",
                       output_shape.text(), weights.type().text()),
           x.location());
  }
  Attrs attrs = window_attrs("Conv2DBackpropInput", output_shape,
                             HeightWidth(static_cast<int>(weights.dim(0)), static_cast<int>(weights.dim(1))),
                             strides, 1, padding, x.location());
  for (std::int64_t size : output_shape.dims()) attrs.push(size);
  TensorImpl* inputs[] = {weights.impl(), g.impl()};
  return apply(kConv2DBackpropInput, inputs, attrs, x.location());
}

}  // namespace tapescope
