// Margins around a tensor: of a constant, or mirrored.
#include <fmt/format.h>

#include <vector>

#include "engine/gate/arguments.h"
#include "engine/kernels/strided.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/dispatch.h"
#include "engine/ops/rows.h"
#include "engine/ops/shape.h"
#include "engine/ops/shape/rows.h"

namespace tapescope {
namespace {

// i: before and after of each dimension. flags (mirrored rows): 1 when the edge itself is repeated
// ("symmetric").
Padding padding(const Attrs& attrs, int dim) {
  const std::size_t at = static_cast<std::size_t>(2 * dim);
  return {attrs.i[at], attrs.i[at + 1]};
}

void check_count(InferContext& c) {
  if (c.attrs.count != 2 * c.in(0).shape.rank()) {
    c.fail(fmt::format("got {} paddings for the {} dimensions of {}", c.attrs.count / 2, c.in(0).shape.rank(),
                       c.in(0).text()));
  }
}

void infer_pad(InferContext& c) {
  check_count(c);
  const Type& filler = c.in(c.input_count() - 1);
  if (c.in(0).dtype == DType::resource || filler.dtype != c.in(0).dtype ||
      (c.input_count() > 1 && filler.numel != 1)) {
    c.fail(fmt::format("expected a tensor and one element of its dtype around it, got {} and {}",
                       c.in(0).text(), filler.text()));
  }
  Shape shape = c.in(0).shape;
  for (int i = 0; i < shape.rank(); ++i) {
    const Padding p = padding(c.attrs, i);
    if (p.before < 0 || p.after < 0)
      c.fail(fmt::format("padding ({}, {}) of dimension {} is negative", p.before, p.after, i));
    shape[i] += p.before + p.after;
  }
  c.out(c.in(0).dtype, shape);
}

// Input 1 of PadV2 is the constant; Pad's is zero.
void pad_kernel(KernelContext& c) {
  const Shape& in = c.in_type(0).shape;
  const Type& out = c.out_type();
  const std::size_t element = size_of(out.dtype);
  const std::uint64_t zero = 0;
  const CopyDim all[] = {{out.numel, 0, 1}};
  if (out.numel != c.in_type(0).numel)
    strided_copy(element, all, c.inputs.size() > 1 ? c.in<void>(1) : &zero, c.out<void>());
  const Strides from = strides_of(in), to = strides_of(out.shape);
  CopyDim dims[kMaxRank];
  std::int64_t start = 0;
  for (int i = 0; i < in.rank(); ++i) {
    dims[i] = {in[i], from[i], to[i]};
    start += padding(c.attrs, i).before * to[i];
  }
  strided_copy(element, {dims, static_cast<std::size_t>(in.rank())}, c.in<void>(0),
               offset_by(c.out<void>(), start, element));
}

void pad_vjp(VjpContext& c) {
  const Shape& in = c.in_type(0).shape;
  Shape begin = in;
  for (int i = 0; i < in.rank(); ++i) begin[i] = padding(c.attrs(), i).before;
  c.set(0, slice(c.grad(), begin, in));
}

// Position in a dimension of `size` elements that place `at` of the padded one shows.
std::int64_t mirrored(std::int64_t at, std::int64_t before, std::int64_t size, bool symmetric) {
  const std::int64_t i = at - before;
  if (i < 0) return symmetric ? -i - 1 : -i;
  if (i >= size) return symmetric ? 2 * size - 1 - i : 2 * size - 2 - i;
  return i;
}

// For each element of the padded shape, the element of the inner one that it shows; in row-major order.
template <class Visit>
void visit_mirror(const Shape& inner, const Shape& padded, const Attrs& attrs, Visit visit) {
  if (padded.numel() == 0) return;
  const Strides strides = strides_of(inner);
  const int rank = inner.rank();
  std::int64_t index[kMaxRank] = {};
  for (std::int64_t at = 0;; ++at) {
    std::int64_t source = 0;
    for (int i = 0; i < rank; ++i)
      source += strides[i] * mirrored(index[i], padding(attrs, i).before, inner[i], attrs.flags & 1);
    visit(at, source);
    int d = rank - 1;
    while (d >= 0 && ++index[d] == padded[d]) index[d--] = 0;
    if (d < 0) return;
  }
}

// `inner` is what the margins mirror.
void check_mirror(InferContext& c, const Shape& inner) {
  for (int i = 0; i < inner.rank(); ++i) {
    const Padding p = padding(c.attrs, i);
    const std::int64_t most = std::max<std::int64_t>(inner[i] - (c.attrs.flags & 1 ? 0 : 1), 0);
    if (p.before > most || p.after > most) {
      c.fail(fmt::format("padding ({}, {}) of dimension {} of {} mirrors more than the {} elements there are",
                         p.before, p.after, i, c.in(0).text(), most));
    }
  }
}

void infer_mirror_pad(InferContext& c) {
  infer_pad(c);
  check_mirror(c, c.in(0).shape);
}

void mirror_pad_kernel(KernelContext& c) {
  dispatch_size(size_of(c.in_type(0).dtype), [&]<class T>(T) {
    const T* in = c.in<T>(0);
    T* out = c.out<T>();
    visit_mirror(c.in_type(0).shape, c.out_type().shape, c.attrs,
                 [&](std::int64_t at, std::int64_t source) { out[at] = in[source]; });
  });
}

void infer_mirror_pad_grad(InferContext& c) {
  check_count(c);
  Shape shape = c.in(0).shape;
  for (int i = 0; i < shape.rank(); ++i) {
    const Padding p = padding(c.attrs, i);
    shape[i] -= p.before + p.after;
    if (shape[i] < 0)
      c.fail(fmt::format("padding ({}, {}) is more than dimension {} of {}", p.before, p.after, i,
                         c.in(0).text()));
  }
  check_mirror(c, shape);
  c.out(c.in(0).dtype, shape);
}

void mirror_pad_grad_kernel(KernelContext& c) {
  dispatch_floating(c.in_type(0).dtype, [&]<class T>(T) {
    using Sum = Accumulator<T>;
    const T* in = c.in<T>(0);
    ScratchArray<Sum> sums(static_cast<std::size_t>(c.out_type().numel));
    visit_mirror(c.out_type().shape, c.in_type(0).shape, c.attrs, [&](std::int64_t at, std::int64_t source) {
      sums[static_cast<std::size_t>(source)] += static_cast<Sum>(in[at]);
    });
    for (std::size_t i = 0; i < sums.size(); ++i) c.out<T>()[i] = static_cast<T>(sums[i]);
  });
}

void mirror_pad_vjp(VjpContext& c) { c.set(0, apply(kMirrorPadGrad, c.grad(), c.attrs())); }
void mirror_pad_grad_vjp(VjpContext& c) { c.set(0, apply(kMirrorPad, c.grad(), c.attrs())); }

Attrs padding_attrs(std::span<const Padding> paddings, PadMode mode, std::string_view op,
                    const Location& location) {
  if (paddings.size() > static_cast<std::size_t>(kMaxRank))
    refuse(op, fmt::format("got {} paddings, a tensor has at most {} dimensions", paddings.size(), kMaxRank),
           location);
  Attrs attrs;
  for (const Padding& p : paddings) {
    attrs.push(in_32_bits(op, p.before, location));
    attrs.push(in_32_bits(op, p.after, location));
  }
  attrs.flags = mode == PadMode::symmetric;
  return attrs;
}

}  // namespace

constinit const OpDef kPad{.name = "Pad",
                           .infer = infer_pad,
                           .kernel = pad_kernel,
                           .vjp = pad_vjp,
                           .linearity = Linearity::linear,
                           .batch = BatchRule::custom,
                           .batched = batch_rules::margins,
                           .cost = rows::move_cost,
                           .doc = "Zeros around x: i holds how many before and after in each dimension"};
constinit const OpDef kPadV2{.name = "PadV2",
                             .infer = infer_pad,
                             .kernel = pad_kernel,
                             .vjp = pad_vjp,
                             .batch = BatchRule::custom,
                             .batched = batch_rules::margins,
                             .cost = rows::move_cost,
                             .never = OpDef::in_bit(1),
                             .doc = "Input 1, a scalar, around x; it gets no gradient"};
constinit const OpDef kMirrorPad{.name = "MirrorPad",
                                 .infer = infer_mirror_pad,
                                 .kernel = mirror_pad_kernel,
                                 .vjp = mirror_pad_vjp,
                                 .linearity = Linearity::linear,
                                 .batch = BatchRule::custom,
                                 .batched = batch_rules::margins,
                                 .cost = rows::move_cost,
                                 .doc = "x mirrored at its edges, which flags bit 0 repeats"};
constinit const OpDef kMirrorPadGrad{.name = "MirrorPadGrad",
                                     .infer = infer_mirror_pad_grad,
                                     .kernel = mirror_pad_grad_kernel,
                                     .vjp = mirror_pad_grad_vjp,
                                     .linearity = Linearity::linear,
                                     .batch = BatchRule::custom,
                                     .batched = batch_rules::margins,
                                     .cost = rows::move_cost,
                                     .doc = "The inner part of g with the mirrored margins added back"};

Tensor pad(const Arg& x, std::span<const Padding> paddings, PadMode mode, const Arg& value) {
  if (mode != PadMode::constant)
    return apply(kMirrorPad, x, padding_attrs(paddings, mode, "MirrorPad", x.location()));
  const Attrs attrs = padding_attrs(paddings, mode, "Pad", x.location());
  if (value.is_number() && value.number().real() == 0) return apply(kPad, x, attrs);
  const Tensor& filler = value.tensor(x.tensor().dtype(), "PadV2");
  return apply(kPadV2, x, Arg(filler, x.location()), attrs);
}

Tensor pad(const Arg& x, std::initializer_list<Padding> paddings, PadMode mode, const Arg& value) {
  return pad(x, std::span(paddings.begin(), paddings.size()), mode, value);
}

Tensor mirror_pad_grad(const Arg& g, std::span<const Padding> paddings, PadMode mode) {
  return apply(kMirrorPadGrad, g, padding_attrs(paddings, mode, "MirrorPadGrad", g.location()));
}

}  // namespace tapescope
