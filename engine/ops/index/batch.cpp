// Rules of picking and placing: where the indices are the same for all rows, the rows become the innermost
// dimension.
#include "engine/ops/batch_rules.h"
#include "engine/ops/creation.h"
#include "engine/ops/elementwise.h"
#include "engine/ops/index.h"
#include "engine/ops/shape.h"

namespace tapescope::batch_rules {
namespace {

// [rows, ...] -> [..., rows]
Tensor rows_last(const Tensor& x) {
  Ints perm;
  for (int i = 1; i < x.rank(); ++i) perm.push_back(i);
  perm.push_back(0);
  return transpose(x, perm);
}
// Dimension `axis` to the front.
Tensor to_front(const Tensor& x, int axis) {
  if (axis == 0) return x;
  Ints perm{axis};
  for (int i = 0; i < x.rank(); ++i) {
    if (i != axis) perm.push_back(i);
  }
  return transpose(x, perm);
}
Tensor rows_first(const Tensor& x) { return to_front(x, x.rank() - 1); }

// 0, step, 2 step, ... one for each row, with `rank` dimensions of size 1 behind.
Tensor row_numbers(std::int64_t rows, std::int64_t step, int rank, DType dtype) {
  Shape shape{rows};
  for (int i = 0; i < rank; ++i) shape.push_back(1);
  return reshape(range(static_cast<double>(rows), dtype) * step, shape);
}

// Positions [rows, ..., depth] with the row's number in front: [rows, ..., 1 + depth].
Tensor with_row_number(const Tensor& positions) {
  Shape shape = positions.shape();
  shape[shape.rank() - 1] = 1;
  const Tensor numbers = broadcast_to(row_numbers(shape[0], 1, shape.rank() - 1, positions.dtype()), shape);
  return concat({numbers, positions}, -1);
}

Attrs with_rows(const Attrs& attrs, std::int64_t rows, bool first) {
  Attrs out = attrs;
  out.count = 0;
  if (first) out.push(rows);
  for (std::int32_t size : attrs.ints()) out.push(size);
  if (!first) out.push(rows);
  return out;
}

}  // namespace

void gather(BatchContext& c) {
  const int axis = c.attrs().i[0], batch = c.attrs().i[1];
  Attrs attrs = c.attrs();
  if (batch == 0 && !c.batched(0)) {
    // The indices' dimensions, rows first, stand where the axis was.
    return c.set(0, to_front(c.call({c.in(0), c.in(1)}, attrs), axis));
  }
  ++attrs.i[0];
  if (batch == 0 && !c.batched(1)) return c.set(0, c.call({c.in(0), c.in(1)}, attrs));
  ++attrs.i[1];
  c.set(0, c.call({c.spread(0), c.spread(1)}, attrs));
}

void one_hot(BatchContext& c) {
  Attrs attrs = c.attrs();
  ++attrs.i[1];
  if (c.input_count() == 1) return c.run(c.spread_all(), attrs);
  if (!c.batched(1) && !c.batched(2)) return c.set(0, c.call({c.spread(0), c.in(1), c.in(2)}, attrs));
  const int rank = c.out_type().shape.rank();
  const Tensor places = tapescope::one_hot(c.spread(0), attrs.i[0], 1, 0, DType::boolean, attrs.i[1]);
  c.set(0, where(places, c.aligned(1, rank), c.aligned(2, rank)));
}

void gather_nd(BatchContext& c) {
  if (!c.batched(0)) return c.set(0, c.call({c.in(0), c.in(1)}, c.attrs()));
  if (!c.batched(1)) return c.set(0, rows_first(c.call({rows_last(c.in(0)), c.in(1)}, c.attrs())));
  c.set(0, c.call({c.in(0), with_row_number(c.in(1))}, c.attrs()));
}

void scatter_nd(BatchContext& c) {
  if (!c.batched(0)) {
    return c.set(0, rows_first(c.call({c.in(0), rows_last(c.in(1))}, with_rows(c.attrs(), c.rows(), false))));
  }
  c.set(0, c.call({with_row_number(c.in(0)), c.spread(1)}, with_rows(c.attrs(), c.rows(), true)));
}

void tensor_scatter(BatchContext& c) {
  if (!c.batched(1)) {
    return c.set(0, rows_first(c.call({rows_last(c.spread(0)), c.in(1), rows_last(c.spread(2))}, c.attrs())));
  }
  c.set(0, c.call({c.spread(0), with_row_number(c.in(1)), c.spread(2)}, c.attrs()));
}

void segments(BatchContext& c) {
  if (!c.batched(1)) return c.set(0, rows_first(c.call({rows_last(c.in(0)), c.in(1)}, c.attrs())));
  // Each row gets its own segments; negative ids stay out.
  const std::int64_t count = c.out_type().shape[0];
  const Tensor& ids = c.in(1);
  const Tensor moved = add(ids, row_numbers(c.rows(), count, ids.rank() - 1, ids.dtype()));
  Attrs attrs = c.attrs();
  attrs.i[0] = static_cast<std::int32_t>(count * c.rows());
  const Tensor all = c.call({c.spread(0), where(less(ids, 0), ids, moved)}, attrs);
  Shape shape{c.rows()};
  for (std::int64_t size : c.out_type().shape.dims()) shape.push_back(size);
  c.set(0, reshape(all, shape));
}

void in_top_k(BatchContext& c) {
  const Shape& predictions = c.in_type(0).shape;
  const std::int64_t n = predictions[0];
  const Tensor all =
      c.call({reshape(c.spread(0), {c.rows() * n, predictions[1]}), reshape(c.spread(1), {c.rows() * n})},
             c.attrs());
  c.set(0, reshape(all, {c.rows(), n}));
}

}  // namespace tapescope::batch_rules
