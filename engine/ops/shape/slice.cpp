// Slices: a box, and Python's strided slices with masks.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/gate/arguments.h"
#include "engine/kernels/strided.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/rows.h"
#include "engine/ops/shape.h"
#include "engine/ops/shape/rows.h"

namespace tapescope {
namespace {

// Slice: i is begin of every dimension, then size.
void infer_slice(InferContext& c) {
  const Shape& in = c.in(0).shape;
  const auto ints = c.attrs.ints();
  const std::size_t rank = static_cast<std::size_t>(in.rank());
  if (ints.size() != 2 * rank)
    c.fail(fmt::format("got {} numbers of begin and size for {}, expected {} each", ints.size(),
                       c.in(0).text(), rank));
  Shape shape;
  for (std::size_t i = 0; i < rank; ++i) {
    const std::int64_t begin = ints[i], size = ints[rank + i], whole = in[static_cast<int>(i)];
    if (begin < 0 || size < 0 || size > whole - begin) {
      c.fail(fmt::format("{} elements from {} on are not within dimension {} of {}", size, begin, i,
                         c.in(0).text()));
    }
    shape.push_back(size);
  }
  c.out(c.in(0).dtype, shape);
}

void slice_kernel(KernelContext& c) {
  const Shape& out = c.out_type().shape;
  const Strides from = strides_of(c.in_type(0).shape), to = strides_of(out);
  const std::size_t element = size_of(c.in_type(0).dtype);
  CopyDim dims[kMaxRank];
  std::int64_t start = 0;
  for (int i = 0; i < out.rank(); ++i) {
    dims[i] = {out[i], from[i], to[i]};
    start += c.attrs.i[static_cast<std::size_t>(i)] * from[i];
  }
  strided_copy(element, {dims, static_cast<std::size_t>(out.rank())},
               offset_by(c.in<void>(0), start, element), c.out<void>());
}

void slice_vjp(VjpContext& c) {
  const Shape& in = c.in_type(0).shape;
  const Shape& out = c.out_type().shape;
  Padding paddings[kMaxRank];
  for (int i = 0; i < in.rank(); ++i) {
    const std::int64_t begin = c.attrs().i[static_cast<std::size_t>(i)];
    paddings[i] = {begin, in[i] - begin - out[i]};
  }
  c.set(0, pad(c.grad(), std::span<const Padding>(paddings, static_cast<std::size_t>(in.rank()))));
}

// StridedSlice: public calls resolve masks and negative positions, so that rows hold one plain form for each
// dimension of x: (first, count, stride). flags: bits of dimensions that are dropped, from bit 8 on bits of
// result dimensions that are new. StridedSliceGrad: the same, then x's shape.
struct Taken {
  std::int64_t first, count, stride;
};
Taken taken(const Attrs& attrs, int dim) {
  const std::size_t at = static_cast<std::size_t>(3 * dim);
  return {attrs.i[at], attrs.i[at + 1], attrs.i[at + 2]};
}

Shape sliced_shape(const Attrs& attrs, int rank) {
  Shape shape;
  int dim = 0;
  while (true) {
    if (attrs.flags >> (8 + shape.rank()) & 1) {
      shape.push_back(1);
      continue;
    }
    if (dim == rank) return shape;
    if (!(attrs.flags >> dim & 1)) shape.push_back(taken(attrs, dim).count);
    ++dim;
  }
}

// The attributes were resolved for a shape: they fit where every element taken lies within this one.
void infer_strided_slice(InferContext& c) {
  const Type& type = c.in(0);
  bool fits = c.attrs.count >= 3 * type.shape.rank();
  for (int i = 0; fits && i < type.shape.rank(); ++i) {
    const Taken t = taken(c.attrs, i);
    const std::int64_t last = t.first + (t.count - 1) * t.stride;
    fits = t.count == 0 ||
           (t.count > 0 && std::min(t.first, last) >= 0 && std::max(t.first, last) < type.shape[i]);
  }
  if (!fits)
    c.fail(fmt::format("the places [{}] (first, count and stride of each dimension) are not within {}",
                       fmt::join(c.attrs.ints(), ", "), type.text()));
  c.out(type.dtype, sliced_shape(c.attrs, type.shape.rank()));
}

// Fills the dimensions of a copy between the slice's places in the whole (strided) and the slice
// (contiguous).
std::int64_t slice_dims(const Attrs& attrs, const Shape& whole, CopyDim* dims, bool reading) {
  const Strides strides = strides_of(whole);
  std::int64_t start = 0, inner = 1;
  for (int i = whole.rank() - 1; i >= 0; --i) {
    const Taken t = taken(attrs, i);
    const std::int64_t step = t.stride * strides[i];
    dims[i] = reading ? CopyDim{t.count, step, inner} : CopyDim{t.count, inner, step};
    start += t.first * strides[i];
    inner *= t.count;
  }
  return start;
}

void strided_slice_kernel(KernelContext& c) {
  const Shape& in = c.in_type(0).shape;
  const std::size_t element = size_of(c.in_type(0).dtype);
  CopyDim dims[kMaxRank];
  const std::int64_t start = slice_dims(c.attrs, in, dims, true);
  if (c.out_type().numel == 0) return;
  strided_copy(element, {dims, static_cast<std::size_t>(in.rank())}, offset_by(c.in<void>(0), start, element),
               c.out<void>());
}

Shape whole_shape(const Attrs& attrs) {
  Shape shape;
  for (int i = attrs.count / 4 * 3; i < attrs.count; ++i)
    shape.push_back(attrs.i[static_cast<std::size_t>(i)]);
  return shape;
}

void infer_strided_slice_grad(InferContext& c) {
  const Shape whole = whole_shape(c.attrs);
  const Shape slice = sliced_shape(c.attrs, whole.rank());
  if (!(c.in(0).shape == slice))
    c.fail(
        fmt::format("got {}, the slice of {} has the shape {}", c.in(0).text(), whole.text(), slice.text()));
  c.out(c.in(0).dtype, whole);
}

void strided_slice_grad_kernel(KernelContext& c) {
  const Shape& whole = c.out_type().shape;
  const std::size_t element = size_of(c.in_type(0).dtype);
  std::memset(c.out<void>(), 0, static_cast<std::size_t>(c.out_type().bytes));
  CopyDim dims[kMaxRank];
  const std::int64_t start = slice_dims(c.attrs, whole, dims, false);
  if (c.in_type(0).numel == 0) return;
  strided_copy(element, {dims, static_cast<std::size_t>(whole.rank())}, c.in<void>(0),
               offset_by(c.out<void>(), start, element));
}

void strided_slice_vjp(VjpContext& c) {
  Attrs attrs = c.attrs();
  for (std::int64_t size : c.in_type(0).shape.dims()) attrs.push(size);
  c.set(0, apply(kStridedSliceGrad, c.grad(), attrs));
}

void strided_slice_grad_vjp(VjpContext& c) {
  Attrs attrs = c.attrs();
  attrs.count = attrs.count / 4 * 3;
  c.set(0, apply(kStridedSlice, c.grad(), attrs));
}

// Python's rules for one dimension.
Taken resolve(const StridedSlice& spec, int entry, std::int64_t size, int dim, const Type& type,
              const Location& location) {
  const std::int64_t stride = spec.strides[entry];
  const auto bit = [entry](std::uint32_t mask) { return (mask >> entry & 1) != 0; };
  if (stride == 0) refuse("StridedSlice", fmt::format("stride {} is 0", entry), location);
  std::int64_t begin = spec.begin[entry], end = spec.end[entry];
  if (bit(spec.shrink_mask)) {
    const std::int64_t index = begin < 0 ? begin + size : begin;
    if (index < 0 || index >= size) {
      refuse("StridedSlice",
             fmt::format("index {} is out of range for dimension {} of {}", begin, dim, type.text()),
             location);
    }
    return {index, 1, 1};
  }
  const bool forward = stride > 0;
  const std::int64_t low = forward ? 0 : -1, high = forward ? size : size - 1;
  const auto clamped = [&](std::int64_t at) { return std::clamp(at < 0 ? at + size : at, low, high); };
  // Before a distance is measured: every stride beyond the dimension takes one element, and any number may
  // come in.
  const std::int64_t most = size + 1, step = std::clamp(stride, -most, most);
  begin = bit(spec.begin_mask) ? (forward ? low : high) : clamped(begin);
  end = bit(spec.end_mask) ? (forward ? high : low) : clamped(end);
  const std::int64_t span = forward ? end - begin : begin - end;
  return {begin, span > 0 ? (span - 1) / std::abs(step) + 1 : 0, step};
}

Attrs resolved(const StridedSlice& spec, const Type& type, const Location& location) {
  const Shape& in = type.shape;
  const int entries = spec.begin.size();
  if (spec.end.size() != entries || spec.strides.size() != entries) {
    refuse("StridedSlice",
           fmt::format("got {} begins, {} ends and {} strides, expected equally many", entries,
                       spec.end.size(), spec.strides.size()),
           location);
  }
  int given = 0;
  for (int e = 0; e < entries; ++e) given += !(spec.new_mask >> e & 1) && !(spec.ellipsis_mask >> e & 1);
  if (given > in.rank())
    refuse("StridedSlice", fmt::format("got {} indices for {}", given, type.text()), location);
  Attrs attrs;
  int dim = 0, out = 0;
  const auto whole = [&](int count) {
    for (; count > 0; --count, ++dim, ++out) {
      attrs.push(0);
      attrs.push(in[dim]);
      attrs.push(1);
    }
  };
  for (int e = 0; e < entries; ++e) {
    if (spec.ellipsis_mask >> e & 1) {
      whole(in.rank() - given);
      given = in.rank();
    } else if (spec.new_mask >> e & 1) {
      attrs.flags |= 1u << (8 + out++);
    } else {
      const Taken t = resolve(spec, e, in[dim], dim, type, location);
      attrs.push(t.first);
      attrs.push(t.count);
      attrs.push(t.stride);
      if (spec.shrink_mask >> e & 1) attrs.flags |= 1u << dim;
      else ++out;
      ++dim;
    }
  }
  whole(in.rank() - dim);
  return attrs;
}

}  // namespace

constinit const OpDef kSlice{.name = "Slice",
                             .infer = infer_slice,
                             .kernel = slice_kernel,
                             .vjp = slice_vjp,
                             .linearity = Linearity::linear,
                             .batch = BatchRule::custom,
                             .batched = batch_rules::box,
                             .cost = rows::move_cost,
                             .doc = "A box of x: i holds where it begins in each dimension, then its sizes"};
constinit const OpDef kStridedSlice{
    .name = "StridedSlice",
    .infer = infer_strided_slice,
    .kernel = strided_slice_kernel,
    .vjp = strided_slice_vjp,
    .linearity = Linearity::linear,
    .batch = BatchRule::custom,
    .batched = batch_rules::strided,
    .cost = rows::move_cost,
    .doc = "i holds first, count and stride for each dimension of x; flags: dropped and new dimensions"};
constinit const OpDef kStridedSliceGrad{.name = "StridedSliceGrad",
                                        .infer = infer_strided_slice_grad,
                                        .kernel = strided_slice_grad_kernel,
                                        .vjp = strided_slice_grad_vjp,
                                        .linearity = Linearity::linear,
                                        .batch = BatchRule::custom,
                                        .batched = batch_rules::strided_grad,
                                        .cost = rows::move_cost,
                                        .doc = "Zeros with g at the places that StridedSlice takes"};

Tensor slice(const Arg& x, const Ints& begin, const Ints& size) {
  const Tensor& t = x.tensor();
  if (begin.size() != t.rank() || size.size() != t.rank()) {
    refuse("Slice",
           fmt::format("got {} begins and {} sizes for {}, expected {} each", begin.size(), size.size(),
                       t.type().text(), t.rank()),
           x.location());
  }
  for (int i = 0; i < size.size(); ++i) {
    const std::int64_t whole = t.dim(i);
    if (begin[i] < 0 || begin[i] > whole || size[i] < -1 || size[i] > whole - begin[i]) {
      refuse("Slice",
             fmt::format("{} elements from {} on are not within dimension {} of {}", size[i], begin[i], i,
                         t.type().text()),
             x.location());
    }
  }
  Attrs attrs = attrs_of("Slice", begin.values(), x.location());
  for (int i = 0; i < size.size(); ++i) attrs.push(size[i] == -1 ? t.dim(i) - begin[i] : size[i]);
  return apply(kSlice, x, attrs);
}

Tensor strided_slice(const Arg& x, const StridedSlice& spec) {
  return apply(kStridedSlice, x, resolved(spec, x.tensor().type(), x.location()));
}

Tensor strided_slice(const Arg& x, const Ints& begin, const Ints& end, const Ints& strides) {
  return strided_slice(x, StridedSlice{.begin = begin, .end = end, .strides = strides});
}

Tensor at(const Arg& x, std::int64_t index) {
  return strided_slice(x, StridedSlice{.begin = {index}, .end = {index}, .strides = {1}, .shrink_mask = 1});
}

Tensor strided_slice_grad(const Arg& g, const Shape& shape, const StridedSlice& spec) {
  Attrs attrs = resolved(spec, *intern_type(g.tensor().dtype(), shape), g.location());
  for (std::int64_t size : shape.dims()) attrs.push(size);
  return apply(kStridedSliceGrad, g, attrs);
}

}  // namespace tapescope
