// Rows and functions of running sums and products and of positions of extremes.
#include "engine/gate/arguments.h"
#include "engine/gate/infer_checks.h"
#include "engine/kernels/scratch.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/reduce/rows.h"
#include "engine/ops/shape.h"

namespace tapescope {
namespace {

using namespace rows;

void same_infer(InferContext& c) {
  check_axis(c, c.attrs.i[0]);
  if (c.in(0).dtype >= DType::boolean) refuse_dtype(c, c.in(0).dtype);
  for (int i = 1; i < c.input_count(); ++i) {
    if (c.inputs[i]->type != c.inputs[0]->type) {
      c.fail(fmt::format("the operands' types differ, expected {} twice, got {}", c.in(0).text(),
                         c.in(i).text()));
    }
  }
  c.out(c.inputs[0]->type);
}
template <bool kProduct>
void scan_kernel(KernelContext& c) {
  const Around at(c.in_type(0).shape, c.attrs.i[0]);
  kernels::scan(kProduct, c.in_type(0).dtype, c.in<void>(0), c.out<void>(), at.outer, at.n, at.inner,
                c.attrs.flags & kExclusive, c.attrs.flags & kReversed);
}

void cumsum_vjp(VjpContext& c) {
  const std::uint32_t flags = c.attrs().flags;
  c.set(0, cumsum(c.grad(), c.attrs().i[0], flags & kExclusive, !(flags & kReversed)));
}

// Element k of the result is element k + 1 of x (k - 1 when not `forward`), 0 at the end.
Tensor shifted(const Tensor& x, int axis, bool forward) {
  if (x.dim(axis) == 0) return x;
  Ints begin, size;
  std::vector<Padding> padding(static_cast<std::size_t>(x.rank()));
  for (int i = 0; i < x.rank(); ++i) {
    begin.push_back(i == axis && forward ? 1 : 0);
    size.push_back(i == axis ? x.dim(i) - 1 : x.dim(i));
  }
  padding[static_cast<std::size_t>(axis)] = forward ? Padding{0, 1} : Padding{1, 0};
  return pad(slice(x, begin, size), padding);
}

// ---- r[k] = b[k] + a[k] r[k-1], an op of our own: what makes the gradient of cumprod right at zeros.

template <class T, class Acc>
void recurrence_loop(const T* a, const T* b, T* r, const Around& at, bool reverse) {
  for (std::int64_t o = 0; o < at.outer; ++o) {
    for (std::int64_t k = 0; k < at.inner; ++k) {
      Acc run = 0;
      for (std::int64_t j = 0; j < at.n; ++j) {
        const std::int64_t i = (o * at.n + (reverse ? at.n - 1 - j : j)) * at.inner + k;
        run = static_cast<Acc>(b[i]) + static_cast<Acc>(a[i]) * run;
        r[i] = static_cast<T>(run);
      }
    }
  }
}
void recurrence_kernel(KernelContext& c) {
  const Type& type = c.in_type(0);
  const Around at(type.shape, c.attrs.i[0]);
  const bool reverse = c.attrs.flags & kReversed;
  if (type.dtype == DType::f32)
    return recurrence_loop<float, double>(c.in<float>(0), c.in<float>(1), c.out<float>(), at, reverse);
  if (type.dtype == DType::f64)
    return recurrence_loop<double, double>(c.in<double>(0), c.in<double>(1), c.out<double>(), at, reverse);
  const kernels::Scratch wide(12 * type.numel);
  float* a = wide.as<float>();
  float *b = a + type.numel, *r = b + type.numel;
  kernels::convert(type.dtype, c.in<void>(0), DType::f32, a, type.numel);
  kernels::convert(type.dtype, c.in<void>(1), DType::f32, b, type.numel);
  recurrence_loop<float, double>(a, b, r, at, reverse);
  kernels::convert(DType::f32, r, type.dtype, c.out<void>(), type.numel);
}
void recurrence_infer(InferContext& c) {
  if (!is_floating(c.in(0).dtype)) refuse_dtype(c, c.in(0).dtype);
  same_infer(c);
}
Tensor recurrence(const Tensor& a, const Tensor& b, int axis, bool reverse);
void recurrence_vjp(VjpContext& c) {
  const int axis = c.attrs().i[0];
  const bool reverse = c.attrs().flags & kReversed;
  const Tensor back = recurrence(shifted(c.in(0), axis, !reverse), c.grad(), axis, !reverse);
  if (c.needs(0)) c.set(0, back * shifted(c.out(), axis, reverse));
  if (c.needs(1)) c.set(1, back);
}
OpCost recurrence_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {2 * static_cast<double>(out[0]->numel), bytes_moved(in, out)};
}

// dy_i / dx_k is the product of the elements before k times those between k and i; the sum over i of the
// latter with g_i obeys a recurrence that runs against the product. No division, hence right at and below
// zeros.
void cumprod_vjp(VjpContext& c) {
  const int axis = c.attrs().i[0];
  const bool exclusive = c.attrs().flags & kExclusive, reverse = c.attrs().flags & kReversed;
  if (c.attrs().flags & kDivides) {
    const Tensor product = apply(c.op(), c.in(0), c.attrs());
    c.set(0, divide_no_nan(cumsum(product * c.grad(), axis, exclusive, !reverse), c.in(0)));
    return;
  }
  const Tensor before = cumprod(c.in(0), axis, true, reverse);
  const Tensor next = shifted(c.in(0), axis, !reverse);
  const Tensor after =
      recurrence(next, exclusive ? shifted(c.grad(), axis, !reverse) : c.grad(), axis, !reverse);
  c.set(0, before * after);
}
OpCost scan_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {static_cast<double>(out[0]->numel), bytes_moved(in, out)};
}

// ---- ArgMax, ArgMin: i0 the axis, i1 the dtype of the indices

void arg_infer(InferContext& c) {
  const Type& type = c.in(0);
  if (type.dtype == DType::resource) refuse_dtype(c, type.dtype);
  const int axis = c.attrs.i[0];
  check_axis(c, axis);
  if (type.shape[axis] == 0)
    c.fail(fmt::format("dimension {} of {} is empty, expected at least one element to choose from", axis,
                       type.text()));
  c.out(static_cast<DType>(c.attrs.i[1]), reduced_shape(type.shape, 1u << axis, false));
}
template <bool kLargest>
void arg_kernel(KernelContext& c) {
  const Around at(c.in_type(0).shape, c.attrs.i[0]);
  kernels::arg_extreme(kLargest, c.in_type(0).dtype, c.in<void>(0), at.outer, at.n, at.inner,
                       c.out_type().dtype, c.out<void>());
}
OpCost arg_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {static_cast<double>(in[0]->numel), bytes_moved(in, out)};
}

constinit const OpDef kCumsum = {.name = "Cumsum",
                                 .infer = same_infer,
                                 .kernel = scan_kernel<false>,
                                 .vjp = cumsum_vjp,
                                 .linearity = Linearity::linear,
                                 .batch = BatchRule::custom,
                                 .batched = batch_rules::axis,
                                 .cost = scan_cost,
                                 .doc = "running sum along axis i0; gradient the running sum the other way"};
constinit const OpDef kCumprod = {
    .name = "Cumprod",
    .infer = same_infer,
    .kernel = scan_kernel<true>,
    .saves = kIn0,
    .vjp = cumprod_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::axis,
    .cost = scan_cost,
    .doc = "running product along axis i0; unlike TensorFlow's its gradient is right at zeros"};
constinit const OpDef kRecurrence = {.name = "LinearRecurrence",
                                     .infer = recurrence_infer,
                                     .kernel = recurrence_kernel,
                                     .saves = kIn0 | kOut,
                                     .vjp = recurrence_vjp,
                                     .linearity = Linearity::none,
                                     .batch = BatchRule::custom,
                                     .batched = batch_rules::axis,
                                     .cost = recurrence_cost,
                                     .doc = "r[k] = b[k] + a[k] r[k-1] along axis i0"};
constinit const OpDef kArgMax = {.name = "ArgMax",
                                 .infer = arg_infer,
                                 .kernel = arg_kernel<true>,
                                 .batch = BatchRule::custom,
                                 .batched = batch_rules::axis,
                                 .cost = arg_cost,
                                 .no_gradient = NoGradient::not_differentiable,
                                 .doc = "index of the first largest element along axis i0"};
constinit const OpDef kArgMin = {.name = "ArgMin",
                                 .infer = arg_infer,
                                 .kernel = arg_kernel<false>,
                                 .batch = BatchRule::custom,
                                 .batched = batch_rules::axis,
                                 .cost = arg_cost,
                                 .no_gradient = NoGradient::not_differentiable,
                                 .doc = "index of the first smallest element along axis i0"};

constexpr const OpDef* kReduceScanRows[] = {&kCumsum, &kCumprod, &kRecurrence, &kArgMax, &kArgMin};

Attrs scan_attrs(const OpDef& op, const Tensor& x, int axis, bool exclusive, bool reverse,
                 const Location& location) {
  Attrs attrs;
  attrs.push(front_axis(op.name, axis, x, location));
  attrs.flags = (exclusive ? kExclusive : 0) | (reverse ? kReversed : 0);
  return attrs;
}
Tensor recurrence(const Tensor& a, const Tensor& b, int axis, bool reverse) {
  return apply(kRecurrence, a, b, scan_attrs(kRecurrence, a, axis, false, reverse, Location::current()));
}
Tensor arg_of(const OpDef& op, const Arg& x, int axis, DType output) {
  if (!is_integer(output))
    refuse(op.name,
           fmt::format("indices have an integer dtype, expected int32 or int64, got {}", name_of(output)),
           x.location());
  Attrs attrs;
  attrs.push(front_axis(op.name, axis, x.tensor(), x.location()));
  attrs.push(static_cast<std::int64_t>(output));
  return apply(op, x, attrs);
}

}  // namespace

std::span<const OpDef* const> rows::scan_rows() { return kReduceScanRows; }

Tensor cumsum(const Arg& x, int axis, bool exclusive, bool reverse) {
  return apply(kCumsum, x, scan_attrs(kCumsum, x.tensor(), axis, exclusive, reverse, x.location()));
}
Tensor cumprod(const Arg& x, int axis, bool exclusive, bool reverse) {
  return apply(kCumprod, x, scan_attrs(kCumprod, x.tensor(), axis, exclusive, reverse, x.location()));
}
Tensor rows::cumprod_of_others(const Tensor& x, int axis, bool reverse) {
  const Location at = Location::current();
  Attrs attrs = scan_attrs(kCumprod, x, axis, true, reverse, at);
  attrs.flags |= kDivides;
  return apply(kCumprod, {x, at}, attrs);
}
Tensor argmax(const Arg& x, int axis, DType output) { return arg_of(kArgMax, x, axis, output); }
Tensor argmin(const Arg& x, int axis, DType output) { return arg_of(kArgMin, x, axis, output); }

}  // namespace tapescope
