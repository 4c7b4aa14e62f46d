// max_pool2d and avg_pool2d with their gradients.
#include <bit>
#include <type_traits>

#include "engine/ops/batch_rules.h"
#include "engine/ops/creation.h"
#include "engine/ops/dispatch.h"
#include "engine/ops/nn/rows.h"
#include "engine/ops/nn/window.h"

namespace tapescope {
namespace {

// The window's size follows its ints: height, width. AvgPoolGrad: then the image's shape.
constexpr int kWindowHeight = kWindowInts, kWindowWidth = kWindowInts + 1, kPoolInts = kWindowInts + 2;

Shape pooled_shape(InferContext& c, const Type& image) {
  if (image.shape.rank() != 4 || !is_floating(image.dtype))
    c.fail(fmt::format("expected floating images [n, h, w, channels], got {}", image.text()));
  const auto& i = c.attrs.i;
  const std::int64_t h =
      window_count(image.shape[1], i[kWindowHeight], i[kStrideY], 1, i[kPadTop] + i[kPadBottom]);
  const std::int64_t w =
      window_count(image.shape[2], i[kWindowWidth], i[kStrideX], 1, i[kPadLeft] + i[kPadRight]);
  if (h < 1 || w < 1)
    c.fail(
        fmt::format("the window {}x{} is larger than {}", i[kWindowHeight], i[kWindowWidth], image.text()));
  return {image.shape[0], h, w, image.shape[3]};
}

// Visits each window: visit(offset of its output, y0, y1, x0, x1, offset of the image). Only cells within the
// image.
template <class Visit>
void visit_windows(const Shape& image, const Shape& out, const Attrs& attrs, Visit visit) {
  const auto& i = attrs.i;
  std::int64_t at = 0;
  for (std::int64_t n = 0; n < out[0]; ++n) {
    for (std::int64_t oy = 0; oy < out[1]; ++oy) {
      const std::int64_t y = oy * i[kStrideY] - i[kPadTop];
      for (std::int64_t ox = 0; ox < out[2]; ++ox, at += out[3]) {
        const std::int64_t x = ox * i[kStrideX] - i[kPadLeft];
        visit(at, std::max<std::int64_t>(y, 0), std::min(y + i[kWindowHeight], image[1]),
              std::max<std::int64_t>(x, 0), std::min(x + i[kWindowWidth], image[2]),
              n * image[1] * image[2] * image[3]);
      }
    }
  }
}

void infer_pool(InferContext& c) { c.out(c.in(0).dtype, pooled_shape(c, c.in(0))); }

void max_pool_kernel(KernelContext& c) {
  const Shape &image = c.in_type(0).shape, &out = c.out_type().shape;
  dispatch_floating(c.out_type().dtype, [&]<class T>(T) {
    using W = Accumulator<T>;
    const T* x = c.in<T>(0);
    visit_windows(image, out, c.attrs,
                  [&](std::int64_t at, std::int64_t y0, std::int64_t y1, std::int64_t x0, std::int64_t x1,
                      std::int64_t base) {
                    T* best = c.out<T>() + at;
                    for (std::int64_t y = y0; y < y1; ++y) {
                      for (std::int64_t k = x0; k < x1; ++k) {
                        const T* cell = x + base + (y * image[2] + k) * image[3];
                        if (y == y0 && k == x0) {
                          std::copy_n(cell, image[3], best);
                        } else {
                          for (std::int64_t ch = 0; ch < image[3]; ++ch)
                            best[ch] =
                                static_cast<W>(cell[ch]) > static_cast<W>(best[ch]) ? cell[ch] : best[ch];
                        }
                      }
                    }
                  });
  });
}

// Loops over channels, without branches so that the compiler vectorizes them. Cells of a window are numbered
// in reading order.

// As wide as the accumulator, so that one mask serves both.
template <class T>
using Number = std::conditional_t<sizeof(Accumulator<T>) == 8, std::int64_t, std::int32_t>;

template <class W, class N>
W choose(N mask, W yes, W no) {
  return std::bit_cast<W>(static_cast<N>((std::bit_cast<N>(yes) & mask) | (std::bit_cast<N>(no) & ~mask)));
}

template <class T>
void keep_larger(const T* __restrict cell, Accumulator<T>* __restrict largest, Number<T>* __restrict winner,
                 Number<T> number, std::int64_t channels) {
  for (std::int64_t ch = 0; ch < channels; ++ch) {
    const auto value = static_cast<Accumulator<T>>(cell[ch]);
    const Number<T> larger = -static_cast<Number<T>>(value > largest[ch]);
    largest[ch] = choose(larger, value, largest[ch]);
    winner[ch] = choose(larger, number, winner[ch]);
  }
}

template <class T>
void add_to_winner(const T* __restrict g, const Number<T>* __restrict winner, Number<T> number,
                   Accumulator<T>* __restrict cell, std::int64_t channels) {
  for (std::int64_t ch = 0; ch < channels; ++ch) {
    const Number<T> won = -static_cast<Number<T>>(winner[ch] == number);
    cell[ch] += choose(won, static_cast<Accumulator<T>>(g[ch]), Accumulator<T>());
  }
}

template <class T>
void take_from_winner(const T* cell, const Number<T>* winner, Number<T> number, T* out,
                      std::int64_t channels) {
  for (std::int64_t ch = 0; ch < channels; ++ch) out[ch] = winner[ch] == number ? cell[ch] : out[ch];
}

// Visits each cell of each window: visit(offset of the output, offset of the cell, its number, for each
// channel the number of the first largest cell of the window).
template <class T, class Visit>
void visit_maxima(const Shape& image, const Shape& out, const Attrs& attrs, const T* x, Visit visit) {
  const std::int64_t channels = image[3];
  ScratchArray<Accumulator<T>> largest(static_cast<std::size_t>(channels));
  ScratchArray<Number<T>> winner(static_cast<std::size_t>(channels));
  visit_windows(
      image, out, attrs,
      [&](std::int64_t at, std::int64_t y0, std::int64_t y1, std::int64_t x0, std::int64_t x1,
          std::int64_t base) {
        const auto each_cell = [&](auto use) {
          Number<T> number = 0;
          for (std::int64_t y = y0; y < y1; ++y) {
            for (std::int64_t k = x0; k < x1; ++k) use(base + (y * image[2] + k) * channels, number++);
          }
        };
        each_cell([&](std::int64_t cell, Number<T> number) {
          if (number == 0) {
            std::copy_n(x + cell, channels, largest.data());
            std::fill_n(winner.data(), channels, 0);
          } else {
            keep_larger(x + cell, largest.data(), winner.data(), number, channels);
          }
        });
        each_cell([&](std::int64_t cell, Number<T> number) { visit(at, cell, number, winner.data()); });
      });
}

// MaxPoolGrad: inputs x, y, g. MaxPoolGradGrad: inputs x, y, h of x's shape.
void infer_max_pool_grad(InferContext& c) {
  const Shape expected = pooled_shape(c, c.in(0));
  if (&c.in(2) != intern_type(c.in(0).dtype, expected))
    c.fail(fmt::format("got the cotangent {}, expected the shape {}", c.in(2).text(), expected.text()));
  c.out(&c.in(0));
}
void infer_max_pool_grad_grad(InferContext& c) {
  if (&c.in(2) != &c.in(0)) c.fail(fmt::format("got {}, expected {}", c.in(2).text(), c.in(0).text()));
  c.out(c.in(0).dtype, pooled_shape(c, c.in(0)));
}

void max_pool_grad_kernel(KernelContext& c) {
  const std::int64_t channels = c.out_type().shape[3];
  dispatch_floating(c.out_type().dtype, [&]<class T>(T) {
    using W = Accumulator<T>;
    constexpr bool kInPlace = std::is_same_v<T, W>;
    ScratchArray<W> wide(kInPlace ? 0 : static_cast<std::size_t>(c.out_type().numel));
    W* sums = wide.data();
    if constexpr (kInPlace) {
      sums = c.out<T>();
      std::fill_n(sums, c.out_type().numel, W());
    }
    visit_maxima(c.out_type().shape, c.in_type(2).shape, c.attrs, c.in<T>(0),
                 [&](std::int64_t at, std::int64_t cell, Number<T> number, const Number<T>* winner) {
                   add_to_winner(c.in<T>(2) + at, winner, number, sums + cell, channels);
                 });
    for (std::size_t i = 0; i < wide.size(); ++i) c.out<T>()[i] = static_cast<T>(sums[i]);
  });
}

void max_pool_grad_grad_kernel(KernelContext& c) {
  const std::int64_t channels = c.out_type().shape[3];
  dispatch_floating(c.out_type().dtype, [&]<class T>(T) {
    visit_maxima(c.in_type(0).shape, c.out_type().shape, c.attrs, c.in<T>(0),
                 [&](std::int64_t at, std::int64_t cell, Number<T> number, const Number<T>* winner) {
                   take_from_winner(c.in<T>(2) + cell, winner, number, c.out<T>() + at, channels);
                 });
  });
}

Tensor apply3(const OpDef& op, const Tensor& a, const Tensor& b, const Tensor& c, const Attrs& attrs) {
  TensorImpl* inputs[] = {a.impl(), b.impl(), c.impl()};
  return apply(op, inputs, attrs, Location::current());
}
void set_zero(VjpContext& c, int i) {
  if (c.needs(i)) c.set(i, zeros(c.in_type(i).shape, c.in_type(i).dtype));
}

void max_pool_vjp(VjpContext& c) { c.set(0, apply3(kMaxPoolGrad, c.in(0), c.out(), c.grad(), c.attrs())); }
// Which cell is the largest does not change: zeros to image and output, as TensorFlow has it.
void max_pool_grad_vjp(VjpContext& c) {
  set_zero(c, 0);
  set_zero(c, 1);
  if (c.needs(2)) c.set(2, apply3(kMaxPoolGradGrad, c.in(0), c.in(1), c.grad(), c.attrs()));
}
void max_pool_grad_grad_vjp(VjpContext& c) {
  set_zero(c, 0);
  set_zero(c, 1);
  if (c.needs(2)) c.set(2, apply3(kMaxPoolGrad, c.in(0), c.in(1), c.grad(), c.attrs()));
}

void avg_pool_kernel(KernelContext& c) {
  const Shape &image = c.in_type(0).shape, &out = c.out_type().shape;
  dispatch_floating(c.out_type().dtype, [&]<class T>(T) {
    using W = Accumulator<T>;
    ScratchArray<W> sums(static_cast<std::size_t>(image[3]));
    visit_windows(image, out, c.attrs,
                  [&](std::int64_t at, std::int64_t y0, std::int64_t y1, std::int64_t x0, std::int64_t x1,
                      std::int64_t base) {
                    std::fill_n(sums.data(), image[3], W());
                    for (std::int64_t y = y0; y < y1; ++y) {
                      for (std::int64_t k = x0; k < x1; ++k) {
                        const T* cell = c.in<T>(0) + base + (y * image[2] + k) * image[3];
                        for (std::int64_t ch = 0; ch < image[3]; ++ch)
                          sums[static_cast<std::size_t>(ch)] += static_cast<W>(cell[ch]);
                      }
                    }
                    const W count = static_cast<W>((y1 - y0) * (x1 - x0));
                    for (std::int64_t ch = 0; ch < image[3]; ++ch)
                      c.out<T>()[at + ch] = static_cast<T>(sums[static_cast<std::size_t>(ch)] / count);
                  });
  });
}

void infer_avg_pool_grad(InferContext& c) {
  const Type* image = intern_type(c.in(0).dtype, given_shape(c.attrs, kPoolInts));
  const Shape expected = pooled_shape(c, *image);
  if (!(c.in(0).shape == expected))
    c.fail(fmt::format("got the cotangent {}, expected the shape {}", c.in(0).text(), expected.text()));
  c.out(image);
}

void avg_pool_grad_kernel(KernelContext& c) {
  const Shape& image = c.out_type().shape;
  dispatch_floating(c.out_type().dtype, [&]<class T>(T) {
    using W = Accumulator<T>;
    ScratchArray<W> sums(static_cast<std::size_t>(c.out_type().numel));
    visit_windows(image, c.in_type(0).shape, c.attrs,
                  [&](std::int64_t at, std::int64_t y0, std::int64_t y1, std::int64_t x0, std::int64_t x1,
                      std::int64_t base) {
                    const W count = static_cast<W>((y1 - y0) * (x1 - x0));
                    for (std::int64_t y = y0; y < y1; ++y) {
                      for (std::int64_t k = x0; k < x1; ++k) {
                        W* cell = sums.data() + base + (y * image[2] + k) * image[3];
                        for (std::int64_t ch = 0; ch < image[3]; ++ch)
                          cell[ch] += static_cast<W>(c.in<T>(0)[at + ch]) / count;
                      }
                    }
                  });
    for (std::size_t i = 0; i < sums.size(); ++i) c.out<T>()[i] = static_cast<T>(sums[i]);
  });
}

void avg_pool_vjp(VjpContext& c) {
  Attrs attrs = c.attrs();
  for (std::int64_t size : c.in_type(0).shape.dims()) attrs.push(size);
  c.set(0, apply(kAvgPoolGrad, c.grad(), attrs));
}
void avg_pool_grad_vjp(VjpContext& c) {
  Attrs attrs = c.attrs();
  attrs.count = kPoolInts;
  c.set(0, apply(kAvgPool, c.grad(), attrs));
}

// One operation for each cell of each window; a recording keeps no attributes, then as if windows did not
// overlap.
OpCost pool_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs& attrs) {
  const Type *small = in[0], *large = in[0];
  double bytes = static_cast<double>(out[0]->bytes);
  for (const Type* type : in) {
    bytes += static_cast<double>(type->bytes);
    if (type->numel < small->numel) small = type;
    if (type->numel > large->numel) large = type;
  }
  if (out[0]->numel < small->numel) small = out[0];
  if (out[0]->numel > large->numel) large = out[0];
  if (attrs.count < kPoolInts) return {static_cast<double>(large->numel), bytes};
  return {
      static_cast<double>(attrs.i[kWindowHeight]) * attrs.i[kWindowWidth] * static_cast<double>(small->numel),
      bytes};
}

Tensor pool(const OpDef& op, const Arg& x, HeightWidth size, HeightWidth strides, ConvPadding padding) {
  const Tensor& image = x.tensor();
  if (image.rank() != 4)
    refuse(op.name, fmt::format("expected images [n, h, w, channels], got {}", image.type().text()),
           x.location());
  Attrs attrs = window_attrs(op.name, image.shape(), size, strides, 1, padding, x.location());
  attrs.push(size.height);
  attrs.push(size.width);
  return apply(op, x, attrs);
}

constexpr std::uint32_t kXY = OpDef::in_bit(0) | OpDef::in_bit(1);

}  // namespace

constinit const OpDef kMaxPool{
    .name = "MaxPool",
    .infer = infer_pool,
    .kernel = max_pool_kernel,
    .saves = OpDef::in_bit(0) | OpDef::out_bit(0),
    .vjp = max_pool_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::pool,
    .cost = pool_cost,
    .doc = "The largest element of each window; the gradient goes to the first of a tie"};
constinit const OpDef kMaxPoolGrad{
    .name = "MaxPoolGrad",
    .infer = infer_max_pool_grad,
    .kernel = max_pool_grad_kernel,
    .saves = kXY,
    .vjp = max_pool_grad_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::pool,
    .cost = pool_cost,
    .doc = "The cotangent g at each window's largest element of x; inputs x, y, g"};
constinit const OpDef kMaxPoolGradGrad{
    .name = "MaxPoolGradGrad",
    .infer = infer_max_pool_grad_grad,
    .kernel = max_pool_grad_grad_kernel,
    .saves = kXY,
    .vjp = max_pool_grad_grad_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::pool,
    .cost = pool_cost,
    .doc = "The elements of h where each window's largest of x is; inputs x, y, h"};
constinit const OpDef kAvgPool{.name = "AvgPool",
                               .infer = infer_pool,
                               .kernel = avg_pool_kernel,
                               .vjp = avg_pool_vjp,
                               .linearity = Linearity::linear,
                               .batch = BatchRule::custom,
                               .batched = batch_rules::pool,
                               .cost = pool_cost,
                               .doc = "The mean of each window, over the cells within the image"};
constinit const OpDef kAvgPoolGrad{.name = "AvgPoolGrad",
                                   .infer = infer_avg_pool_grad,
                                   .kernel = avg_pool_grad_kernel,
                                   .vjp = avg_pool_grad_vjp,
                                   .linearity = Linearity::linear,
                                   .batch = BatchRule::custom,
                                   .batched = batch_rules::avg_pool_grad,
                                   .cost = pool_cost,
                                   .doc = "g divided evenly among the cells of its window"};

Tensor max_pool2d(const Arg& x, HeightWidth size, HeightWidth strides, ConvPadding padding) {
  return pool(kMaxPool, x, size, strides, padding);
}
Tensor avg_pool2d(const Arg& x, HeightWidth size, HeightWidth strides, ConvPadding padding) {
  return pool(kAvgPool, x, size, strides, padding);
}

}  // namespace tapescope
