// Ops that reorder or repeat elements: transpose, broadcast_to, tile, repeat, reverse, roll.
#include <algorithm>

#include <fmt/format.h>

#include "engine/gate/arguments.h"
#include "engine/gate/infer_checks.h"
#include "engine/kernels/strided.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/index.h"
#include "engine/ops/index/shared.h"
#include "engine/ops/reduce.h"
#include "engine/ops/rows.h"
#include "engine/ops/shape.h"
#include "engine/ops/shape/rows.h"

namespace tapescope {
namespace {

std::size_t element_size(const KernelContext& c) { return size_of(c.in_type(0).dtype); }

void infer_transpose(InferContext& c) {
  const Shape& in = c.in(0).shape;
  const auto perm = c.attrs.ints();
  std::uint32_t seen = 0;
  Shape shape;
  for (std::int32_t axis : perm) {
    if (axis < 0 || axis >= in.rank() || (seen >> axis & 1)) break;
    seen |= 1u << axis;
    shape.push_back(in[axis]);
  }
  if (shape.rank() != in.rank() || static_cast<int>(perm.size()) != in.rank()) {
    c.fail(fmt::format("[{}] is no permutation of the {} dimensions of {}", fmt::join(perm, ", "), in.rank(),
                       c.in(0).text()));
  }
  c.out(c.in(0).dtype, shape);
}

void transpose_kernel(KernelContext& c) {
  const Shape& out = c.out_type().shape;
  const Strides from = strides_of(c.in_type(0).shape), to = strides_of(out);
  CopyDim dims[kMaxRank];
  for (int i = 0; i < out.rank(); ++i)
    dims[i] = {out[i], from[c.attrs.i[static_cast<std::size_t>(i)]], to[i]};
  strided_copy(element_size(c), {dims, static_cast<std::size_t>(out.rank())}, c.in<void>(0), c.out<void>());
}

void transpose_vjp(VjpContext& c) {
  Shape inverse = c.in_type(0).shape;  // for its rank; every entry is overwritten
  int i = 0;
  for (std::int32_t axis : c.attrs().ints()) inverse[axis] = i++;
  c.set(0, transpose(c.grad(), inverse));
}

Shape shape_in(const Attrs& attrs) {
  Shape shape;
  for (std::int32_t size : attrs.ints()) shape.push_back(size);
  return shape;
}

void infer_broadcast_to(InferContext& c) {
  const Shape& in = c.in(0).shape;
  const Shape shape = shape_in(c.attrs);
  bool fits = in.rank() <= shape.rank();
  for (int i = 1; fits && i <= in.rank(); ++i)
    fits = in[in.rank() - i] == 1 || in[in.rank() - i] == shape[shape.rank() - i];
  if (!fits) c.fail(fmt::format("{} does not broadcast to {}", c.in(0).text(), shape.text()));
  c.out(c.in(0).dtype, shape);
}

void broadcast_to_kernel(KernelContext& c) {
  const Shape& in = c.in_type(0).shape;
  const Shape& out = c.out_type().shape;
  const Strides from = strides_of(in), to = strides_of(out);
  CopyDim dims[kMaxRank];
  for (int i = 0; i < out.rank(); ++i) {
    const int k = i - (out.rank() - in.rank());
    dims[i] = {out[i], k < 0 || in[k] == 1 ? 0 : from[k], to[i]};
  }
  strided_copy(element_size(c), {dims, static_cast<std::size_t>(out.rank())}, c.in<void>(0), c.out<void>());
}

void broadcast_to_vjp(VjpContext& c) {
  const Shape& in = c.in_type(0).shape;
  const Shape& out = c.out_type().shape;
  int axes[kMaxRank];
  std::size_t count = 0;
  for (int i = 0; i < out.rank(); ++i) {
    const int k = i - (out.rank() - in.rank());
    if (k < 0 || (in[k] == 1 && out[i] != 1)) axes[count++] = i;
  }
  Tensor sum = count == 0 ? c.grad() : reduce_sum(c.grad(), Axes(std::span<const int>(axes, count)));
  c.set(0, sum.shape() == in ? sum : reshape(sum, in));
}

void infer_tile(InferContext& c) {
  Shape shape = c.in(0).shape;
  if (c.attrs.count != shape.rank()) {
    c.fail(fmt::format("got {} multiples for the {} dimensions of {}", c.attrs.count, shape.rank(),
                       c.in(0).text()));
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (c.attrs.i[static_cast<std::size_t>(i)] < 0)
      c.fail(fmt::format("multiple {} is negative", c.attrs.i[static_cast<std::size_t>(i)]));
    shape[i] *= c.attrs.i[static_cast<std::size_t>(i)];
  }
  c.out(c.in(0).dtype, shape);
}

void tile_kernel(KernelContext& c) {
  const Shape& in = c.in_type(0).shape;
  const Strides from = strides_of(in), to = strides_of(c.out_type().shape);
  CopyDim dims[kMaxCopyDims];
  for (int i = 0; i < in.rank(); ++i) {
    dims[2 * i] = {c.attrs.i[static_cast<std::size_t>(i)], 0, to[i] * in[i]};
    dims[2 * i + 1] = {in[i], from[i], to[i]};
  }
  strided_copy(element_size(c), {dims, static_cast<std::size_t>(2 * in.rank())}, c.in<void>(0),
               c.out<void>());
}

// g split into [m0, s0, m1, s1, ...] and summed over the m's. Dimensions that are not repeated stay whole, so
// that the interleaved shape keeps within the largest rank whenever at most half of them are; else one at a
// time.
void tile_vjp(VjpContext& c) {
  const Shape& in = c.in_type(0).shape;
  Tensor g = c.grad();
  for (int i = 0; i < in.rank(); ++i) {
    const std::int32_t multiple = c.attrs().i[static_cast<std::size_t>(i)];
    if (multiple == 1) continue;
    std::int64_t before = 1, after = 1;
    for (int k = 0; k < i; ++k) before *= in[k];
    for (int k = i + 1; k < in.rank(); ++k) after *= g.dim(k);
    Shape shape = g.shape();
    shape[i] = in[i];
    g = reshape(reduce_sum(reshape(g, {before, multiple, in[i], after}), 1), shape);
  }
  c.set(0, g);
}

// flags: bit i for axis i
void reverse_kernel(KernelContext& c) {
  const Shape& shape = c.in_type(0).shape;
  const Strides strides = strides_of(shape);
  CopyDim dims[kMaxRank];
  std::int64_t start = 0;
  for (int i = 0; i < shape.rank(); ++i) {
    const bool turned = c.attrs.flags >> i & 1;
    dims[i] = {shape[i], turned ? -strides[i] : strides[i], strides[i]};
    if (turned) start += (shape[i] - 1) * strides[i];
  }
  if (c.in_type(0).numel == 0) return;
  strided_copy(element_size(c), {dims, static_cast<std::size_t>(shape.rank())},
               offset_by(c.in<void>(0), start, element_size(c)), c.out<void>());
}

void reverse_vjp(VjpContext& c) {
  int axes[kMaxRank];
  std::size_t count = 0;
  for (int i = 0; i < kMaxRank; ++i) {
    if (c.attrs().flags >> i & 1) axes[count++] = i;
  }
  c.set(0, reverse(c.grad(), Axes(std::span<const int>(axes, count))));
}

// i: axis, shift in [0, size)
void roll_kernel(KernelContext& c) {
  const Shape& shape = c.in_type(0).shape;
  const int axis = c.attrs.i[0];
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) outer *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  const std::int64_t row = shape[axis] * inner, shift = c.attrs.i[1] * inner;
  // What is shifted beyond the end comes in front.
  const CopyDim tail[] = {{outer, row, row}, {shift, 1, 1}};
  const CopyDim head[] = {{outer, row, row}, {row - shift, 1, 1}};
  strided_copy(element_size(c), tail, offset_by(c.in<void>(0), row - shift, element_size(c)), c.out<void>());
  strided_copy(element_size(c), head, c.in<void>(0), offset_by(c.out<void>(), shift, element_size(c)));
}

void infer_reverse(InferContext& c) {
  check_axis_bits(c, c.attrs.flags);
  c.out(&c.in(0));
}

void infer_roll(InferContext& c) {
  check_axis(c, c.attrs.i[0]);
  const std::int64_t size = c.in(0).shape[c.attrs.i[0]], shift = c.attrs.i[1];
  if (shift < 0 || shift >= std::max<std::int64_t>(size, 1)) {
    c.fail(fmt::format("a shift by {} is out of range for dimension {} of {}", shift, c.attrs.i[0],
                       c.in(0).text()));
  }
  c.out(&c.in(0));
}

}  // namespace

constinit const OpDef kTranspose{.name = "Transpose",
                                 .infer = infer_transpose,
                                 .kernel = transpose_kernel,
                                 .vjp = transpose_vjp,
                                 .linearity = Linearity::linear,
                                 .batch = BatchRule::custom,
                                 .batched = batch_rules::permute,
                                 .cost = rows::move_cost,
                                 .doc = "Dimension k of the result is dimension i[k] of x"};
constinit const OpDef kBroadcastTo{
    .name = "BroadcastTo",
    .infer = infer_broadcast_to,
    .kernel = broadcast_to_kernel,
    .vjp = broadcast_to_vjp,
    .linearity = Linearity::linear,
    .batch = BatchRule::custom,
    .batched = batch_rules::broadcast,
    .cost = rows::move_cost,
    .doc = "x repeated along missing dimensions and those of size 1 to the shape i"};
constinit const OpDef kTile{.name = "Tile",
                            .infer = infer_tile,
                            .kernel = tile_kernel,
                            .vjp = tile_vjp,
                            .linearity = Linearity::linear,
                            .batch = BatchRule::custom,
                            .batched = batch_rules::repeat,
                            .cost = rows::move_cost,
                            .doc = "x repeated i[k] times along dimension k"};
constinit const OpDef kReverse{.name = "ReverseV2",
                               .infer = infer_reverse,
                               .kernel = reverse_kernel,
                               .vjp = reverse_vjp,
                               .linearity = Linearity::linear,
                               .batch = BatchRule::custom,
                               .batched = batch_rules::axis_bits,
                               .cost = rows::move_cost,
                               .doc = "x backwards along the axes of the bits of flags"};
constinit const OpDef kRoll{
    .name = "Roll",
    .infer = infer_roll,
    .kernel = roll_kernel,
    .vjp = [](VjpContext& c) { c.set(0, roll(c.grad(), -c.attrs().i[1], c.attrs().i[0])); },
    .linearity = Linearity::linear,
    .batch = BatchRule::custom,
    .batched = batch_rules::axis,
    .cost = rows::move_cost,
    .doc = "x moved i[1] places along axis i[0]; what leaves comes in at the other end"};

Tensor transpose(const Arg& x, const Ints& perm) {
  return apply(kTranspose, x, attrs_of(kTranspose.name, perm.values(), x.location()));
}

Tensor transpose(const Arg& x) {
  Attrs attrs;
  for (int i = x.tensor().rank() - 1; i >= 0; --i) attrs.push(i);
  return apply(kTranspose, x, attrs);
}

Tensor broadcast_to(const Arg& x, const Shape& shape) {
  return apply(kBroadcastTo, x, attrs_of(kBroadcastTo.name, shape.dims(), x.location()));
}

Tensor tile(const Arg& x, const Ints& multiples) {
  return apply(kTile, x, attrs_of(kTile.name, multiples.values(), x.location()));
}

Tensor repeat(const Arg& x, std::span<const std::int64_t> repeats, int axis) {
  const Tensor& t = x.tensor();
  const int front = front_axis("Repeat", axis, t, x.location());
  if (static_cast<std::int64_t>(repeats.size()) != t.dim(front)) {
    refuse("Repeat",
           fmt::format("got {} repeats for the size {} of dimension {} of {}", repeats.size(), t.dim(front),
                       front, t.type().text()),
           x.location());
  }
  std::int64_t total = 0;
  for (const std::int64_t count : repeats) {
    if (count < 0) refuse("Repeat", fmt::format("repeat {} is negative", count), x.location());
    if (__builtin_add_overflow(total, count, &total)) total = count;  // too large in any case
    in_32_bits("Repeat", std::max(total, count), x.location());
  }
  std::vector<double> rows;
  rows.reserve(static_cast<std::size_t>(total));
  for (std::size_t i = 0; i < repeats.size(); ++i)
    rows.insert(rows.end(), static_cast<std::size_t>(repeats[i]), static_cast<double>(i));
  const Tensor indices = make_tensor(rows, {static_cast<std::int64_t>(rows.size())}, DType::i64);
  return gather_part(x, indices, front);
}

Tensor repeat(const Arg& x, std::int64_t count, int axis) {
  const Tensor& t = x.tensor();
  const int front = front_axis("Repeat", axis, t, x.location());
  const std::vector<std::int64_t> repeats(static_cast<std::size_t>(t.dim(front)), count);
  return repeat(x, repeats, front);
}

Tensor reverse(const Arg& x, const Axes& axes) {
  const Tensor& t = x.tensor();
  Attrs attrs;
  if (axes.all()) attrs.flags = (1u << t.rank()) - 1;
  for (int axis : axes.given()) attrs.flags |= 1u << front_axis("ReverseV2", axis, t, x.location());
  return apply(kReverse, x, attrs);
}

Tensor roll(const Arg& x, std::int64_t shift, int axis) {
  const Tensor& t = x.tensor();
  const int front = front_axis("Roll", axis, t, x.location());
  const std::int64_t size = t.dim(front);
  Attrs attrs;
  attrs.push(front);
  attrs.push(size == 0 ? 0 : ((shift % size) + size) % size);
  return apply(kRoll, x, attrs);
}

}  // namespace tapescope
