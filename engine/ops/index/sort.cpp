// Order: top_k, sort, argsort, in_top_k; and positions of true elements.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/gate/arguments.h"
#include "engine/ops/batch_rules.h"
#include "engine/ops/dispatch.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/index.h"
#include "engine/ops/index/rows.h"
#include "engine/ops/index/shared.h"
#include "engine/ops/rows.h"
#include "engine/ops/slices.h"

namespace tapescope {
namespace {

std::int64_t last_dim(const Type& type) { return type.shape[type.shape.rank() - 1]; }

void infer_top_k(InferContext& c) {
  const Type& in = c.in(0);
  const std::int64_t k = c.attrs.i[0];
  if (in.shape.rank() == 0 || k < 0 || k > last_dim(in)) {
    c.fail(fmt::format("cannot take the {} largest along the last dimension of {}", k, in.text()));
  }
  Shape shape = in.shape;
  shape[shape.rank() - 1] = k;
  c.set_outputs(2);
  c.out(0, intern_type(in.dtype, shape));
  c.out(1, intern_type(DType::i32, shape));
}

void top_k_kernel(KernelContext& c) {
  const std::int64_t n = last_dim(c.in_type(0)), k = c.attrs.i[0];
  if (c.out_type().numel == 0) return;
  const std::int64_t rows = c.out_type().numel / k;
  ScratchArray<std::int32_t> order(static_cast<std::size_t>(n));
  dispatch_number(c.in_type(0).dtype, [&]<class T>(T) {
    using Wide = Accumulator<T>;
    for (std::int64_t r = 0; r < rows; ++r) {
      const T* in = c.in<T>(0) + r * n;
      std::iota(order.data(), order.data() + n, 0);
      // A total order, which sorting needs: NaN counts as the largest, equal ones keep their order.
      const auto before = [in](std::int32_t a, std::int32_t b) {
        const Wide x = static_cast<Wide>(in[a]), y = static_cast<Wide>(in[b]);
        const bool x_nan = x != x, y_nan = y != y;
        if (x_nan != y_nan) return x_nan;
        if (!x_nan && x != y) return x > y;
        return a < b;
      };
      std::partial_sort(order.data(), order.data() + k, order.data() + n, before);
      for (std::int64_t i = 0; i < k; ++i) {
        c.out<T>(0)[r * k + i] = in[order[static_cast<std::size_t>(i)]];
        c.out<std::int32_t>(1)[r * k + i] = order[static_cast<std::size_t>(i)];
      }
    }
  });
}

// Taking the k largest is gathering at the positions found.
void top_k_vjp(VjpContext& c) {
  const int last = c.in_type(0).shape.rank() - 1;
  c.set(0, to_dense(gather_gradient(c.grad(0), c.out(1), c.in_type(0).shape, last, last)));
}

// Reads the condition: how many are true is the result's size.
void infer_where(InferContext& c) {
  if (c.in(0).dtype != DType::boolean)
    c.fail(fmt::format("expected a boolean tensor, got {}", c.in(0).text()));
  const auto* values = static_cast<const std::uint8_t*>(host_values(c, 0).data);
  const std::int64_t count = c.in(0).numel - std::count(values, values + c.in(0).numel, std::uint8_t{0});
  c.out(DType::i64, {count, c.in(0).shape.rank()});
}

void where_kernel(KernelContext& c) {
  const Shape& shape = c.in_type(0).shape;
  const std::uint8_t* values = c.in<std::uint8_t>(0);
  std::int64_t* out = c.out<std::int64_t>();
  for (std::int64_t at = 0; at < c.in_type(0).numel; ++at) {
    if (!values[at]) continue;
    std::int64_t rest = at;
    for (int d = shape.rank() - 1; d >= 0; --d) {
      out[d] = rest % shape[d];
      rest /= shape[d];
    }
    out += shape.rank();
  }
}

void infer_in_top_k(InferContext& c) {
  check_index_type(c, 1);
  if (c.in(0).shape.rank() != 2 || !is_floating(c.in(0).dtype) ||
      !(c.in(1).shape == Shape{c.in(0).shape[0]})) {
    c.fail(fmt::format("expected predictions [n, classes] and targets [n], got {} and {}", c.in(0).text(),
                       c.in(1).text()));
  }
  c.out(DType::boolean, c.in(1).shape);
}

void in_top_k_kernel(KernelContext& c) {
  const std::int64_t classes = last_dim(c.in_type(0));
  dispatch_floating(c.in_type(0).dtype, [&]<class T>(T) {
    dispatch_index(c.in_type(1).dtype, [&]<class Index>(Index) {
      for (std::int64_t r = 0; r < c.in_type(1).numel; ++r) {
        const T* row = c.in<T>(0) + r * classes;
        const Index target = c.in<Index>(1)[r];
        bool inside = target >= 0 && target < classes;
        if (inside) {
          // Not finite anywhere means no answer; TensorFlow says false.
          const auto value = static_cast<Accumulator<T>>(row[target]);
          std::int64_t larger = 0;
          for (std::int64_t i = 0; i < classes; ++i) {
            const auto other = static_cast<Accumulator<T>>(row[i]);
            inside = inside && other - other == 0;
            larger += other > value;
          }
          inside = inside && larger < c.attrs.i[0];
        }
        c.out<std::uint8_t>()[r] = inside;
      }
    });
  });
}

void infer_invert_permutation(InferContext& c) {
  check_index_type(c, 0);
  if (c.in(0).shape.rank() != 1) c.fail(fmt::format("expected one dimension, got {}", c.in(0).text()));
  c.out(&c.in(0));
}

void invert_permutation_kernel(KernelContext& c) {
  const std::int64_t n = c.in_type(0).numel;
  dispatch_index(c.in_type(0).dtype, [&]<class Index>(Index) {
    std::fill_n(c.out<Index>(), n, Index{-1});
    for (std::int64_t i = 0; i < n; ++i) {
      const Index to = c.in<Index>(0)[i];
      if (to < 0 || to >= n || c.out<Index>()[to] != -1) refuse_index("InvertPermutation", i, to, n);
      c.out<Index>()[to] = static_cast<Index>(i);
    }
  });
}

// The whole last dimension in descending order; other axes are brought there and back.
std::pair<Tensor, Tensor> sorted(const Tensor& x, int axis, const Location& at) {
  if (axis == x.rank() - 1) return top_k(Arg(x, at), static_cast<int>(x.dim(axis)));
  Ints perm;
  for (int i = 0; i < x.rank(); ++i) perm.push_back(i == axis ? x.rank() - 1 : i == x.rank() - 1 ? axis : i);
  const Tensor turned = transpose(Arg(x, at), perm);
  const auto [values, indices] = top_k(Arg(turned, at), static_cast<int>(turned.dim(-1)));
  return {transpose(Arg(values, at), perm), transpose(Arg(indices, at), perm)};
}

}  // namespace

constinit const OpDef kTopK{
    .name = "TopKV2",
    .infer = infer_top_k,
    .kernel = top_k_kernel,
    .saves = OpDef::out_bit(1),
    .vjp = top_k_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::leading,
    .cost = rows::move_cost,
    .doc = "The i[0] largest of each row, largest first, and their positions; of equal ones the first"};
constinit const OpDef kWhere{.name = "Where",
                             .infer = infer_where,
                             .kernel = where_kernel,
                             .cost = rows::move_cost,
                             .no_gradient = NoGradient::unregistered,
                             .doc = "Positions of the true elements, row-major"};
constinit const OpDef kInTopK{
    .name = "InTopKV2",
    .infer = infer_in_top_k,
    .kernel = in_top_k_kernel,
    .batch = BatchRule::custom,
    .batched = batch_rules::in_top_k,
    .cost = rows::move_cost,
    .no_gradient = NoGradient::unregistered,
    .doc = "Whether fewer than i[0] predictions of a row (input 0) are larger than the target's (input 1)"};
constinit const OpDef kInvertPermutation{.name = "InvertPermutation",
                                         .infer = infer_invert_permutation,
                                         .kernel = invert_permutation_kernel,
                                         .cost = rows::move_cost,
                                         .no_gradient = NoGradient::not_differentiable,
                                         .doc = "y with y[x[i]] = i"};

std::pair<Tensor, Tensor> top_k(const Arg& x, int k) {
  Attrs attrs;
  attrs.push(k);
  TensorImpl* inputs[] = {x.tensor().impl()};
  TensorList outputs;
  apply(kTopK, inputs, attrs, x.location(), outputs);
  return {std::move(outputs[0]), std::move(outputs[1])};
}

// TensorFlow's way: ascending is descending of the negated.
Tensor sort(const Arg& x, int axis, bool descending) {
  const Tensor& t = x.tensor();
  const Location& at = x.location();
  const int front = front_axis("Sort", axis, t, at);
  if (descending) return sorted(t, front, at).first;
  return negative(Arg(sorted(negative(Arg(t, at)), front, at).first, at));
}

Tensor argsort(const Arg& x, int axis, bool descending) {
  const Tensor& t = x.tensor();
  const Location& at = x.location();
  const int front = front_axis("ArgSort", axis, t, at);
  return sorted(descending ? t : negative(Arg(t, at)), front, at).second;
}

Tensor where_indices(const Arg& condition) { return apply(kWhere, condition); }

Tensor in_top_k(const Arg& targets, const Arg& predictions, int k) {
  Attrs attrs;
  attrs.push(k);
  TensorImpl* inputs[] = {predictions.tensor().impl(), targets.tensor(DType::i32).impl()};
  return apply(kInTopK, inputs, attrs, targets.location());
}

Tensor invert_permutation(const Arg& perm) { return apply(kInvertPermutation, perm); }

}  // namespace tapescope
