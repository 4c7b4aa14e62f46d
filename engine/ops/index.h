// Picking and placing elements by index tensors, sorting, segment sums.
//
// Indices are int32 or int64 and never get a gradient. An index out of range throws InvalidArgument that
// names it.
#pragma once
#include <span>
#include <utility>

#include "engine/gate/apply.h"
#include "engine/ops/shape.h"

namespace tapescope {

// Rows of x along `axis`: the result's shape is x's with that dimension replaced by the indices' shape. The
// first `batch_dims` dimensions of both are matched.
Tensor gather(const Arg& x, const Arg& indices, int axis = 0, int batch_dims = 0);
// The last dimension of `indices` is a position in the first dimensions of x.
Tensor gather_nd(const Arg& x, const Arg& indices);
// Zeros of `shape` with updates added at the positions; repeated ones add up.
Tensor scatter_nd(const Arg& indices, const Arg& updates, const Shape& shape);
// x with updates put, added, subtracted, or the larger or smaller taken, at the positions.
Tensor tensor_scatter_nd_update(const Arg& x, const Arg& indices, const Arg& updates);
Tensor tensor_scatter_nd_add(const Arg& x, const Arg& indices, const Arg& updates);
Tensor tensor_scatter_nd_sub(const Arg& x, const Arg& indices, const Arg& updates);
Tensor tensor_scatter_nd_max(const Arg& x, const Arg& indices, const Arg& updates);
Tensor tensor_scatter_nd_min(const Arg& x, const Arg& indices, const Arg& updates);

// Row s of the result is the sum of the rows of x whose id is s; a negative id drops the row.
Tensor unsorted_segment_sum(const Arg& x, const Arg& ids, std::int64_t segments);
Tensor unsorted_segment_max(const Arg& x, const Arg& ids, std::int64_t segments);
Tensor unsorted_segment_mean(const Arg& x, const Arg& ids, std::int64_t segments);
// Ids must ascend; the number of segments is the last id plus one.
Tensor segment_sum(const Arg& x, const Arg& ids);

// 1 (`on`) at the index, 0 (`off`) elsewhere; an index out of range gives a row of `off`. No gradient.
Tensor one_hot(const Arg& indices, std::int64_t depth, double on = 1, double off = 0,
               DType dtype = DType::f32, int axis = -1);
// Positions of the true elements, int64 [count, rank], row-major. Reads the values: not for traced functions.
Tensor where_indices(const Arg& condition);
// The rows of x where the mask, given by its values, is true.
Tensor boolean_mask(const Arg& x, const Arg& mask, int axis = 0);

// The k largest of each row of the last dimension, largest first, and their int32 positions; equal ones in
// order.
std::pair<Tensor, Tensor> top_k(const Arg& x, int k);
// Ascending by default, stable.
Tensor sort(const Arg& x, int axis = -1, bool descending = false);
Tensor argsort(const Arg& x, int axis = -1, bool descending = false);
// True where the target is among the k largest of its row, ties included.
Tensor in_top_k(const Arg& targets, const Arg& predictions, int k);
Tensor invert_permutation(const Arg& perm);

}  // namespace tapescope
