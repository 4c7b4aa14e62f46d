// Convolution as matrix products: patches of the image become the rows of a matrix, a block at a time.
#include <algorithm>
#include <cstring>

#include "engine/kernels/gemm.h"
#include "engine/kernels/map.h"
#include "engine/kernels/scratch.h"
#include "engine/kernels/thread_pool.h"
#include "engine/ops/nn/conv_geometry.h"

namespace tapescope {

ConvGeometry conv_geometry(const Shape& image, const Shape& filter, const Attrs& attrs,
                           bool depthwise_filter) {
  ConvGeometry c{};
  c.images = image[0];
  c.height = image[1];
  c.width = image[2];
  c.channels = image[3];
  c.kernel_height = filter[0];
  c.kernel_width = filter[1];
  c.group_in = depthwise_filter ? 1 : filter[2];
  c.out = depthwise_filter ? filter[2] * filter[3] : filter[3];
  c.groups = c.group_in == 0 ? 1 : std::max<std::int64_t>(1, c.channels / c.group_in);
  c.stride_y = attrs.i[kStrideY];
  c.stride_x = attrs.i[kStrideX];
  c.dilation_y = attrs.i[kDilationY];
  c.dilation_x = attrs.i[kDilationX];
  c.pad_top = attrs.i[kPadTop];
  c.pad_left = attrs.i[kPadLeft];
  c.out_height =
      window_count(c.height, c.kernel_height, c.stride_y, c.dilation_y, c.pad_top + attrs.i[kPadBottom]);
  c.out_width =
      window_count(c.width, c.kernel_width, c.stride_x, c.dilation_x, c.pad_left + attrs.i[kPadRight]);
  return c;
}

std::int64_t window_count(std::int64_t size, std::int64_t window, std::int64_t stride, std::int64_t dilation,
                          std::int64_t pads) {
  const std::int64_t room = size + pads - ((window - 1) * dilation + 1);
  return room < 0 ? 0 : room / stride + 1;
}

namespace {

// A block of patches of about this many elements stays in the second-level cache until it is multiplied.
constexpr std::int64_t kBlockElements = 64 * 1024;
// Below this many operations a second thread does not pay.
constexpr double kSerialFlops = 2e6;

std::int64_t block_positions(const ConvGeometry& c) {
  return std::max<std::int64_t>(16, kBlockElements / std::max<std::int64_t>(1, c.patch()));
}

// An element of the output without its channel, counted on: for small windows divisions would be most of the
// work.
struct Position {
  std::int64_t image, y, x;
  Position(const ConvGeometry& c, std::int64_t index)
      : image(index / (c.out_width * c.out_height)),
        y(index / c.out_width % c.out_height),
        x(index % c.out_width) {}
  void next(const ConvGeometry& c) {
    if (++x < c.out_width) return;
    x = 0;
    if (++y < c.out_height) return;
    y = 0;
    ++image;
  }
};

// Visits the cells of one position's window that lie in the image, in runs of `count` neighbours along a row:
// visit(first cell of the window, count, image offset). A dilated window has runs of one.
template <class Visit>
void visit_window(const ConvGeometry& c, const Position& position, Visit visit) {
  const std::int64_t image = position.image;
  const std::int64_t y0 = position.y * c.stride_y - c.pad_top, x0 = position.x * c.stride_x - c.pad_left;
  for (std::int64_t ky = 0; ky < c.kernel_height; ++ky) {
    const std::int64_t y = y0 + ky * c.dilation_y;
    if (y < 0 || y >= c.height) continue;
    const std::int64_t row = (image * c.height + y) * c.width, cell = ky * c.kernel_width;
    if (c.dilation_x == 1) {
      const std::int64_t begin = std::max<std::int64_t>(0, -x0), end = std::min(c.kernel_width, c.width - x0);
      if (begin < end) visit(cell + begin, end - begin, (row + x0 + begin) * c.channels);
      continue;
    }
    for (std::int64_t kx = 0; kx < c.kernel_width; ++kx) {
      const std::int64_t x = x0 + kx * c.dilation_x;
      if (x >= 0 && x < c.width) visit(cell + kx, 1, (row + x) * c.channels);
    }
  }
}

// A run of a few elements is not worth a call of the library.
template <class T>
void copy_run(const T* from, std::int64_t count, T* to) {
  constexpr std::int64_t kBlock = 4;
  if (count < kBlock) {
    if (count > 0) to[0] = from[0];
    if (count > 1) to[1] = from[1];
    if (count > 2) to[2] = from[2];
  } else if (count <= 4 * kBlock) {
    for (std::int64_t i = 0; i < count - kBlock; i += kBlock)
      std::memcpy(to + i, from + i, kBlock * sizeof(T));
    std::memcpy(to + count - kBlock, from + count - kBlock, kBlock * sizeof(T));
  } else {
    std::copy_n(from, count, to);
  }
}

// Rows of `columns`: the patches of positions [first, last), of one group.
template <class T>
void gather_patches(const ConvGeometry& c, std::int64_t group, std::int64_t first, std::int64_t last,
                    const T* x, T* columns) {
  Position position(c, first);
  for (std::int64_t p = first; p < last; ++p, columns += c.patch(), position.next(c)) {
    std::int64_t filled = 0;
    visit_window(c, position, [&](std::int64_t cell, std::int64_t count, std::int64_t at) {
      const T* from = x + at + group * c.group_in;
      T* to = columns + cell * c.group_in;
      if (columns + filled != to) std::fill(columns + filled, to, T());
      filled = (cell + count) * c.group_in;
      if (c.groups == 1) return copy_run(from, count * c.channels, to);
      for (std::int64_t k = 0; k < count; ++k)
        std::copy_n(from + k * c.channels, c.group_in, to + k * c.group_in);
    });
    if (filled != c.patch()) std::fill(columns + filled, columns + c.patch(), T());
  }
}

template <class T>
void scatter_patches(const ConvGeometry& c, std::int64_t group, std::int64_t first, std::int64_t last,
                     const T* columns, T* dx) {
  Position position(c, first);
  for (std::int64_t p = first; p < last; ++p, columns += c.patch(), position.next(c)) {
    visit_window(c, position, [&](std::int64_t cell, std::int64_t count, std::int64_t at) {
      const T* from = columns + cell * c.group_in;
      T* to = dx + at + group * c.group_in;
      const std::int64_t run = c.groups == 1 ? count * c.channels : c.group_in;
      for (std::int64_t k = 0; k < (c.groups == 1 ? 1 : count); ++k) {
        for (std::int64_t i = 0; i < run; ++i) to[k * c.channels + i] += from[k * c.group_in + i];
      }
    });
  }
}

// The multiplications of a depthwise convolution: visit(filter offset, image offset, output offset) for each.
template <class Visit>
void visit_depthwise(const ConvGeometry& c, std::int64_t position, Visit visit) {
  const std::int64_t multiplier = c.group_out(), out = position * c.out;
  visit_window(c, Position(c, position), [&](std::int64_t cell, std::int64_t count, std::int64_t at) {
    for (std::int64_t k = 0; k < count; ++k) {
      const std::int64_t taps = (cell + k) * c.out, pixel = at + k * c.channels;
      for (std::int64_t i = 0; i < c.channels; ++i) {
        for (std::int64_t m = 0; m < multiplier; ++m)
          visit(taps + i * multiplier + m, pixel + i, out + i * multiplier + m);
      }
    }
  });
}

// Calls body(begin, end) over positions in blocks that begin at multiples of the block, on several threads
// when it pays.
template <class Body>
void over_blocks(const ConvGeometry& c, std::int64_t count, std::int64_t block, Body body) {
  const std::int64_t blocks = (count + block - 1) / block;
  kernels::parallel_for(blocks, 1, c.flops() < kSerialFlops ? blocks : 1,
                        [&](std::int64_t first, std::int64_t last) {
                          for (std::int64_t b = first; b < last; ++b)
                            body(b * block, std::min(count, (b + 1) * block));
                        });
}

template <class T>
void forward(const ConvGeometry& c, const T* x, const T* w, T* y) {
  if (c.pointwise())
    return kernels::gemm(kernels::Gemm::of(false, false, c.positions(), c.out, c.channels), x, w, y);
  const std::int64_t block = block_positions(c);
  over_blocks(c, c.positions(), block, [&](std::int64_t first, std::int64_t last) {
    if (c.depthwise()) {
      std::fill_n(y + first * c.out, (last - first) * c.out, T());
      for (std::int64_t p = first; p < last; ++p) {
        visit_depthwise(c, p, [&](std::int64_t tap, std::int64_t pixel, std::int64_t out) {
          y[out] += x[pixel] * w[tap];
        });
      }
      return;
    }
    const kernels::Scratch scratch(block * c.patch() * static_cast<std::int64_t>(sizeof(T)));
    T* columns = scratch.as<T>();
    for (std::int64_t group = 0; group < c.groups; ++group) {
      gather_patches(c, group, first, last, x, columns);
      const kernels::Gemm product{.m = last - first,
                                  .n = c.group_out(),
                                  .k = c.patch(),
                                  .lda = c.patch(),
                                  .ldb = c.out,
                                  .ldc = c.out};
      kernels::gemm(product, columns, w + group * c.group_out(), y + first * c.out + group * c.group_out());
    }
  });
}

template <class T>
void backprop_input(const ConvGeometry& c, const T* w, const T* g, T* dx) {
  if (c.pointwise())
    return kernels::gemm(kernels::Gemm::of(false, true, c.positions(), c.channels, c.out), g, w, dx);
  const std::int64_t pixels = c.height * c.width * c.channels, places = c.out_height * c.out_width;
  // Patches overlap within an image only, so images are what threads may divide.
  over_blocks(c, c.images, 1, [&](std::int64_t image, std::int64_t) {
    std::fill_n(dx + image * pixels, pixels, T());
    const std::int64_t end = (image + 1) * places;
    if (c.depthwise()) {
      for (std::int64_t p = image * places; p < end; ++p) {
        visit_depthwise(c, p, [&](std::int64_t tap, std::int64_t pixel, std::int64_t out) {
          dx[pixel] += g[out] * w[tap];
        });
      }
      return;
    }
    const std::int64_t block = std::min(block_positions(c), places);
    const kernels::Scratch scratch(block * c.patch() * static_cast<std::int64_t>(sizeof(T)));
    T* columns = scratch.as<T>();
    for (std::int64_t first = image * places; first < end; first += block) {
      const std::int64_t last = std::min(end, first + block);
      for (std::int64_t group = 0; group < c.groups; ++group) {
        const kernels::Gemm product{.transpose_b = true,
                                    .m = last - first,
                                    .n = c.patch(),
                                    .k = c.group_out(),
                                    .lda = c.out,
                                    .ldb = c.out,
                                    .ldc = c.patch()};
        kernels::gemm(product, g + first * c.out + group * c.group_out(), w + group * c.group_out(), columns);
        scatter_patches(c, group, first, last, columns, dx);
      }
    }
  });
}

template <class T>
void backprop_filter(const ConvGeometry& c, const T* x, const T* g, T* dw) {
  if (c.pointwise())
    return kernels::gemm(kernels::Gemm::of(true, false, c.channels, c.out, c.positions()), x, g, dw);
  std::fill_n(dw, c.patch() * c.out, T());
  if (c.depthwise()) {
    for (std::int64_t p = 0; p < c.positions(); ++p) {
      visit_depthwise(c, p, [&](std::int64_t tap, std::int64_t pixel, std::int64_t out) {
        dw[tap] += x[pixel] * g[out];
      });
    }
    return;
  }
  // One thread: the blocks' products add up in a fixed order.
  const std::int64_t block = block_positions(c);
  const kernels::Scratch scratch(block * c.patch() * static_cast<std::int64_t>(sizeof(T)));
  T* columns = scratch.as<T>();
  for (std::int64_t first = 0; first < c.positions(); first += block) {
    const std::int64_t last = std::min(c.positions(), first + block);
    for (std::int64_t group = 0; group < c.groups; ++group) {
      gather_patches(c, group, first, last, x, columns);
      const kernels::Gemm product{.transpose_a = true,
                                  .m = c.patch(),
                                  .n = c.group_out(),
                                  .k = last - first,
                                  .lda = c.patch(),
                                  .ldb = c.out,
                                  .ldc = c.out,
                                  .accumulate = true};
      kernels::gemm(product, columns, g + first * c.out + group * c.group_out(), dw + group * c.group_out());
    }
  }
}

// Half types: widened whole, computed in float32, rounded once.
template <class Run>
void in_compute_type(DType dtype, std::int64_t a_count, const void* a, std::int64_t b_count, const void* b,
                     std::int64_t out_count, void* out, Run run) {
  if (out_count == 0) return;
  if (dtype == DType::f32)
    return run(static_cast<const float*>(a), static_cast<const float*>(b), static_cast<float*>(out));
  if (dtype == DType::f64)
    return run(static_cast<const double*>(a), static_cast<const double*>(b), static_cast<double*>(out));
  const kernels::Scratch wide_a(4 * a_count), wide_b(4 * b_count), wide_out(4 * out_count);
  kernels::convert(dtype, a, DType::f32, wide_a.as<float>(), a_count);
  kernels::convert(dtype, b, DType::f32, wide_b.as<float>(), b_count);
  run(static_cast<const float*>(wide_a.as<float>()), static_cast<const float*>(wide_b.as<float>()),
      wide_out.as<float>());
  kernels::convert(DType::f32, wide_out.as<float>(), dtype, out, out_count);
}

}  // namespace

void conv_forward(DType dtype, const ConvGeometry& c, const void* x, const void* w, void* y) {
  in_compute_type(dtype, c.images * c.height * c.width * c.channels, x, c.patch() * c.out, w,
                  c.positions() * c.out, y, [&](auto* a, auto* b, auto* out) { forward(c, a, b, out); });
}

void conv_backprop_input(DType dtype, const ConvGeometry& c, const void* w, const void* g, void* dx) {
  in_compute_type(dtype, c.patch() * c.out, w, c.positions() * c.out, g,
                  c.images * c.height * c.width * c.channels, dx,
                  [&](auto* a, auto* b, auto* out) { backprop_input(c, a, b, out); });
}

void conv_backprop_filter(DType dtype, const ConvGeometry& c, const void* x, const void* g, void* dw) {
  in_compute_type(dtype, c.images * c.height * c.width * c.channels, x, c.positions() * c.out, g,
                  c.patch() * c.out, dw, [&](auto* a, auto* b, auto* out) { backprop_filter(c, a, b, out); });
}

}  // namespace tapescope
