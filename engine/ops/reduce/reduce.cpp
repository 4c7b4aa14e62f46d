// Rows and functions of the reductions.
#include "engine/ops/reduce.h"

#include <vector>

#include "engine/gate/arguments.h"
#include "engine/gate/infer_checks.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/reduce/rows.h"
#include "engine/ops/shape.h"

namespace tapescope {

Attrs rows::axes_attrs(std::string_view op, const Type& type, const Axes& axes, bool keepdims,
                       const Location& location) {
  Attrs attrs;
  attrs.flags = keepdims ? kKeepDims : 0;
  std::uint32_t mask = 0;
  if (axes.all()) mask = (1u << type.shape.rank()) - 1;
  for (int given : axes.given()) {
    const std::uint32_t bit = 1u << front_axis(op, given, type.shape.rank(), type, location);
    if (mask & bit)
      refuse(op, fmt::format("axis {} is given twice, expected each axis once", given), location);
    mask |= bit;
  }
  for (int i = 0; i < type.shape.rank(); ++i) {
    if (mask >> i & 1) attrs.push(i);
  }
  return attrs;
}

Shape rows::reduced_shape(const Shape& shape, std::uint32_t mask, bool keepdims) {
  Shape out;
  for (int i = 0; i < shape.rank(); ++i) {
    if (!(mask >> i & 1)) out.push_back(shape[i]);
    else if (keepdims) out.push_back(1);
  }
  return out;
}

namespace {

using namespace rows;
using kernels::ReduceOp;

template <ReduceOp kOp>
void reduce_infer(InferContext& c) {
  const Type& type = c.in(0);
  constexpr bool kLogical = kOp == ReduceOp::all || kOp == ReduceOp::any;
  if (kLogical ? type.dtype != DType::boolean
               : type.dtype >= (kOp == ReduceOp::norm ? DType::i32 : DType::boolean)) {
    c.fail(fmt::format("is not defined for {}, expected {}; cast the argument first", type.text(),
                       kLogical ? "bool" : "numbers"));
  }
  for (const std::int32_t axis : c.attrs.ints()) check_axis(c, axis);
  c.out(type.dtype, reduced_shape(type.shape, axes_mask(c.attrs), c.attrs.flags & kKeepDims));
}
template <ReduceOp kOp>
void reduce_kernel(KernelContext& c) {
  kernels::reduce(kOp, c.in_type(0).dtype, c.in<void>(0), c.in_type(0).shape, axes_mask(c.attrs),
                  c.out<void>());
}

Tensor with_kept_dims(VjpContext& c, const Tensor& x) {
  if (c.attrs().flags & kKeepDims) return x;
  return reshape(x, reduced_shape(c.in_type(0).shape, axes_mask(c.attrs()), true));
}
// g in the input's shape. Where only leading dimensions were reduced it broadcasts as it is.
Tensor spread(VjpContext& c, const Tensor& g) {
  const Shape& shape = c.in_type(0).shape;
  const std::uint32_t mask = axes_mask(c.attrs());
  const bool leading = (mask & (mask + 1)) == 0;
  return broadcast_to(leading ? g : with_kept_dims(c, g), shape);
}

void sum_vjp(VjpContext& c) { c.set(0, spread(c, c.grad())); }
// Dividing before the broadcast gives the same bits as after it.
void mean_vjp(VjpContext& c) {
  const std::int64_t out = c.out_type().numel, factor = c.in_type(0).numel / (out > 1 ? out : 1);
  c.set(0, spread(c, c.grad() / static_cast<double>(factor)));
}
void extreme_vjp(VjpContext& c) {
  const Tensor chosen = cast(equal(with_kept_dims(c, c.out()), c.in(0)), c.in_type(0).dtype);
  const Axes axes{std::span<const int>(c.attrs().ints())};
  const Tensor ties = reduce_sum(chosen, axes, true);
  c.set(0, chosen / ties * with_kept_dims(c, c.grad()));
}
// The product of all others, from the left and from the right: right at zeros. Its own gradient follows
// TensorFlow's steps, which give 0 where an element is 0.
void prod_vjp(VjpContext& c) {
  const Shape& shape = c.in_type(0).shape;
  const std::uint32_t mask = axes_mask(c.attrs());
  Ints perm;
  std::int64_t reduced = 1, kept = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    if (mask >> i & 1) perm.push_back(i), reduced *= shape[i];
  }
  for (int i = 0; i < shape.rank(); ++i) {
    if (!(mask >> i & 1)) perm.push_back(i), kept *= shape[i];
  }
  Shape permuted;
  Ints back;
  for (int i = 0; i < shape.rank(); ++i) {
    permuted.push_back(shape[static_cast<int>(perm[i])]);
    for (int k = 0; k < shape.rank(); ++k) {
      if (perm[k] == i) back.push_back(k);
    }
  }
  const Tensor flat = reshape(transpose(c.in(0), perm), {reduced, kept});
  const Tensor others = cumprod_of_others(flat, 0, false) * cumprod_of_others(flat, 0, true);
  c.set(0, with_kept_dims(c, c.grad()) * transpose(reshape(others, permuted), back));
}
void norm_vjp(VjpContext& c) {
  c.set(0, c.in(0) / (with_kept_dims(c, c.out()) / with_kept_dims(c, c.grad())));
}

OpCost reduce_cost(std::span<const Type* const> in, std::span<const Type* const> out, const Attrs&) {
  return {static_cast<double>(in[0]->numel), bytes_moved(in, out)};
}

template <ReduceOp kOp>
constexpr OpDef row(OpDef row) {
  row.infer = reduce_infer<kOp>;
  row.kernel = reduce_kernel<kOp>;
  row.cost = reduce_cost;
  row.batch = BatchRule::custom;
  return row;
}

constinit const OpDef kSum = row<ReduceOp::sum>({.name = "Sum",
                                                 .vjp = sum_vjp,
                                                 .linearity = Linearity::linear,
                                                 .batched = batch_rules::axes,
                                                 .doc = "sum over axes; gradient g broadcast"});
constinit const OpDef kMean = row<ReduceOp::mean>({.name = "Mean",
                                                   .vjp = mean_vjp,
                                                   .linearity = Linearity::linear,
                                                   .batched = batch_rules::axes,
                                                   .doc = "mean over axes; gradient g / count broadcast"});
constinit const OpDef kProd =
    row<ReduceOp::prod>({.name = "Prod",
                         .saves = kIn0,
                         .vjp = prod_vjp,
                         .batched = batch_rules::axes,
                         .doc = "product over axes; gradient g times the product of the others"});

constinit const OpDef kMax =
    row<ReduceOp::max>({.name = "Max",
                        .saves = kIn0 | kOut,
                        .vjp = extreme_vjp,
                        .batched = batch_rules::axes,
                        .doc = "largest over axes; ties share the gradient equally"});
constinit const OpDef kMin =
    row<ReduceOp::min>({.name = "Min",
                        .saves = kIn0 | kOut,
                        .vjp = extreme_vjp,
                        .batched = batch_rules::axes,
                        .doc = "smallest over axes; ties share the gradient equally"});
constinit const OpDef kNorm = row<ReduceOp::norm>(
    {.name = "EuclideanNorm",
     .saves = kIn0 | kOut,
     .vjp = norm_vjp,
     .batched = batch_rules::axes,
     .doc = "square root of the sum of squares; gradient x / (y / g), NaN at the zero vector"});
constinit const OpDef kAll = row<ReduceOp::all>({.name = "All",
                                                 .batched = batch_rules::axes,
                                                 .no_gradient = NoGradient::unregistered,
                                                 .doc = "whether all are true"});
constinit const OpDef kAny = row<ReduceOp::any>({.name = "Any",
                                                 .batched = batch_rules::axes,
                                                 .no_gradient = NoGradient::unregistered,
                                                 .doc = "whether any is true"});

constexpr const OpDef* kReduceRows[] = {&kSum, &kMean, &kProd, &kMax, &kMin, &kNorm, &kAll, &kAny};

Tensor run(const OpDef& op, const Arg& x, const Axes& axes, bool keepdims) {
  return apply(op, x, axes_attrs(op.name, x.tensor().type(), axes, keepdims, x.location()));
}

}  // namespace

std::span<const OpDef* const> rows::reduction_rows() { return kReduceRows; }

Tensor reduce_sum(const Arg& x, const Axes& axes, bool keepdims) { return run(kSum, x, axes, keepdims); }
Tensor reduce_mean(const Arg& x, const Axes& axes, bool keepdims) { return run(kMean, x, axes, keepdims); }
Tensor reduce_prod(const Arg& x, const Axes& axes, bool keepdims) { return run(kProd, x, axes, keepdims); }
Tensor reduce_max(const Arg& x, const Axes& axes, bool keepdims) { return run(kMax, x, axes, keepdims); }
Tensor reduce_min(const Arg& x, const Axes& axes, bool keepdims) { return run(kMin, x, axes, keepdims); }
Tensor reduce_all(const Arg& x, const Axes& axes, bool keepdims) { return run(kAll, x, axes, keepdims); }
Tensor reduce_any(const Arg& x, const Axes& axes, bool keepdims) { return run(kAny, x, axes, keepdims); }
Tensor reduce_euclidean_norm(const Arg& x, const Axes& axes, bool keepdims) {
  return run(kNorm, x, axes, keepdims);
}

std::span<const OpDef* const> reduce_ops() {
  static const std::vector<const OpDef*> all = [] {
    std::vector<const OpDef*> list;
    for (auto part : {rows::reduction_rows(), rows::scan_rows()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

}  // namespace tapescope
