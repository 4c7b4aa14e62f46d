// Picking by index: gather, gather_nd, one_hot, and what is made of them.
#include <fmt/format.h>

#include <cstring>
#include <vector>

#include "engine/core/slices.h"
#include "engine/gate/arguments.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/creation.h"
#include "engine/ops/dispatch.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/index.h"
#include "engine/ops/index/rows.h"
#include "engine/ops/index/shared.h"
#include "engine/ops/rows.h"
#include "engine/ops/slices.h"

namespace tapescope {
namespace {

// Gather: i is axis, then batch_dims; flags bit 0: a negative index gives zeros.
void infer_gather(InferContext& c) {
  const Shape& in = c.in(0).shape;
  const Shape& indices = c.in(1).shape;
  const int axis = c.attrs.i[0], batch = c.attrs.i[1];
  check_index_type(c, 1);
  if (batch < 0 || batch > axis || batch > indices.rank()) {
    c.fail(fmt::format("batch_dims {} must be at most the axis {} and the rank of the indices {}", batch,
                       axis, c.in(1).text()));
  }
  Shape shape;
  for (int i = 0; i < axis; ++i) {
    if (i < batch && in[i] != indices[i])
      c.fail(fmt::format("dimension {} is a batch but {} and {} differ there", i, c.in(0).text(),
                         c.in(1).text()));
    shape.push_back(in[i]);
  }
  for (int i = batch; i < indices.rank(); ++i) shape.push_back(indices[i]);
  for (int i = axis + 1; i < in.rank(); ++i) shape.push_back(in[i]);
  c.out(c.in(0).dtype, shape);
}

struct GatherPlan {
  std::int64_t batches = 1, outer = 1, size = 0, inner = 1, count = 1;
};
GatherPlan plan_of(const Shape& in, const Shape& indices, const Attrs& attrs) {
  const int axis = attrs.i[0], batch = attrs.i[1];
  GatherPlan plan;
  for (int i = 0; i < batch; ++i) plan.batches *= in[i];
  for (int i = batch; i < axis; ++i) plan.outer *= in[i];
  plan.size = in[axis];
  for (int i = axis + 1; i < in.rank(); ++i) plan.inner *= in[i];
  for (int i = batch; i < indices.rank(); ++i) plan.count *= indices[i];
  return plan;
}

void gather_kernel(KernelContext& c) {
  const GatherPlan p = plan_of(c.in_type(0).shape, c.in_type(1).shape, c.attrs);
  const std::size_t row = static_cast<std::size_t>(p.inner) * size_of(c.in_type(0).dtype);
  const bool or_zero = c.attrs.flags & kOrZero;
  const char* in = c.in<char>(0);
  char* out = c.out<char>();
  dispatch_index(c.in_type(1).dtype, [&]<class Index>(Index) {
    for (std::int64_t b = 0; b < p.batches; ++b) {
      const Index* indices = c.in<Index>(1) + b * p.count;
      for (std::int64_t k = 0; k < p.count; ++k) {
        if ((indices[k] < 0 && !or_zero) || indices[k] >= p.size)
          refuse_index("GatherV2", b * p.count + k, indices[k], p.size);
      }
      for (std::int64_t o = 0; o < p.outer; ++o) {
        for (std::int64_t k = 0; k < p.count; ++k, out += row) {
          if (indices[k] < 0) std::memset(out, 0, row);
          else std::memcpy(out, in + static_cast<std::size_t>(indices[k]) * row, row);
        }
        in += static_cast<std::size_t>(p.size) * row;
      }
    }
  });
}

void gather_vjp(VjpContext& c) {
  if (!c.needs(0)) return;
  const Tensor gradient =
      gather_gradient(c.grad(), c.in(1), c.in_type(0).shape, c.attrs().i[0], c.attrs().i[1]);
  c.set(0, c.attrs().flags & kDenseGradient ? to_dense(gradient) : gradient);
}

void infer_gather_nd(InferContext& c) {
  const Shape& in = c.in(0).shape;
  const Shape& indices = c.in(1).shape;
  check_index_type(c, 1);
  if (indices.rank() == 0 || indices[indices.rank() - 1] > in.rank()) {
    c.fail(fmt::format("the last dimension of the indices {} must be at most the rank of {}", c.in(1).text(),
                       c.in(0).text()));
  }
  Shape shape;
  for (int i = 0; i + 1 < indices.rank(); ++i) shape.push_back(indices[i]);
  for (int i = static_cast<int>(indices[indices.rank() - 1]); i < in.rank(); ++i) shape.push_back(in[i]);
  c.out(c.in(0).dtype, shape);
}

void gather_nd_kernel(KernelContext& c) {
  const Positions positions("GatherNd", c.in_type(1), c.in_type(0).shape);
  const std::size_t element = size_of(c.in_type(0).dtype),
                    row = static_cast<std::size_t>(positions.inner) * element;
  char* out = c.out<char>();
  dispatch_index(c.in_type(1).dtype, [&]<class Index>(Index) {
    for (std::int64_t i = 0; i < positions.count; ++i, out += row) {
      std::memcpy(
          out, c.in<char>(0) + static_cast<std::size_t>(positions.offset(c.in<Index>(1), i)) * element, row);
    }
  });
}

void gather_nd_vjp(VjpContext& c) {
  if (!c.needs(0)) return;
  const Type &x = c.in_type(0), &indices = c.in_type(1);
  if (indices.shape.rank() == 2 && indices.shape[1] == 1) {
    c.set(0, gather_gradient(c.grad(), c.in(1), x.shape, 0, 0));
  } else {
    c.set(0, scatter_nd(c.in(1), c.grad(), x.shape));
  }
}

// OneHot: i is depth, axis, dtype; f is on and off, unless they are scalar inputs of that dtype.
void infer_one_hot(InferContext& c) {
  check_index_type(c, 0);
  const Shape& in = c.in(0).shape;
  if (c.attrs.i[1] < 0 || c.attrs.i[1] > in.rank()) {
    c.fail(fmt::format("axis {} is out of range for indices {}", c.attrs.i[1], c.in(0).text()));
  }
  Shape shape;
  for (int i = 0; i <= in.rank(); ++i) {
    if (i == c.attrs.i[1]) shape.push_back(c.attrs.i[0]);
    if (i < in.rank()) shape.push_back(in[i]);
  }
  const auto dtype = static_cast<DType>(c.attrs.i[2]);
  for (int k = 1; k < c.input_count(); ++k) {
    if (c.in(k).dtype != dtype || c.in(k).shape.rank() != 0)
      c.fail(fmt::format("the values on and off are {} scalars, got {}", name_of(dtype), c.in(k).text()));
  }
  c.out(dtype, shape);
}

void one_hot_kernel(KernelContext& c) {
  const Shape& in = c.in_type(0).shape;
  const std::int64_t depth = c.attrs.i[0];
  std::int64_t outer = 1, inner = 1;
  for (int i = 0; i < in.rank(); ++i) (i < c.attrs.i[1] ? outer : inner) *= in[i];
  Tensor& out = c.outputs[0];
  const bool given = c.inputs.size() > 1;
  const Tensor number_on = given ? Tensor() : make_full(Shape{}, c.attrs.f[0], out.dtype()),
               number_off = given ? Tensor() : make_full(Shape{}, c.attrs.f[1], out.dtype());
  dispatch_size(size_of(out.dtype()), [&]<class T>(T) {
    T* to = c.out<T>();
    const T *on = given ? c.in<T>(1) : number_on.data<T>(), *off = given ? c.in<T>(2) : number_off.data<T>();
    std::fill_n(to, out.numel(), *off);
    dispatch_index(c.in_type(0).dtype, [&]<class Index>(Index) {
      for (std::int64_t o = 0; o < outer; ++o) {
        for (std::int64_t k = 0; k < inner; ++k) {
          const Index index = c.in<Index>(0)[o * inner + k];
          if (index >= 0 && index < depth) to[(o * depth + index) * inner + k] = *on;
        }
      }
    });
  });
}

}  // namespace

Tensor gather_gradient(const Tensor& g, const Tensor& indices, const Shape& shape, int axis, int batch) {
  std::int64_t batches = 1, outer = 1, inner = 1;
  for (int i = 0; i < batch; ++i) batches *= shape[i];
  for (int i = batch; i < axis; ++i) outer *= shape[i];
  for (int i = axis + 1; i < shape.rank(); ++i) inner *= shape[i];
  const std::int64_t size = shape[axis];
  std::int64_t count = 1;
  for (int i = batch; i < indices.rank(); ++i) count *= indices.dim(i);
  if (axis == 0 && batch == 0) {
    Shape rows = shape;
    rows[0] = count;
    return make_slices(reshape(g, rows), reshape(indices, {count}), intern_type(g.dtype(), shape));
  }
  if (outer == 1 && batches == 1) {
    return reshape(unsorted_segment_sum(reshape(g, {count, inner}), reshape(indices, {count}), size), shape);
  }
  // The axis comes to the front of each batch, and each batch gets its own segment ids.
  Tensor rows = transpose(reshape(g, {batches, outer, count, inner}), {0, 2, 1, 3});
  Tensor ids = reshape(indices, {batches, count});
  if (batches > 1)
    ids = add(ids, reshape(range(static_cast<double>(batches), indices.dtype()) * size, {batches, 1}));
  const Tensor sums = unsorted_segment_sum(reshape(rows, {batches * count, outer * inner}),
                                           reshape(ids, {batches * count}), batches * size);
  return reshape(transpose(reshape(sums, {batches, size, outer, inner}), {0, 2, 1, 3}), shape);
}

Tensor gather_or_zero(const Tensor& x, const Tensor& indices) {
  Attrs attrs;
  attrs.push(0);
  attrs.push(0);
  attrs.flags = kOrZero;
  TensorImpl* inputs[] = {x.impl(), indices.impl()};
  return apply(kGather, inputs, attrs, Location::current());
}

constinit const OpDef kGather{
    .name = "GatherV2",
    .infer = infer_gather,
    .kernel = gather_kernel,
    .saves = OpDef::in_bit(1),
    .vjp = gather_vjp,
    .linearity = Linearity::linear,
    .batch = BatchRule::custom,
    .batched = batch_rules::gather,
    .cost = rows::move_cost,
    .never = OpDef::in_bit(1),
    .doc =
        "The slices of x along axis i[0] at the indices; the first i[1] dimensions are matched; flags bit 0: "
        "zeros for a negative index, bit 1: a dense gradient"};
constinit const OpDef kGatherNd{
    .name = "GatherNd",
    .infer = infer_gather_nd,
    .kernel = gather_nd_kernel,
    .saves = OpDef::in_bit(1),
    .vjp = gather_nd_vjp,
    .linearity = Linearity::linear,
    .batch = BatchRule::custom,
    .batched = batch_rules::gather_nd,
    .cost = rows::move_cost,
    .never = OpDef::in_bit(1),
    .doc = "The slices of x at positions given by the last dimension of the indices"};
constinit const OpDef kOneHot{
    .name = "OneHot",
    .infer = infer_one_hot,
    .kernel = one_hot_kernel,
    .batch = BatchRule::custom,
    .batched = batch_rules::one_hot,
    .cost = rows::move_cost,
    .no_gradient = NoGradient::not_differentiable,
    .doc =
        "f[0] at the index along the new axis i[1] of size i[0], f[1] elsewhere; or the second and third "
        "input in place of these"};

Tensor gather(const Arg& x, const Arg& indices, int axis, int batch_dims) {
  const Tensor& t = x.tensor();
  const Tensor& at = indices.tensor(DType::i32);
  Attrs attrs;
  attrs.push(front_axis("GatherV2", axis, t, x.location()));
  attrs.push(batch_dims < 0 ? batch_dims + at.rank() : batch_dims);
  TensorImpl* inputs[] = {t.impl(), at.impl()};
  return apply(kGather, inputs, attrs, x.location());
}

Tensor gather_part(const Arg& x, const Tensor& indices, int axis) {
  Attrs attrs;
  attrs.push(axis);
  attrs.push(0);
  attrs.flags = kDenseGradient;
  TensorImpl* inputs[] = {x.tensor().impl(), indices.impl()};
  return apply(kGather, inputs, attrs, x.location());
}

Tensor gather_nd(const Arg& x, const Arg& indices) {
  TensorImpl* inputs[] = {x.tensor().impl(), indices.tensor(DType::i32).impl()};
  return apply(kGatherNd, inputs, kNoAttrs, x.location());
}

Tensor one_hot(const Arg& indices, std::int64_t depth, const Arg& on, const Arg& off,
               std::optional<DType> wanted, int axis) {
  const Location& place = indices.location();
  const DType met = !on.is_number()    ? on.tensor().dtype()
                    : !off.is_number() ? off.tensor().dtype()
                                       : DType::f32;
  const DType dtype = wanted.value_or(met);
  const bool values = !on.is_number() || !off.is_number();
  if (values && (on.tensor(dtype, "OneHot").rank() != 0 || off.tensor(dtype, "OneHot").rank() != 0)) {
    // Values for each place, which TensorFlow has not: no gradient either.
    const Tensor one = stop_gradient({on.tensor(dtype, "OneHot"), place}),
                 other = stop_gradient({off.tensor(dtype, "OneHot"), place});
    const Tensor places = one_hot(indices, depth, {1, place}, {0, place}, DType::boolean, axis);
    return where({places, place}, {one, place}, {other, place});
  }
  const DType checked = dtype == DType::boolean ? DType::i32 : dtype;  // 0 and 1 are bits too
  if (!values) {
    tapescope_inside::check_fits(on.number(), checked, "OneHot", place);
    tapescope_inside::check_fits(off.number(), checked, "OneHot", place);
  }
  const Tensor& t = indices.tensor(DType::i32);
  if (depth < 0) refuse("OneHot", fmt::format("depth {} is negative", depth), indices.location());
  Attrs attrs;
  attrs.push(in_32_bits("OneHot", depth, indices.location()));
  attrs.push(front_axis("OneHot", axis, t.rank() + 1, t.type(), indices.location()));
  attrs.push(static_cast<int>(dtype));
  if (values) {
    TensorImpl* inputs[] = {t.impl(), on.tensor(dtype, "OneHot").impl(), off.tensor(dtype, "OneHot").impl()};
    return apply(kOneHot, inputs, attrs, indices.location());
  }
  attrs.f[0] = on.number().real();
  attrs.f[1] = off.number().real();
  TensorImpl* inputs[] = {t.impl()};
  return apply(kOneHot, inputs, attrs, indices.location());
}

Tensor boolean_mask(const Arg& x, const Arg& mask, int axis) {
  const Tensor& t = x.tensor();
  const Tensor& m = mask.tensor(DType::boolean);
  const int front = front_axis("BooleanMask", axis, t, x.location());
  bool fits = m.rank() > 0 && front + m.rank() <= t.rank() && m.dtype() == DType::boolean;
  for (int i = 0; fits && i < m.rank(); ++i) fits = m.dim(i) == t.dim(front + i);
  if (!fits) {
    refuse("BooleanMask",
           fmt::format("the mask {} must be boolean and match {} from dimension {} on", m.type().text(),
                       t.type().text(), front),
           x.location());
  }
  // The masked dimensions become one, of which the true places are gathered.
  Shape shape;
  for (int i = 0; i < front; ++i) shape.push_back(t.dim(i));
  shape.push_back(m.numel());
  for (int i = front + m.rank(); i < t.rank(); ++i) shape.push_back(t.dim(i));
  const Tensor flat = m.rank() == 1 ? t : reshape(x, shape);
  const Tensor places = where_indices(Arg(reshape(Arg(m, x.location()), {-1}), x.location()));
  return gather_part(Arg(flat, x.location()), squeeze(Arg(places, x.location()), 1), front);
}

}  // namespace tapescope
