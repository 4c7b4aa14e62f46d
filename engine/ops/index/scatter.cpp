// Placing by index: scatter_nd and the tensor_scatter_nd_* ops.
#include <fmt/format.h>

#include <cstring>
#include <functional>

#include "engine/gate/arguments.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/creation.h"
#include "engine/ops/dispatch.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/index.h"
#include "engine/ops/index/rows.h"
#include "engine/ops/index/shared.h"
#include "engine/ops/rows.h"

namespace tapescope {
namespace {

enum class Combine { update, add, sub, max, min };

// `updates` must have the indices' leading dimensions, then the dimensions of x that the indices leave.
void check_updates(InferContext& c, int indices_at, const Shape& shape) {
  check_index_type(c, indices_at);
  const Shape& indices = c.in(indices_at).shape;
  const Shape& updates = c.in(indices_at + 1).shape;
  const std::int64_t depth = indices.rank() == 0 ? 0 : indices[indices.rank() - 1];
  if (indices.rank() == 0 || depth > shape.rank()) {
    c.fail(fmt::format("the last dimension of the indices {} must be at most the rank of {}",
                       c.in(indices_at).text(), shape.text()));
  }
  Shape expected;
  for (int i = 0; i + 1 < indices.rank(); ++i) expected.push_back(indices[i]);
  for (int i = static_cast<int>(depth); i < shape.rank(); ++i) expected.push_back(shape[i]);
  if (!(updates == expected)) {
    c.fail(fmt::format("the updates have the shape {}, expected {} for the indices {} into {}",
                       updates.text(), expected.text(), indices.text(), shape.text()));
  }
}

template <class T, class Target>
void combine(Combine how, Target& to, T from) {
  const Target value = static_cast<Target>(from);
  switch (how) {
    case Combine::update: to = value; return;
    case Combine::add: to = wrapping(std::plus(), to, value); return;
    case Combine::sub: to = wrapping(std::minus(), to, value); return;
    case Combine::max: to = value > to ? value : to; return;
    case Combine::min: to = value < to ? value : to; return;
  }
}

template <class T, class Target>
void scatter(const KernelContext& c, int indices_at, Combine how, Target* out) {
  const Positions positions("ScatterNd", c.in_type(indices_at), c.out_type().shape);
  const T* updates = c.in<T>(indices_at + 1);
  dispatch_index(c.in_type(indices_at).dtype, [&]<class Index>(Index) {
    for (std::int64_t i = 0; i < positions.count; ++i) {
      Target* row = out + positions.offset(c.in<Index>(indices_at), i);
      for (std::int64_t k = 0; k < positions.inner; ++k)
        combine(how, row[k], updates[i * positions.inner + k]);
    }
  });
}

// `start`: the elements to begin with, or null for zeros.
void scatter_kernel(KernelContext& c, int indices_at, Combine how, const void* start) {
  const Type& out = c.out_type();
  if (how == Combine::update) {
    std::memcpy(c.out<void>(), start, static_cast<std::size_t>(out.bytes));
    dispatch_size(size_of(out.dtype), [&]<class T>(T) { scatter<T>(c, indices_at, how, c.out<T>()); });
    return;
  }
  dispatch_number(out.dtype, [&]<class T>(T) {
    using Sum = Accumulator<T>;
    const T* from = static_cast<const T*>(start);
    if constexpr (std::is_same_v<Sum, T>) {
      if (from) std::memcpy(c.out<T>(), from, static_cast<std::size_t>(out.bytes));
      else std::memset(c.out<T>(), 0, static_cast<std::size_t>(out.bytes));
      scatter<T>(c, indices_at, how, c.out<T>());
    } else {
      ScratchArray<Sum> sums(static_cast<std::size_t>(out.numel));
      for (std::size_t i = 0; from && i < sums.size(); ++i) sums[i] = static_cast<Sum>(from[i]);
      scatter<T>(c, indices_at, how, sums.data());
      for (std::size_t i = 0; i < sums.size(); ++i) c.out<T>()[i] = static_cast<T>(sums[i]);
    }
  });
}

// ScatterNd: inputs are indices and updates, i is the shape.
void infer_scatter_nd(InferContext& c) {
  Shape shape;
  for (std::int32_t size : c.attrs.ints()) shape.push_back(size);
  check_updates(c, 0, shape);
  if (c.in(1).dtype == DType::boolean) c.fail("boolean updates cannot be added up");
  c.out(c.in(1).dtype, shape);
}

void scatter_nd_kernel(KernelContext& c) { scatter_kernel(c, 0, Combine::add, nullptr); }
void scatter_nd_vjp(VjpContext& c) {
  if (c.needs(1)) c.set(1, gather_nd(c.grad(), c.in(0)));
}

// The others: inputs are x, indices, updates.
void infer_tensor_scatter(InferContext& c) {
  check_updates(c, 1, c.in(0).shape);
  if (c.in(2).dtype != c.in(0).dtype)
    c.fail(fmt::format("the updates {} and x {} differ in dtype", c.in(2).text(), c.in(0).text()));
  c.out(&c.in(0));
}

template <Combine how>
void tensor_scatter_kernel(KernelContext& c) {
  scatter_kernel(c, 1, how, c.in<void>(0));
}

void update_vjp(VjpContext& c) {
  if (c.needs(0))
    c.set(0, tensor_scatter_nd_update(c.grad(), c.in(1), zeros(c.in_type(2).shape, c.in_type(2).dtype)));
  if (c.needs(2)) c.set(2, gather_nd(c.grad(), c.in(1)));
}
void add_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, c.grad());
  if (c.needs(2)) c.set(2, gather_nd(c.grad(), c.in(1)));
}
void sub_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, c.grad());
  if (c.needs(2)) c.set(2, negative(gather_nd(c.grad(), c.in(1))));
}

// Everything that equals the result at a place shares its cotangent.
void extreme_vjp(VjpContext& c) {
  const Tensor &x = c.in(0), &indices = c.in(1), &updates = c.in(2), &out = c.out();
  const DType dtype = out.dtype();
  const Tensor x_won = cast(equal(x, out), dtype);
  const Tensor updates_won = cast(equal(updates, gather_nd(out, indices)), dtype);
  const Tensor share = divide(c.grad(), add(x_won, scatter_nd(indices, updates_won, out.shape())));
  if (c.needs(0)) c.set(0, multiply(share, x_won));
  if (c.needs(2)) c.set(2, multiply(gather_nd(share, indices), updates_won));
}

constexpr std::uint32_t kIndices = OpDef::in_bit(1);
constexpr std::uint32_t kExtremeSaves =
    OpDef::in_bit(0) | OpDef::in_bit(1) | OpDef::in_bit(2) | OpDef::out_bit(0);

Tensor apply_scatter(const OpDef& op, const Arg& x, const Arg& indices, const Arg& updates) {
  const Tensor& t = x.tensor();
  TensorImpl* inputs[] = {t.impl(), indices.tensor(DType::i32).impl(), updates.tensor(t.dtype()).impl()};
  return apply(op, inputs, kNoAttrs, x.location());
}

}  // namespace

constinit const OpDef kScatterNd{
    .name = "ScatterNd",
    .infer = infer_scatter_nd,
    .kernel = scatter_nd_kernel,
    .saves = OpDef::in_bit(0),
    .vjp = scatter_nd_vjp,
    .linearity = Linearity::linear,
    .batch = BatchRule::custom,
    .batched = batch_rules::scatter_nd,
    .cost = rows::move_cost,
    .never = OpDef::in_bit(0),
    .doc = "Zeros of the shape i with the updates (input 1) added at the indices (input 0)"};
constinit const OpDef kTensorScatterUpdate{
    .name = "TensorScatterUpdate",
    .infer = infer_tensor_scatter,
    .kernel = tensor_scatter_kernel<Combine::update>,
    .saves = kIndices,
    .vjp = update_vjp,
    .linearity = Linearity::linear,
    .batch = BatchRule::custom,
    .batched = batch_rules::tensor_scatter,
    .cost = rows::move_cost,
    .never = kIndices,
    .doc = "x with the updates put at the indices; of repeated ones the last"};
constinit const OpDef kTensorScatterAdd{.name = "TensorScatterAdd",
                                        .infer = infer_tensor_scatter,
                                        .kernel = tensor_scatter_kernel<Combine::add>,
                                        .saves = kIndices,
                                        .vjp = add_vjp,
                                        .linearity = Linearity::linear,
                                        .batch = BatchRule::custom,
                                        .batched = batch_rules::tensor_scatter,
                                        .cost = rows::move_cost,
                                        .never = kIndices,
                                        .doc = "x with the updates added at the indices"};
constinit const OpDef kTensorScatterSub{.name = "TensorScatterSub",
                                        .infer = infer_tensor_scatter,
                                        .kernel = tensor_scatter_kernel<Combine::sub>,
                                        .saves = kIndices,
                                        .vjp = sub_vjp,
                                        .linearity = Linearity::linear,
                                        .batch = BatchRule::custom,
                                        .batched = batch_rules::tensor_scatter,
                                        .cost = rows::move_cost,
                                        .never = kIndices,
                                        .doc = "x with the updates subtracted at the indices"};
constinit const OpDef kTensorScatterMax{
    .name = "TensorScatterMax",
    .infer = infer_tensor_scatter,
    .kernel = tensor_scatter_kernel<Combine::max>,
    .saves = kExtremeSaves,
    .vjp = extreme_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::tensor_scatter,
    .cost = rows::move_cost,
    .never = kIndices,
    .doc = "The larger of x and the updates at the indices; ties share the gradient"};
constinit const OpDef kTensorScatterMin{
    .name = "TensorScatterMin",
    .infer = infer_tensor_scatter,
    .kernel = tensor_scatter_kernel<Combine::min>,
    .saves = kExtremeSaves,
    .vjp = extreme_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::tensor_scatter,
    .cost = rows::move_cost,
    .never = kIndices,
    .doc = "The smaller of x and the updates at the indices; ties share the gradient"};

Tensor scatter_nd(const Arg& indices, const Arg& updates, const Shape& shape) {
  TensorImpl* inputs[] = {indices.tensor(DType::i32).impl(), updates.tensor().impl()};
  return apply(kScatterNd, inputs, attrs_of(kScatterNd.name, shape.dims(), indices.location()),
               indices.location());
}

Tensor tensor_scatter_nd_update(const Arg& x, const Arg& indices, const Arg& updates) {
  return apply_scatter(kTensorScatterUpdate, x, indices, updates);
}
Tensor tensor_scatter_nd_add(const Arg& x, const Arg& indices, const Arg& updates) {
  return apply_scatter(kTensorScatterAdd, x, indices, updates);
}
Tensor tensor_scatter_nd_sub(const Arg& x, const Arg& indices, const Arg& updates) {
  return apply_scatter(kTensorScatterSub, x, indices, updates);
}
Tensor tensor_scatter_nd_max(const Arg& x, const Arg& indices, const Arg& updates) {
  return apply_scatter(kTensorScatterMax, x, indices, updates);
}
Tensor tensor_scatter_nd_min(const Arg& x, const Arg& indices, const Arg& updates) {
  return apply_scatter(kTensorScatterMin, x, indices, updates);
}

}  // namespace tapescope
