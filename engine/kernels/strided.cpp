// Strided copies: dimensions that lie against each other are merged, a transposed pair goes tile by tile.
#include "engine/kernels/strided.h"

#include <algorithm>
#include <cstring>

namespace tapescope {
namespace {

struct Plan {
  CopyDim dims[kMaxCopyDims];
  int count = 0;
};

// Drops sizes of 1 and merges neighbours whose strides continue each other. False when nothing is to be
// copied.
bool simplify(std::span<const CopyDim> dims, Plan& plan) {
  for (const CopyDim& dim : dims) {
    if (dim.size == 0) return false;
    if (dim.size == 1) continue;
    if (plan.count > 0) {
      CopyDim& outer = plan.dims[plan.count - 1];
      if (outer.in_stride == dim.in_stride * dim.size && outer.out_stride == dim.out_stride * dim.size) {
        outer = {outer.size * dim.size, dim.in_stride, dim.out_stride};
        continue;
      }
    }
    plan.dims[plan.count++] = dim;
  }
  if (plan.count == 0) plan.dims[plan.count++] = {1, 1, 1};
  return true;
}

template <class T>
void copy_row(const CopyDim& dim, const T* in, T* out) {
  if (dim.in_stride == 1 && dim.out_stride == 1) {
    std::memcpy(out, in, static_cast<std::size_t>(dim.size) * sizeof(T));
  } else if (dim.in_stride == 0 && dim.out_stride == 1) {
    std::fill_n(out, dim.size, *in);
  } else {
    for (std::int64_t i = 0; i < dim.size; ++i) out[i * dim.out_stride] = in[i * dim.in_stride];
  }
}

// 16 x 16 elements: a tile's lines of input and output fit the first-level cache whatever the strides.
constexpr std::int64_t kTile = 16;

template <class T>
void copy_tiles(const CopyDim& a, const CopyDim& b, const T* in, T* out) {
  for (std::int64_t i0 = 0; i0 < a.size; i0 += kTile) {
    const std::int64_t i1 = std::min(a.size, i0 + kTile);
    for (std::int64_t j0 = 0; j0 < b.size; j0 += kTile) {
      const std::int64_t j1 = std::min(b.size, j0 + kTile);
      for (std::int64_t i = i0; i < i1; ++i) {
        const T* from = in + i * a.in_stride;
        T* to = out + i * a.out_stride;
        for (std::int64_t j = j0; j < j1; ++j) to[j * b.out_stride] = from[j * b.in_stride];
      }
    }
  }
}

template <class T>
void run(Plan& plan, const T* in, T* out) {
  int inner = 1;
  CopyDim& last = plan.dims[plan.count - 1];
  if (plan.count > 1 && last.in_stride != 1 && last.in_stride != 0) {
    // The dimension along which the input is contiguous joins the innermost one; the order of the others is
    // free.
    for (int i = plan.count - 2; i >= 0; --i) {
      if (plan.dims[i].in_stride == 1 && plan.dims[i].size >= 4) {
        std::swap(plan.dims[i], plan.dims[plan.count - 2]);
        inner = 2;
        break;
      }
    }
  }
  const int outer = plan.count - inner;
  std::int64_t index[kMaxCopyDims] = {};
  for (;;) {
    if (inner == 2) copy_tiles(plan.dims[outer], last, in, out);
    else copy_row(last, in, out);
    int d = outer - 1;
    for (; d >= 0; --d) {
      in += plan.dims[d].in_stride;
      out += plan.dims[d].out_stride;
      if (++index[d] < plan.dims[d].size) break;
      in -= plan.dims[d].in_stride * plan.dims[d].size;
      out -= plan.dims[d].out_stride * plan.dims[d].size;
      index[d] = 0;
    }
    if (d < 0) return;
  }
}

}  // namespace

void strided_copy(std::size_t element_size, std::span<const CopyDim> dims, const void* in, void* out) {
  Plan plan;
  if (!simplify(dims, plan)) return;
  switch (element_size) {
    case 1: return run(plan, static_cast<const std::uint8_t*>(in), static_cast<std::uint8_t*>(out));
    case 2: return run(plan, static_cast<const std::uint16_t*>(in), static_cast<std::uint16_t*>(out));
    case 4: return run(plan, static_cast<const std::uint32_t*>(in), static_cast<std::uint32_t*>(out));
    case 8: return run(plan, static_cast<const std::uint64_t*>(in), static_cast<std::uint64_t*>(out));
    default: return;
  }
}

Strides strides_of(const Shape& shape) {
  Strides strides;
  std::int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides.values[i] = stride;
    stride *= shape[i];
  }
  return strides;
}

}  // namespace tapescope
