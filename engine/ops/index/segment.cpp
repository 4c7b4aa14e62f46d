// Sums and maxima of rows that share an id.
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <limits>

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

// The ids' shape must be how x's begins; the result replaces it by the number of segments.
void infer_segments(InferContext& c, std::int64_t segments) {
  check_index_type(c, 1);
  const Shape &x = c.in(0).shape, &ids = c.in(1).shape;
  bool fits = ids.rank() <= x.rank() && c.in(0).dtype != DType::boolean;
  for (int i = 0; fits && i < ids.rank(); ++i) fits = ids[i] == x[i];
  if (!fits)
    c.fail(fmt::format("the ids {} must have the first dimensions of {}", c.in(1).text(), c.in(0).text()));
  Shape shape;
  shape.push_back(segments);
  for (int i = ids.rank(); i < x.rank(); ++i) shape.push_back(x[i]);
  c.out(c.in(0).dtype, shape);
}

void infer_unsorted(InferContext& c) { infer_segments(c, c.attrs.i[0]); }

// Calls visit(row of x, segment) for each id that is not negative.
template <class Visit>
void visit_segments(const KernelContext& c, Visit visit) {
  const std::int64_t segments = c.out_type().shape[0];
  dispatch_index(c.in_type(1).dtype, [&]<class Index>(Index) {
    const Index* ids = c.in<Index>(1);
    for (std::int64_t i = 0; i < c.in_type(1).numel; ++i) {
      if (ids[i] < 0) continue;
      if (ids[i] >= segments) refuse_index("UnsortedSegmentSum", i, ids[i], segments);
      visit(i, static_cast<std::int64_t>(ids[i]));
    }
  });
}

std::int64_t row_size(const KernelContext& c) {
  std::int64_t inner = 1;
  for (int i = 1; i < c.out_type().shape.rank(); ++i) inner *= c.out_type().shape[i];
  return inner;
}

template <class T, class Sum>
void add_rows(const KernelContext& c, Sum* sums) {
  const std::int64_t inner = row_size(c);
  visit_segments(c, [&](std::int64_t row, std::int64_t segment) {
    const T* from = c.in<T>(0) + row * inner;
    Sum* to = sums + segment * inner;
    for (std::int64_t k = 0; k < inner; ++k) to[k] = wrapping(std::plus(), to[k], static_cast<Sum>(from[k]));
  });
}

void segment_sum_kernel(KernelContext& c) {
  dispatch_number(c.out_type().dtype, [&]<class T>(T) {
    using Sum = Accumulator<T>;
    const std::int64_t count = c.out_type().numel;
    if constexpr (std::is_same_v<Sum, T>) {
      std::fill_n(c.out<T>(), count, T());
      add_rows<T>(c, c.out<T>());
    } else {
      ScratchArray<Sum> sums(static_cast<std::size_t>(count));
      add_rows<T>(c, sums.data());
      for (std::size_t i = 0; i < sums.size(); ++i) c.out<T>()[i] = static_cast<T>(sums[i]);
    }
  });
}

void segment_max_kernel(KernelContext& c) {
  dispatch_number(c.out_type().dtype, [&]<class T>(T) {
    using Wide = Accumulator<T>;
    // A segment without rows holds the lowest number, as TensorFlow's does.
    T lowest;
    if constexpr (std::is_same_v<T, Half>) lowest = Half(-65504.0f);
    else if constexpr (std::is_same_v<T, BFloat16>) lowest = BFloat16(-0x1.fep127f);
    else lowest = std::numeric_limits<T>::lowest();
    std::fill_n(c.out<T>(), c.out_type().numel, lowest);
    const std::int64_t inner = row_size(c);
    visit_segments(c, [&](std::int64_t row, std::int64_t segment) {
      const T* from = c.in<T>(0) + row * inner;
      T* to = c.out<T>() + segment * inner;
      for (std::int64_t k = 0; k < inner; ++k) {
        if (!(static_cast<Wide>(from[k]) <= static_cast<Wide>(to[k]))) to[k] = from[k];
      }
    });
  });
}

void segment_sum_vjp(VjpContext& c) {
  if (c.needs(0)) c.set(0, gather_or_zero(c.grad(), c.in(1)));
}

// All rows that equal the maximum share its cotangent.
void segment_max_vjp(VjpContext& c) {
  if (!c.needs(0)) return;
  const Tensor &x = c.in(0), &ids = c.in(1);
  const Tensor won = cast(equal(x, gather_or_zero(c.out(), ids)), x.dtype());
  const Tensor share = divide(c.grad(), unsorted_segment_sum(won, ids, c.out_type().shape[0]));
  c.set(0, multiply(gather_or_zero(share, ids), won));
}

// Reads the ids: the result's size is in their values.
void infer_segment_sum(InferContext& c) {
  check_index_type(c, 1);
  if (c.in(1).shape.rank() != 1)
    c.fail(fmt::format("the ids must have one dimension, got {}", c.in(1).text()));
  const TensorImpl& ids = host_values(c, 1);
  std::int64_t last = -1;
  dispatch_index(c.in(1).dtype, [&]<class Index>(Index) {
    for (std::int64_t i = 0; i < c.in(1).numel; ++i) {
      const Index id = static_cast<const Index*>(ids.data)[i];
      if (id < last || id < 0)
        c.fail(
            fmt::format("id {} at position {} follows {}; ids must ascend from 0; hint: unsorted_segment_sum",
                        id, i, last));
      last = id;
    }
  });
  infer_segments(c, last + 1);
}

}  // namespace

constinit const OpDef kUnsortedSegmentSum{
    .name = "UnsortedSegmentSum",
    .infer = infer_unsorted,
    .kernel = segment_sum_kernel,
    .saves = OpDef::in_bit(1),
    .vjp = segment_sum_vjp,
    .linearity = Linearity::linear,
    .batch = BatchRule::custom,
    .batched = batch_rules::segments,
    .cost = rows::move_cost,
    .never = OpDef::in_bit(1),
    .doc = "Sum of x's rows by id (input 1), i[0] segments; negative ids are left out"};
constinit const OpDef kUnsortedSegmentMax{
    .name = "UnsortedSegmentMax",
    .infer = infer_unsorted,
    .kernel = segment_max_kernel,
    .saves = OpDef::in_bit(0) | OpDef::in_bit(1) | OpDef::out_bit(0),
    .vjp = segment_max_vjp,
    .batch = BatchRule::custom,
    .batched = batch_rules::segments,
    .cost = rows::move_cost,
    .never = OpDef::in_bit(1),
    .doc = "Largest of x's rows by id, i[0] segments; ties share the gradient"};
constinit const OpDef kSegmentSum{.name = "SegmentSum",
                                  .infer = infer_segment_sum,
                                  .kernel = segment_sum_kernel,
                                  .saves = OpDef::in_bit(1),
                                  .vjp = segment_sum_vjp,
                                  .linearity = Linearity::linear,
                                  .batch = BatchRule::custom,
                                  .batched = batch_rules::segments,
                                  .cost = rows::move_cost,
                                  .never = OpDef::in_bit(1),
                                  .doc = "Sum of x's rows by ascending id (input 1)"};

Tensor unsorted_segment_sum(const Arg& x, const Arg& ids, std::int64_t segments) {
  if (segments < 0) refuse("UnsortedSegmentSum", fmt::format("got {} segments", segments), x.location());
  Attrs attrs;
  attrs.push(in_32_bits("UnsortedSegmentSum", segments, x.location()));
  TensorImpl* inputs[] = {x.tensor().impl(), ids.tensor(DType::i32).impl()};
  return apply(kUnsortedSegmentSum, inputs, attrs, x.location());
}

Tensor unsorted_segment_max(const Arg& x, const Arg& ids, std::int64_t segments) {
  if (segments < 0) refuse("UnsortedSegmentMax", fmt::format("got {} segments", segments), x.location());
  Attrs attrs;
  attrs.push(in_32_bits("UnsortedSegmentMax", segments, x.location()));
  TensorImpl* inputs[] = {x.tensor().impl(), ids.tensor(DType::i32).impl()};
  return apply(kUnsortedSegmentMax, inputs, attrs, x.location());
}

Tensor unsorted_segment_mean(const Arg& x, const Arg& ids, std::int64_t segments) {
  const Tensor& t = x.tensor();
  const Tensor& id = ids.tensor(DType::i32);
  const Location& at = x.location();
  const Tensor sum = unsorted_segment_sum(x, ids, segments);
  const Tensor count = unsorted_segment_sum(Arg(make_full(id.shape(), 1, t.dtype()), at), ids, segments);
  Shape shape = sum.shape();
  for (int i = 1; i < shape.rank(); ++i) shape[i] = 1;
  const Tensor divisor = maximum(Arg(reshape(Arg(count, at), shape), at), Arg(1.0, at));
  return divide(Arg(sum, at), Arg(divisor, at));
}

Tensor segment_sum(const Arg& x, const Arg& ids) {
  TensorImpl* inputs[] = {x.tensor().impl(), ids.tensor(DType::i32).impl()};
  return apply(kSegmentSum, inputs, kNoAttrs, x.location());
}

}  // namespace tapescope
